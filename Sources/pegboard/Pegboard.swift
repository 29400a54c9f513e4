import Glibc
import LayoutApplication

@main
struct Pegboard {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch try ArgumentParser(Command.all, environment: Machine.environment).parse(arguments) {
            case .print(let text): Machine.print(text)
            case .run(let invocation): try await invocation.command.run(invocation)
            }
        } catch let failure as CommandFailure {
            Machine.print("pegboard: \(failure.message)\n", to: STDERR_FILENO)
            exit(failure.code.rawValue)
        } catch let error as StoreError {
            let failure = Storage.failure(error)
            Machine.print("pegboard: \(failure.message)\n", to: STDERR_FILENO)
            exit(failure.code.rawValue)
        } catch {
            Machine.print("pegboard: \(error)\n", to: STDERR_FILENO)
            exit(ExitCode.ourFault.rawValue)
        }
    }
}

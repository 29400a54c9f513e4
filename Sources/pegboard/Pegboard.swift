import Glibc
import LayoutApplication

@main
struct Pegboard {
    /// Not `async`: the first thread of an asynchronous `main` leaves by `pthread_exit`, and the unwinder that this calls reads
    /// and sorts the tables of the whole program, which for a static executable is two thirds of the work of a start.
    static func main() {
        Task.detached {
            await run()
            exit(EXIT_SUCCESS)
        }
        // Everything goes on elsewhere. Signals have sources of their own, see `Signals`.
        while true { pause() }
    }

    private static func run() async {
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

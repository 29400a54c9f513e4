import Foundation
import LayoutTesting
import PegboardClient

/// Eight devices of one user, who edit at random and send through the library; `Tests/end-to-end/eight_devices.py` runs
/// it behind a network that breaks, kills it, and judges what it writes down.
///
///     eight-devices <address> <user> <folder> <run> <edits>
///
/// A later run on the same folder goes on where the one before was killed. After the edits it prints a line and waits
/// for one: then the network works, and everybody comes to rest.
@MainActor struct Program {
    let devices: [Device]
    let record: Record

    static func main() async -> Int32 {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 5, let url = URL(string: CommandLine.arguments[1]),
            let run = Int(CommandLine.arguments[4]), let edits = Int(CommandLine.arguments[5])
        else {
            print("usage: eight-devices <address> <user> <folder> <run> <edits>")
            return 64
        }
        do {
            let folder = URL(filePath: CommandLine.arguments[3])
            let record = try Record(folder.appending(path: "record-\(run).jsonl"))
            let devices = try (0..<8).map {
                try Device($0, run: run, url: url, user: CommandLine.arguments[2], folder: folder, record: record)
            }
            let program = Program(devices: devices, record: record)
            await program.edit(edits, seed: UInt64(run))
            FileHandle.standardOutput.write(Data("edited\n".utf8))
            await Self.nextLine()
            return await program.rest()
        } catch {
            print("eight-devices: \(error)")
            return 69
        }
    }

    private func edit(_ count: Int, seed: UInt64) async {
        var dice = SplitMix64(seed: seed)
        var made = 0
        while made < count {
            let device = devices[Int.random(in: 0..<devices.count, using: &dice)]
            if Int.random(in: 0..<12, using: &dice) == 0 { device.isOnline.toggle() }
            if device.edit(using: &dice) { made += 1 }
            try? await Task.sleep(for: .milliseconds(Int.random(in: 1...15, using: &dice)))
        }
    }

    /// What the devices hear by themselves comes first, then what they are told when they ask.
    private func rest() async -> Int32 {
        for device in devices { device.isOnline = true }
        let isAtRest = await within(.seconds(30)) { devices.allSatisfy { $0.queue.pendingCount == 0 } }
        _ = await within(.seconds(10)) { Set(devices.map(\.shown)).count == 1 }
        for device in devices { record.write(.init(what: .heard, device: device.name, favorites: device.shown)) }
        for device in devices { try? await device.queue.synchronize() }
        _ = await within(.seconds(5)) { devices.allSatisfy { $0.shown == $0.queue.favorites } }
        for device in devices {
            record.write(
                .init(
                    what: .end, device: device.name, pending: device.queue.pendingCount,
                    halted: device.queue.halted?.code.rawValue, favorites: device.shown, reports: device.queue.reports))
        }
        return isAtRest ? 0 : 1
    }

    /// Time-bounded: the devices change in tasks of their own.
    private func within(_ limit: Duration, _ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// On a thread of its own: the editors live on the main actor.
    private static func nextLine() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = readLine()
                continuation.resume()
            }
        }
    }
}

exit(await Program.main())

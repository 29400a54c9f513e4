import Foundation
import PegboardClient

/// Two devices of one user, side by side: one goes offline, both edit, it comes back, and both show the same list.
///
///     swift run two-devices http://127.0.0.1:8080             type commands
///     swift run two-devices http://127.0.0.1:8080 --script    play a fixed story; the exit code says whether it came out
///
/// The server needs no sign-in for this: `pegboard demo` gives such a one, and prints its address.
@MainActor struct Program {
    let devices: [Device]

    static func main() async -> Int32 {
        let arguments = CommandLine.arguments.dropFirst()
        guard let address = arguments.first(where: { !$0.hasPrefix("-") }), let url = URL(string: address) else {
            print("usage: two-devices <address of the server> [--script] [--user <id>]")
            return 64
        }
        let named = arguments.firstIndex(of: "--user").flatMap { arguments.dropFirst($0).first }
        let user = named ?? "two-devices-\(UUID().uuidString.lowercased())"
        do {
            let devices = try ["phone", "tablet"].map { try Device($0, url: url, user: user) }
            let program = Program(devices: devices)
            for device in devices { try await device.synchronize() }
            return try await arguments.contains("--script") ? program.script() : program.type()
        } catch {
            print("two-devices: \(error)")
            return 69
        }
    }

    func show() {
        let lists = devices.map(\.favorites)
        let height = lists.map(\.count).max() ?? 0
        print(devices.map { $0.title.padding(toLength: 36, withPad: " ", startingAt: 0) }.joined())
        for row in 0..<height {
            print(
                lists.map { list in
                    let line = row < list.count ? "\(row) \(list[row])" : ""
                    return line.padding(toLength: 36, withPad: " ", startingAt: 0)
                }.joined())
        }
        print()
    }

    // MARK: The story

    /// - Returns: 0 where both devices and the server end with one list, and it is the one that was foreseen.
    func script() async throws -> Int32 {
        let (phone, tablet) = (devices[0], devices[1])
        let start = phone.favorites
        guard start.count >= 5 else {
            print("two-devices: the story needs five favorites; the server gave \(start)")
            return 65
        }
        print("Both devices see the same list.\n")
        show()

        print("The phone goes into the subway. Its user moves the last one up and takes the third out.\n")
        phone.isOnline = false
        try phone.editor.moveItem(at: IndexPath(indexes: [0, start.count - 1]), to: IndexPath(indexes: [0, 1]))
        try phone.editor.remove(start[2])
        show()

        print("Meanwhile the tablet, at home, moves the fifth to the end.\n")
        try tablet.editor.moveItem(at: IndexPath(indexes: [0, 4]), to: IndexPath(indexes: [0, start.count - 1]))
        try await tablet.synchronize()
        show()

        print("The phone comes back; its edits are carried over to the tablet's list.\n")
        phone.isOnline = true
        try await phone.synchronize()
        try await tablet.synchronize()
        show()

        var wanted = start
        wanted.append(wanted.remove(at: 4))
        wanted.removeAll { $0 == start[2] || $0 == start[start.count - 1] }
        wanted.insert(start[start.count - 1], at: 1)
        let agreed = phone.favorites == tablet.favorites && phone.favorites == wanted
        print(agreed ? "Both show the same: nothing was lost." : "They differ! Expected \(wanted).")
        return agreed ? 0 : 1
    }

    // MARK: By hand

    private static let help = """
        <device> move <slot> <slot> · <device> add <id> · <device> remove <id> · <device> undo
        <device> offline · <device> online · quit          devices: phone, tablet
        """

    func type() async throws -> Int32 {
        print(Self.help + "\n")
        show()
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "quit" { break }
            if let device = devices.first(where: { $0.name == words.first }), words.count > 1 {
                do { try await device.obey(Array(words.dropFirst())) } catch let refusal as Refusal {
                    print("  \(refusal.message)")
                } catch { print("  \(error)") }
            } else {
                print(Self.help)
            }
            show()
        }
        return 0
    }
}

exit(await Program.main())

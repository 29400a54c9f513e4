import LayoutTesting

/// A life of a few devices and their server: every decision is in here, so that a part of it can be played as well.
struct Schedule {
    var seed: UInt64
    var devices: Int
    var historyKept: Int
    var actions: [Action]

    struct Action: CustomStringConvertible {
        var device: Int
        var kind: Kind
        /// Chooses among what is possible at that moment.
        var pick: UInt64

        var description: String { "device \(device): \(kind) (\(pick % 1_000))" }
    }

    enum Kind: Equatable {
        case edit
        case step(Network.Fate)
        case lateRequest
        case tick
        case goOffline
        case comeBack
        /// The program is killed and started again.
        case kill
        case restartServer
        case publish
        case lock
        /// A list that was read earlier arrives now.
        case event
    }

    init(seed: UInt64) {
        var dice = Dice(seed: seed)
        self.seed = seed
        devices = 2 + dice.roll(2)
        historyKept = dice.roll(4) == 0 ? 1 + dice.roll(3) : 50
        actions = []
        for _ in 0..<(8 + dice.roll(12)) {
            actions.append(
                Action(device: dice.roll(devices), kind: Self.kind(&dice), pick: dice.next()))
        }
    }

    private static func kind(_ dice: inout Dice) -> Kind {
        switch dice.roll(100) {
        case ..<42: .edit
        case ..<56: .step(.delivered)
        case ..<76: .step(Network.Fate.allCases[dice.roll(Network.Fate.allCases.count)])
        case ..<80: .lateRequest
        case ..<82: .tick
        case ..<84: .goOffline
        case ..<87: .comeBack
        case ..<90: .kill
        case ..<92: .restartServer
        case ..<95: .publish
        case ..<97: .lock
        default: .event
        }
    }
}

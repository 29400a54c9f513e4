import LayoutModel

/// What the page says in the service's own words, by language. Titles of functions and sections come from the catalog.
struct Wording: Sendable {
    var favorites: String
    var alwaysFirst: @Sendable (_ title: String) -> String
    var alwaysAtPlace: @Sendable (_ title: String, _ place: Int) -> String
    var notMovable: @Sendable (_ title: String) -> String
    var notRemovable: @Sendable (_ title: String) -> String
    var notThere: @Sendable (_ title: String) -> String
    var full: @Sendable (_ limit: Int) -> String
    var atMinimum: @Sendable (_ minimum: Int) -> String
    var locked: String
    var other: @Sendable (_ title: String) -> String

    /// The wording in `language`, or in English where there is none.
    static func `in`(_ language: String) -> Wording {
        switch language.split(separator: "-").first?.lowercased() {
        case "zh": .simplifiedChinese
        case "de": .german
        default: .english
        }
    }

    /// Why not, in a sentence for the person who tries.
    ///
    /// - Parameter function: nil where the catalog has none of that id; the title then is the id.
    func sentence(for refusal: Refusal, function: Function?, title: String) -> String {
        switch refusal {
        case .itemNotMovable:
            switch function?.pin {
            case 0: alwaysFirst(title)
            case let slot?: alwaysAtPlace(title, slot + 1)
            case nil: notMovable(title)
            }
        case .itemNotRemovable: notRemovable(title)
        case .notAFavorite: notThere(title)
        case .favoritesLimit(let limit, _, _): full(limit)
        case .favoritesMinimum(let minimum, _, _): atMinimum(minimum)
        case .layoutLocked: locked
        default: other(title)
        }
    }

    /// Whether the sentence is the same whichever function it is about.
    func namesNoFunction(in refusal: Refusal) -> Bool {
        switch refusal {
        case .favoritesLimit, .favoritesMinimum, .layoutLocked: true
        default: false
        }
    }

    static let english = Wording(
        favorites: "My functions",
        alwaysFirst: { "\($0) always comes first" },
        alwaysAtPlace: { "\($0) always stays at place \($1)" },
        notMovable: { "\($0) can’t be moved" },
        notRemovable: { "\($0) can’t be removed" },
        notThere: { "\($0) is not among your functions" },
        full: { "All \($0) places are taken. Remove one first." },
        atMinimum: { $0 == 1 ? "One function has to stay" : "At least \($0) functions have to stay" },
        locked: "Support has locked this page",
        other: { "\($0) can’t be changed here" })

    static let simplifiedChinese = Wording(
        favorites: "我的应用",
        alwaysFirst: { "“\($0)”固定在首位" },
        alwaysAtPlace: { "“\($0)”固定在第 \($1) 位" },
        notMovable: { "“\($0)”不可移动" },
        notRemovable: { "“\($0)”不可移除" },
        notThere: { "“\($0)”不在我的应用中" },
        full: { "最多可添加 \($0) 个应用，请先移除一个" },
        atMinimum: { "至少保留 \($0) 个应用" },
        locked: "该页面已被客服锁定",
        other: { "“\($0)”在此不可更改" })

    static let german = Wording(
        favorites: "Meine Funktionen",
        alwaysFirst: { "„\($0)“ steht immer an erster Stelle" },
        alwaysAtPlace: { "„\($0)“ steht immer an Stelle \($1)" },
        notMovable: { "„\($0)“ lässt sich nicht verschieben" },
        notRemovable: { "„\($0)“ lässt sich nicht entfernen" },
        notThere: { "„\($0)“ gehört nicht zu Ihren Funktionen" },
        full: { "Alle \($0) Plätze sind belegt. Entfernen Sie zuerst eine Funktion." },
        atMinimum: { $0 == 1 ? "Eine Funktion muss bleiben" : "Mindestens \($0) Funktionen müssen bleiben" },
        locked: "Diese Seite ist vom Kundendienst gesperrt",
        other: { "„\($0)“ lässt sich hier nicht ändern" })
}

import LayoutModel

func list(_ count: Int) -> [FunctionID] { (0..<count).map { FunctionID("function-\($0)")! } }

func catalog(_ count: Int, pins: [Int: Int] = [0: 0]) throws -> Catalog {
    var draft = CatalogDraft()
    draft.policy.limit = 1_000
    draft.functions = list(count).enumerated().map { index, id in
        var function = CatalogDraft.Function(id: id.text, title: Title(["en": id.text]))
        function.pin = pins[index]
        return function
    }
    draft.sections = [.init(id: "all", title: Title(["en": "All"]), functions: list(count).map(\.text))]
    return try draft.validated(after: nil)
}

/// The rules: a move, healing, and what another device's changes are carried over by.
func measureRules() throws {
    let client = Client(user: UserID("somebody")!)
    for count in [12, 300] {
        let catalog = try catalog(max(100, count))
        let stored = list(count)
        let layout = Layout(healing: stored, catalog: catalog, client: client)
        try measure("move, \(count) items", calls: 2_000) { call in
            var copy = layout
            try copy.move([stored[1 + call % (count - 1)]], to: .index(1 + call % (count - 1)))
        }
        measure("heal, \(count) items, \(catalog.functions.count) functions", calls: 1_000) { _ in
            _ = Layout(healing: stored, catalog: catalog, client: client)
        }

        // Fifty versions later, each a move of another device.
        var today = layout
        for step in 0..<50 {
            try today.move([stored[1 + step * 7 % (count - 1)]], to: .index(1 + step * 5 % (count - 1)))
        }
        let operation = Operation.move(.item(stored[3]), to: Placement(.index(count - 2)))
        try measure("rebase of a move over 50 versions, \(count) items", calls: 500) { _ in
            var copy = today
            _ = try Rebase.apply([operation], madeOn: stored, to: &copy)
        }
        var wanted = layout
        for step in 0..<5 { try wanted.move([stored[2 + step]], to: .index(count - 1 - step)) }
        try measure("rebase of a whole list over 50 versions, \(count) items", calls: 200) { _ in
            var copy = today
            _ = try Rebase.apply(wanted.favorites, madeOn: stored, to: &copy)
        }
    }
}

/// One step of a change.
package enum Operation: Equatable, Sendable {
    case move(Subject, to: Placement)
    case add(FunctionID, at: Placement?)
    case remove(FunctionID)

    package enum Subject: Equatable, Sendable {
        case item(FunctionID)
        /// Several items, which go there together in the order given.
        case block([FunctionID])
        /// Whatever stands at this slot of the list that the client saw.
        case slot(Int)

        /// Whether it is about this item, as far as it says so itself.
        package func names(_ id: FunctionID) -> Bool {
            switch self {
            case .item(let item): item == id
            case .block(let items): items.contains(id)
            case .slot: false
            }
        }
    }

    /// More in one request is a mistake or an attack.
    package static let mostInOneRequest = 100

    /// What is wrong in any state of any layout.
    func checkShape() throws(Refusal) {
        switch self {
        case .move(let subject, let placement):
            if case .block([]) = subject { throw .emptyBlock }
            if case .slot(let slot) = subject, slot < 0 { throw .invalidIndex(slot) }
            try placement.checkShape(of: subject)
        case .add(let id, let placement): try placement?.checkShape(of: .item(id))
        case .remove: break
        }
    }
}

/// Where an item is to stand afterwards.
package struct Placement: Equatable, Sendable {
    package var destination: Destination
    /// The section that the client named, if it did. Only `favorites` belongs to the user.
    package var section: String?

    package init(_ destination: Destination, section: String? = nil) {
        self.destination = destination
        self.section = section
    }

    package enum Destination: Equatable, Sendable {
        /// The final slot of the item, or of a block's first item, in the list after the operation.
        case index(Int)
        case before(FunctionID)
        case after(FunctionID)
        case first
        case last

        var anchor: FunctionID? {
            switch self {
            case .before(let id), .after(let id): id
            case .index, .first, .last: nil
            }
        }
    }

    fileprivate func checkShape(of subject: Operation.Subject) throws(Refusal) {
        if case .index(let index) = destination, index < 0 { throw .invalidIndex(index) }
        if let anchor = destination.anchor, subject.names(anchor) { throw .anchorIsSelf(anchor) }
    }

    func checkSection() throws(Refusal) {
        if let section, section != "favorites" { throw .sectionFixed(section) }
    }
}

/// What became of one operation.
package struct Outcome: Equatable, Sendable {
    package var operation: Kind
    /// What it was about; of a block, what was carried over.
    package var items: [FunctionID]
    package var result: Result
    /// Items of a block that were left out because they are gone.
    package var absent: [FunctionID] = []

    package enum Kind: String, Sendable { case move, add, remove }

    package enum Result: Equatable, Sendable {
        case applied
        /// The list was as wanted already.
        case unchanged
        /// Another device removed what it was about.
        case itemAbsent
        /// Neither the anchor nor any of its neighbours is there any more.
        case anchorAbsent
        /// Applied beside the anchor's nearest neighbour that is still there.
        case anchorSubstituted(Placement.Destination)
    }
}

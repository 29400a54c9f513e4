import LayoutModel

// A write's content → values of the model. What is wrong in any state is refused here, with its place: before the
// store is asked, and so before idempotency and preconditions.

extension JSONInput {
    /// `{"baseVersion"?, "operations": […]}`
    func operations() throws(ContentFault) -> LayoutCommand {
        let members = try object().only("baseVersion", "operations")
        let list = try members.required("operations")
        let (count, limit) = (try list.count(), Operation.mostInOneRequest)
        if count > limit {
            var fault = list.fault(.tooManyOperations, "One request has at most \(limit) operations, not \(count).")
            fault.params = [.number("limit", limit), .number("requested", count)]
            throw fault
        }
        var index = 0
        let operations = try list.array { (input) throws(ContentFault) in
            do throws(ContentFault) {
                let operation = try input.operation()
                index += 1
                return operation
            } catch {
                var fault = error
                fault.operationIndex = index
                throw fault
            }
        }
        return .operations(operations, madeOn: try members["baseVersion"]?.version())
    }

    /// `{"favorites": […], "baseVersion"?}`
    func wholeList() throws(ContentFault) -> LayoutCommand {
        let members = try object().only("favorites", "baseVersion")
        let list = try members.required("favorites").functionIDs()
        return .replace(list, madeOn: try members["baseVersion"]?.version())
    }

    /// `{"at"?: …}`: the optional content of putting one favorite in.
    func placement(of id: FunctionID) throws(ContentFault) -> Placement? {
        try object().only("at")["at"]?.placement(of: .item(id))
    }

    private func operation() throws(ContentFault) -> Operation {
        let members = try object()
        switch try members.required("op").string() {
        case "move":
            _ = try members.only("op", "id", "ids", "from", "at")
            let subject = try subject(members)
            return .move(subject, to: try members.required("at").placement(of: subject))
        case "add":
            _ = try members.only("op", "id", "at")
            let id = try members.required("id").functionID()
            return .add(id, at: try members["at"]?.placement(of: .item(id)))
        case "remove":
            _ = try members.only("op", "id")
            return .remove(try members.required("id").functionID())
        case let other:
            throw ContentFault(
                code: .invalidValue, pointer: "\(pointer)/op",
                detail: "An op is 'move', 'add' or 'remove', not '\(other.excerpt)'.")
        }
    }

    private func subject(_ members: Members) throws(ContentFault) -> Operation.Subject {
        switch (members["id"], members["ids"], members["from"]) {
        case (let id?, nil, nil): return .item(try id.functionID())
        case (nil, let ids?, nil):
            let block = try ids.functionIDs()
            if block.isEmpty { throw ids.fault(.invalidValue, "'ids' names at least one item.") }
            return .block(block)
        case (nil, nil, let from?): return .slot(try from.slot())
        default:
            throw fault(.invalidValue, "A move names exactly one of 'id', 'ids' and 'from'.")
        }
    }

    private func placement(of subject: Operation.Subject) throws(ContentFault) -> Placement {
        guard isObject else { throw fault(.invalidAt, "'at' is an object, such as {\"index\": 2}.") }
        let members = try object().only("index", "before", "after", "edge", "section")
        let section = try members["section"]?.string()
        switch (members["index"], members["before"], members["after"], members["edge"]) {
        case (let index?, nil, nil, nil): return Placement(.index(try index.slot()), section: section)
        case (nil, let id?, nil, nil): return Placement(.before(try id.anchor(of: subject)), section: section)
        case (nil, nil, let id?, nil): return Placement(.after(try id.anchor(of: subject)), section: section)
        case (nil, nil, nil, let edge?): return Placement(try edge.edge(), section: section)
        default: throw fault(.invalidAt, "'at' names exactly one of 'index', 'before', 'after' and 'edge'.")
        }
    }

    private func anchor(of subject: Operation.Subject) throws(ContentFault) -> FunctionID {
        let id = try functionID()
        guard subject.names(id) else { return id }
        var fault = fault(.anchorIsSelf, "'\(id)' cannot stand before or after itself.")
        fault.params = [.id(id)]
        throw fault
    }

    private func edge() throws(ContentFault) -> Placement.Destination {
        if isText("first") { return .first }
        if isText("last") { return .last }
        throw fault(.invalidAt, "An edge is 'first' or 'last'.")
    }

    private func slot() throws(ContentFault) -> Int {
        guard let slot = wholeNumber else {
            throw fault(.invalidIndex, "An index is a whole number from 0, not \(words).")
        }
        guard slot >= 0 else {
            var fault = fault(.invalidIndex, "An index is a slot from 0, not \(slot).")
            fault.params = [.number("index", slot)]
            throw fault
        }
        return slot
    }

    func version() throws(ContentFault) -> Version {
        guard let version = wholeNumber, version >= 0 else {
            throw fault(.invalidValue, "A version is a whole number from 0.")
        }
        return Version(version)
    }

    private func functionID() throws(ContentFault) -> FunctionID {
        guard let id = try string(FunctionID.init(octets:)) else {
            throw fault(.invalidValue, "A function's id is 1 to 64 of A-Z a-z 0-9 . _ ~ -.")
        }
        return id
    }

    func functionIDs() throws(ContentFault) -> [FunctionID] {
        try array { (input) throws(ContentFault) in try input.functionID() }
    }
}

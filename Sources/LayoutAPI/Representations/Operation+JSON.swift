import LayoutModel

// A write's content → values of the model. What is wrong in any state is refused here, with its place.

extension JSONInput {
    /// `{"baseVersion"?, "operations": […]}`
    func operations() throws(ContentFault) -> LayoutCommand {
        let members = try object().only("baseVersion", "operations")
        let operations = try members.required("operations").array { (input) throws(ContentFault) in try input.operation() }
        return .operations(operations, madeOn: try members["baseVersion"]?.version())
    }

    /// `{"favorites": […], "baseVersion"?}`
    func wholeList() throws(ContentFault) -> (list: [FunctionID], baseVersion: Version?) {
        let members = try object().only("favorites", "baseVersion")
        let list = try members.required("favorites").array { (input) throws(ContentFault) in try input.functionID() }
        return (list, try members["baseVersion"]?.version())
    }

    /// `{"at"?: …}`: the optional content of putting one favorite in.
    func favorite() throws(ContentFault) -> Placement? {
        try object().only("at")["at"]?.placement()
    }

    private func operation() throws(ContentFault) -> Operation {
        let members = try object()
        switch try members.required("op").string() {
        case "move":
            _ = try members.only("op", "id", "ids", "from", "at")
            let at = try members.required("at").placement()
            return .move(try subject(members), to: at)
        case "add":
            _ = try members.only("op", "id", "at")
            return .add(try members.required("id").functionID(), at: try members["at"]?.placement())
        case "remove":
            _ = try members.only("op", "id")
            return .remove(try members.required("id").functionID())
        case let other:
            throw ContentFault(
                code: .invalidValue, pointer: "\(pointer)/op", detail: "An op is 'move', 'add' or 'remove', not '\(other)'.")
        }
    }

    private func subject(_ members: Members) throws(ContentFault) -> Operation.Subject {
        switch (members["id"], members["ids"], members["from"]) {
        case (let id?, nil, nil): return .item(try id.functionID())
        case (nil, let ids?, nil):
            return .block(try ids.array { (input) throws(ContentFault) in try input.functionID() })
        case (nil, nil, let from?): return .slot(try from.slot())
        default:
            throw fault(.invalidValue, "A move names exactly one of 'id', 'ids' and 'from'.")
        }
    }

    private func placement() throws(ContentFault) -> Placement {
        guard case .object = value else { throw fault(.invalidAt, "'at' is an object, such as {\"index\": 2}.") }
        let members = try object().only("index", "before", "after", "edge", "section")
        let section = try members["section"]?.string()
        switch (members["index"], members["before"], members["after"], members["edge"]) {
        case (let index?, nil, nil, nil): return Placement(.index(try index.slot()), section: section)
        case (nil, let id?, nil, nil): return Placement(.before(try id.functionID()), section: section)
        case (nil, nil, let id?, nil): return Placement(.after(try id.functionID()), section: section)
        case (nil, nil, nil, let edge?): return Placement(try edge.edge(), section: section)
        default: throw fault(.invalidAt, "'at' names exactly one of 'index', 'before', 'after' and 'edge'.")
        }
    }

    private func edge() throws(ContentFault) -> Placement.Destination {
        switch value {
        case .string("first"): return .first
        case .string("last"): return .last
        default: throw fault(.invalidAt, "An edge is 'first' or 'last'.")
        }
    }

    /// The model refuses a negative one; here it must be a whole number at all.
    private func slot() throws(ContentFault) -> Int {
        guard case .integer(let slot) = value else {
            throw fault(.invalidIndex, "An index is a whole number from 0, not \(value.kind).")
        }
        return slot
    }

    private func version() throws(ContentFault) -> Version {
        guard case .integer(let version) = value, version >= 0 else {
            throw fault(.invalidValue, "A version is a whole number from 0.")
        }
        return Version(version)
    }

    private func functionID() throws(ContentFault) -> FunctionID {
        guard let id = FunctionID(try string()) else {
            throw fault(.invalidValue, "A function's id is 1 to 64 of A-Z a-z 0-9 . _ ~ -.")
        }
        return id
    }
}

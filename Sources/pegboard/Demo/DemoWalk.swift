/// What the demo prints: a walk through the service, as lines to paste. A test pastes them.
struct DemoWalk {
    let address: String
    let users: Int

    var text: String {
        let layout = "\(address)/v1/users/alice/layout"
        let operations = "\(layout)/operations"
        let json = "-H 'Content-Type: application/json'"
        return """

            Pegboard demo on \(address): a catalog of a super-app and \(users) made-up users (user-1 … user-\(users)).
            No sign-in, loopback only; everything is forgotten at the end (Ctrl-C).

            Open \(address)/console and drag something. Or paste these in another terminal:

            # Fetch a layout. Alice follows the catalog's defaults until she changes something.
            curl -i \(layout)

            # Move: an index is the final slot, and If-Match says on which list it was decided.
            curl -i \(json) -H 'If-Match: "0+c1"' -d '{"operations":[{"op":"move","id":"ride","at":{"index":2}}]}' \(operations)

            # A refused move: the scanner always comes first, and the answer says so.
            curl \(json) -d '{"operations":[{"op":"move","id":"scan","at":{"index":3}}]}' \(operations)

            # A stale move: the layout has another tag by now. 412, with the layout as it is.
            curl \(json) -H 'If-Match: "0+c1"' -d '{"operations":[{"op":"move","id":"ride","at":{"edge":"last"}}]}' \(operations)

            # The same as an offline phone would send it: made on version 0, carried over to today's list.
            curl \(json) -d '{"baseVersion":0,"operations":[{"op":"move","id":"transfer","at":{"edge":"last"}}]}' \(operations)

            # Put one in, take one out. Repeating either changes nothing.
            curl -X PUT \(layout)/favorites/metro
            curl -X DELETE \(layout)/favorites/food-delivery

            # The page: every section, with a badge on each cell and the reason where something may not be done.
            curl -H 'Accept-Language: de' '\(address)/v1/users/alice/page?platform=ios&appVersion=10.3'


            """
    }
}

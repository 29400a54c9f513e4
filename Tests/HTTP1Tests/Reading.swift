import HTTP1

/// What a parser makes of a stream of octets: the requests, and what stood in the way of the next one.
struct Reading: Equatable {
    struct Message: Equatable {
        var method: HTTP1.Method
        var target: [UInt8]
        var path: Range<Int>
        var version: Request.Version
        var fields: [UInt8]
        var values: [[UInt8]]
        var content: [UInt8]
        var control: ControlData

        init(_ request: Request, _ control: ControlData) {
            method = request.method
            target = request.target.octets
            path = request.target.path
            version = request.version
            fields = request.fields.octets
            values = request.fields.lines.map { Array(request.fields.value(of: $0)) }
            content = request.content
            self.control = control
        }
    }

    var messages: [Message] = []
    var error: ProtocolError?
    /// Of the request that is not complete, where it is taken.
    private var taken: [UInt8] = []

    static func == (left: Self, right: Self) -> Bool { left.messages == right.messages && left.error == right.error }

    init(_ text: String, limits: Limits = Limits()) {
        self.init([Array(text.utf8)], limits: limits)
    }

    /// Feeds the pieces one after the other, as a connection does.
    ///
    /// - Parameter takesContent: after every step, as for a handler that takes it in pieces of any length.
    init(
        _ pieces: some Sequence<some Collection<UInt8>>, limits: Limits = Limits(),
        takingContent takesContent: Bool = false
    ) {
        var parser = RequestParser(limits: limits)
        var request = Request()
        var buffer: [UInt8] = []
        do throws(ProtocolError) {
            for piece in pieces {
                buffer.append(contentsOf: piece)
                try take(&parser, &request, &buffer, takesContent ? nil : limits)
            }
        } catch {
            self.error = error
        }
    }

    private mutating func take(
        _ parser: inout RequestParser, _ request: inout Request, _ buffer: inout [UInt8], _ limits: Limits?
    ) throws(ProtocolError) {
        while true {
            var consumed = 0
            let event = try parser.parse(buffer.span, into: &request, consumed: &consumed)
            buffer.removeFirst(consumed)
            if limits == nil { taken += request.takeContent() }
            switch event {
            case .needsMore: return
            case .head:
                if let limits { try parser.permitContent(upTo: limits.content) } else { parser.permitAnyContent() }
            case .complete:
                var message = Message(request, parser.control)
                message.content += taken
                taken = []
                messages.append(message)
            }
        }
    }
}

extension Collection where Index == Int {
    /// Pieces of `size`, and what is left.
    func pieces(of size: Int) -> [SubSequence] {
        stride(from: startIndex, to: endIndex, by: size).map { self[$0..<Swift.min($0 + size, endIndex)] }
    }
}

/// Reads requests out of a stream of octets (RFC 9112), as they come.
///
/// The octets of a head stay with the caller until the head is complete; those of a content are taken at once. Each octet
/// is looked at once, however the stream is cut.
package struct RequestParser: Sendable {
    private enum Stage {
        case requestLine
        case fields
        case content(remaining: Int)
        case chunks(ChunkedDecoder)
    }

    package enum Event: Sendable, Equatable {
        /// The rest has to come first.
        case needsMore
        /// The head is there and content will follow. Say what is allowed (`permitContent`), then go on.
        case head
        case complete
    }

    private let limits: Limits
    private var stage = Stage.requestLine
    private var requestLine = RequestLineScanner()
    private var fieldLine = FieldLineScanner()
    /// How far the head has been scanned, and where its field section begins.
    private var cursor = 0
    private var sectionStart = 0
    private var contentLimit = 0

    /// What the head said to the connection; valid from `.head` or `.complete` on.
    package private(set) var control = ControlData()
    /// Whether a request has begun and is not complete.
    package private(set) var isInside = false

    package init(limits: Limits) {
        self.limits = limits
    }

    /// Goes on with `octets`, of which the first `consumed` are then done with; the others have to be there again the next
    /// time, with more behind them.
    ///
    /// - Throws: what is wrong with the message. There is no going on after that.
    package mutating func parse(
        _ octets: Span<UInt8>, into request: inout Request, consumed: inout Int
    ) throws(ProtocolError) -> Event {
        consumed = 0
        switch stage {
        case .requestLine:
            guard !octets.isEmpty else { return .needsMore }
            if !isInside {
                isInside = true
                request.removeAll()
            }
            return try parseHead(octets, into: &request, consumed: &consumed)
        case .fields:
            return try parseHead(octets, into: &request, consumed: &consumed)
        case .content(let remaining):
            consumed = min(remaining, octets.count)
            request.content.append(octets.extracting(0..<consumed))
            stage = .content(remaining: remaining - consumed)
            return consumed == remaining ? finish() : .needsMore
        case .chunks(var decoder):
            let isComplete = try decoder.decode(
                octets, from: &consumed, into: &request.content, contentLimit: contentLimit, limits: limits)
            stage = .chunks(decoder)
            return isComplete ? finish() : .needsMore
        }
    }

    /// The answer to `.head`: how much content this request may carry.
    ///
    /// - Throws: 413 when the head announces more.
    package mutating func permitContent(upTo limit: Int) throws(ProtocolError) {
        contentLimit = limit
        if case .content(let length) = stage, length > limit { throw .contentTooLarge(limit: limit) }
    }

    /// The answer to `.head` where the caller takes the content out of the request after each step: it may have any length.
    package mutating func permitAnyContent() {
        // What the size of a chunk is held to; sixteen times as much is still a number.
        contentLimit = 1 << 58
    }

    private mutating func parseHead(
        _ octets: Span<UInt8>, into request: inout Request, consumed: inout Int
    ) throws(ProtocolError) -> Event {
        let end = min(octets.count, limits.head)
        if case .requestLine = stage,
            try requestLine.scan(octets, from: &cursor, to: end, limits: limits)
        {
            stage = .fields
            sectionStart = cursor
        }
        if case .fields = stage, try scanFields(octets, to: end, into: &request) {
            try complete(octets, into: &request)
            consumed = cursor
            cursor = 0
            return beginContent()
        }
        guard cursor < limits.head else {
            throw ProtocolError(.fieldsTooLarge, "The head of the request has too many octets", limit: limits.head)
        }
        return .needsMore
    }

    private mutating func scanFields(
        _ octets: Span<UInt8>, to end: Int, into request: inout Request
    ) throws(ProtocolError) -> Bool {
        while true {
            switch try fieldLine.scan(octets, from: &cursor, to: end) {
            case .nothing: return false
            case .sectionEnd: return true
            case .line:
                guard request.fields.lines.count < limits.fieldLines else {
                    throw ProtocolError(
                        .fieldsTooLarge, "The head of the request has too many field lines", limit: limits.fieldLines)
                }
                request.fields.note(
                    name: fieldLine.name, first: octets[fieldLine.name.lowerBound],
                    value: octets.trimmed(fieldLine.value), from: sectionStart)
            }
        }
    }

    private mutating func complete(_ octets: Span<UInt8>, into request: inout Request) throws(ProtocolError) {
        request.version = requestLine.version
        request.method = Method(octets.extracting(requestLine.method))
        request.fields.take(octets.extracting(sectionStart..<cursor - 2))
        try request.target.read(
            octets.extracting(requestLine.target), isPlain: requestLine.hasPlainTarget, for: request.method)
        control = try ControlData(request.fields, version: request.version)
    }

    private mutating func beginContent() -> Event {
        requestLine = RequestLineScanner()
        fieldLine = FieldLineScanner()
        contentLimit = limits.content
        switch control.framing {
        case .none: return finish()
        case .length(let length): stage = .content(remaining: length)
        case .chunked: stage = .chunks(ChunkedDecoder())
        }
        return .head
    }

    private mutating func finish() -> Event {
        stage = .requestLine
        isInside = false
        return .complete
    }
}

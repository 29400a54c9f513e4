import Foundation
import HTTP1
import HTTPTransport
import Locking
import Testing

/// Takes every content in pieces; says the path of what has none.
private struct PiecesHandler: RequestHandler {
    let respond: @Sendable (any ContentReader) -> Answer

    init(_ respond: @escaping @Sendable (any ContentReader) -> Answer) { self.respond = respond }

    func delivery(for head: Request) -> ContentDelivery { .pieces { respond($1) } }
    func answer(_ request: Request) -> Answer { .now(.text("whole \(request.target.pathString ?? "")")) }
    func answer(_ error: ProtocolError) -> Response { .text("\(error.reason)", error.status) }
}

/// Sends each piece back while the next may come, and says why it ends if it ends early.
private let mirror = PiecesHandler { content in
    .later {
        do {
            let first = try await content.read()
            return Response(
                .ok,
                content: .stream { writer in
                    do {
                        var piece = first
                        while let octets = piece {
                            try await writer.write(octets)
                            piece = try await content.read()
                        }
                    } catch { try await writer.write(Array("!\(words(error))".utf8)) }
                })
        } catch { return .text(words(error), (error as? ProtocolError)?.status ?? .serviceUnavailable) }
    }
}

/// Reads all, then says how much it was.
private let counter = PiecesHandler { content in
    .later {
        do {
            var count = 0
            while let piece = try await content.read() { count += piece.count }
            return .text("\(count)")
        } catch { return .text(words(error), (error as? ProtocolError)?.status ?? .serviceUnavailable) }
    }
}

private func words(_ error: any Error) -> String { (error as? ProtocolError)?.reason.description ?? "\(error)" }

private let post = "POST /in HTTP/1.1\r\nHost: a\r\n"
private let next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

struct IntakeTests {
    @Test func aPieceIsThereBeforeTheNextIsSent() async throws {
        try await withServer(mirror) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            #expect(try client.readHead().contains(" 200 "))
            #expect(try client.readChunk() == Array("one".utf8))
            try client.send("3\r\ntwo\r\n")
            #expect(try client.readChunk() == Array("two".utf8))
            try client.send("0\r\n\r\n" + next)
            #expect(try client.readChunk() == [])
            #expect(try client.response().text == "whole /next")
        }
    }

    @Test(arguments: [
        "Content-Length: 12\r\n\r\nhello, world",
        "Transfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n007\r\n, world\r\n000\r\nX: y\r\n\r\n",
    ])
    func contentIsTheSameHoweverItIsCutAndTheNextRequestFollows(message: String) async throws {
        try await withServer(mirror) { _, address in
            let octets = Array((post + message + next + post + message).utf8)
            for cut in 1..<octets.count {
                let client = try RawClient(address)
                try client.send(Array(octets[..<cut]))
                try client.send(Array(octets[cut...]))
                #expect(try client.response().text == "hello, world")
                #expect(try client.response().text == "whole /next")
                #expect(try client.response().text == "hello, world")
            }
            let client = try RawClient(address)
            for octet in octets { try client.send([octet]) }
            #expect(try client.response().text == "hello, world")
            #expect(try client.response().text == "whole /next")
            #expect(try client.response().text == "hello, world")
        }
    }

    @Test func contentOfLengthZeroIsNoContent() async throws {
        try await withServer(mirror) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 0\r\n\r\n" + next)
            #expect(try client.response().text == "whole /in")
            #expect(try client.response().text == "whole /next")
        }
    }

    @Test func contentMayBeLongerThanAnyLimit() async throws {
        try await withServer(counter) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 8000000\r\n\r\n")
            try client.send([UInt8](repeating: 120, count: 8_000_000))
            #expect(try client.response().text == "8000000")
            try client.send(next)
            #expect(try client.response().text == "whole /next")
        }
    }

    @Test func aHandlerMayReadOnAnotherExecutor() async throws {
        let elsewhere = PiecesHandler { content in
            .later {
                await withTaskExecutorPreference(globalConcurrentExecutor) {
                    var count = 0
                    while let piece = try? await content.read() { count += piece.count }
                    return .text("\(count)")
                }
            }
        }
        try await withServer(elsewhere) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 500000\r\n\r\n" + String(repeating: "x", count: 500_000))
            #expect(try client.response().text == "500000")
        }
    }

    // MARK: Over TLS

    private static let secure = configured { $0.tls = TestCertificate.first.files }
    private static let trusting = ClientTLS.Options(trusted: .first)

    @Test func aPieceIsThereBeforeTheNextRecordIsSent() async throws {
        try await withServer(mirror, Self.secure) { _, address in
            let client = try RawClient(address, tls: Self.trusting)
            try client.send(post + "Transfer-Encoding: chunked\r\n\r\n")
            for round in 0..<100 {
                let size = 1 + round * 200
                try client.send(
                    String(size, radix: 16) + "\r\n" + String(repeating: "x", count: size - 1))
                try client.send("y\r\n")
                if round == 0 { #expect(try client.readHead().contains(" 200 ")) }
                var piece = try client.readChunk()
                while piece.last != UInt8(ascii: "y") { piece += try client.readChunk() }
                #expect(piece.count == size)
            }
            try client.send("0\r\n\r\n" + next)
            #expect(try client.readChunk() == [])
            #expect(try client.response().text == "whole /next")
        }
    }

    @Test func contentOverTLSMayBeLongerThanAnyRecord() async throws {
        try await withServer(counter, Self.secure) { _, address in
            let client = try RawClient(address, tls: Self.trusting)
            try client.send(post + "Content-Length: 3000000\r\n\r\n")
            try client.send([UInt8](repeating: 120, count: 3_000_000))
            #expect(try client.response().text == "3000000")
            try client.send(next)
            #expect(try client.response().text == "whole /next")
        }
    }

    // MARK: Who may go on

    @Test func aClientThatAsksIsToldToGoOnWhenTheHandlerReads() async throws {
        let gate = Gate()
        let handler = PiecesHandler { content in
            .later {
                await gate.wait()
                return .text(((try? await content.read()).map { String(decoding: $0, as: UTF8.self) }) ?? "nothing")
            }
        }
        try await withServer(handler) { server, address in
            let client = try RawClient(address)
            try client.send(post + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(soon { server.counters.requests == 1 })
            gate.open()
            #expect(try client.response().status == 100)
            try client.send("ok" + next)
            #expect(try client.response().text == "ok")
            #expect(try client.response().text == "whole /next")
        }
    }

    @Test func whoIsRefusedIsNotToldToGoOn() async throws {
        try await withServer(PiecesHandler { _ in .now(.text("no", .forbidden)) }) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Expect: 100-continue\r\nContent-Length: 1000000000\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 403)
            #expect(response.closes)
            #expect(try client.isEnded())
        }
    }

    @Test func whoIsRefusedAndGoesOnSendingStillReadsWhy() async throws {
        try await withServer(PiecesHandler { _ in .now(.text("no", .forbidden)) }) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 4000000\r\n\r\n")
            try client.send([UInt8](repeating: 32, count: 4_000_000))
            #expect(try client.response().status == 403)
            #expect(try client.isEnded())
        }
    }

    /// What is left of the content is never taken for a request.
    @Test(arguments: [true, false])
    func aHandlerThatStopsReadingEndsTheConnection(streams: Bool) async throws {
        let handler = PiecesHandler { content in
            .later {
                _ = try? await content.read()
                return streams ? Response(.ok, content: .stream { try await $0.write([120]) }) : .text("x")
            }
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 500\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try client.response()
            #expect(response.text == "x")
            #expect(response.closes || streams)
            #expect(try client.isEnded())
        }
    }

    // MARK: What slows a peer down

    @Test func nothingIsReadWhileTheHandlerIsBusy() async throws {
        let gate = Gate()
        let sent = Mutex(0)
        let handler = PiecesHandler { content in
            .later {
                await gate.wait()
                var count = 0
                while let piece = try? await content.read() { count += piece.count }
                return .text("\(count)")
            }
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            let size = 64 << 20
            try client.send(post + "Content-Length: \(size)\r\n\r\n")
            let sender = Sender(client, size) { count in sent.withLock { $0 = count } }
            // The kernel takes what it likes; what it takes no more of stays where it is.
            var before = -1
            #expect(
                soon {
                    defer { before = sent.withLock { $0 } }
                    usleep(100_000)
                    return before == sent.withLock { $0 }
                })
            #expect(before < size / 2)
            gate.open()
            #expect(try client.response().text == "\(size)")
            sender.join()
        }
    }

    // MARK: What ends a content early

    @Test func aPeerThatEndsHalfwayIsToldSo() async throws {
        try await withServer(mirror) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 10\r\n\r\nhello")
            _ = try client.readHead()
            #expect(try client.readChunk() == Array("hello".utf8))
            client.endOutput()
            #expect(try String(decoding: client.readChunk(), as: UTF8.self).hasPrefix("!The request ends before"))
            #expect(try client.readChunk() == [])
            #expect(try client.isEnded())
        }
    }

    @Test func aPeerThatVanishesEndsTheRead() async throws {
        let failure = Mutex<(any Error)?>(nil)
        let handler = PiecesHandler { content in
            .later {
                do { while try await content.read() != nil {} } catch { failure.withLock { $0 = error } }
                return .text("nobody reads this")
            }
        }
        try await withServer(handler) { server, address in
            var client: RawClient? = try RawClient(address)
            client?.resetOnClose()
            try client?.send(post + "Content-Length: 10\r\n\r\nhello")
            #expect(soon { server.counters.requests == 1 })
            client = nil
            #expect(soon { failure.withLock { $0 as? StreamError } == .peerGone })
        }
    }

    @Test func malformedChunksAreSaid() async throws {
        try await withServer(counter) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nonetwo")
            let response = try client.response()
            #expect(response.status == 400)
            #expect(response.closes)
            #expect(try client.isEnded())
        }
    }

    @Test func contentThatDoesNotComeEndsTheRead() async throws {
        try await withServer(counter, configured { $0.timeouts.content = .milliseconds(100) }) { _, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 10\r\n\r\nhello")
            let response = try client.response()
            #expect(response.status == 408)
            #expect(try client.isEnded())
        }
    }

    /// Each octet is answered before the next is sent: none is waited for long, and all of them are. Another's requests in
    /// between give the loop its chance to look.
    @Test func contentThatDripsEndsTheRead() async throws {
        let configuration = configured {
            $0.eventLoops = 1
            $0.timeouts.content = .milliseconds(100)
            $0.timeouts.contentRate = 1_000_000_000
        }
        try await withServer(mirror, configuration) { _, address in
            let (client, other) = (try RawClient(address), try RawClient(address))
            let whole = 20_000
            try client.send(post + "Content-Length: \(whole)\r\n\r\n.")
            _ = try client.readHead()
            var sent = 1
            var piece = try client.readChunk()
            while piece == [UInt8(ascii: ".")], sent < whole {
                try other.get("/between")
                _ = try other.response()
                try client.send(".")
                sent += 1
                piece = try client.readChunk()
            }
            #expect(String(decoding: piece, as: UTF8.self) == "!The request did not arrive in time")
        }
    }

    @Test func aDrainEndsTheReadAndTheAnswerIsFinished() async throws {
        try await withServer(mirror, configured { $0.timeouts.linger = .milliseconds(50) }) { server, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 10\r\n\r\nhello")
            _ = try client.readHead()
            #expect(try client.readChunk() == Array("hello".utf8))
            server.beginDrain()
            #expect(try client.readChunk() == Array("!draining".utf8))
            #expect(try client.readChunk() == [])
            #expect(try client.isEnded())
            #expect(await server.ended() == 0)
        }
    }

    @Test func aDrainLeavesWhatHasComeAsAWhole() async throws {
        let gate = Gate()
        let handler = PiecesHandler { content in
            .later {
                var count = 0
                while let piece = try? await content.read() { count += piece.count }
                await gate.wait()
                return .text("\(count)")
            }
        }
        try await withServer(handler, configured { $0.timeouts.linger = .milliseconds(50) }) { server, address in
            let client = try RawClient(address)
            try client.send(post + "Content-Length: 5\r\n\r\nhello")
            #expect(soon { server.counters.requests == 1 })
            server.beginDrain()
            #expect(stopsListening(address))
            gate.open()
            #expect(try client.response().text == "5")
            #expect(await server.ended() == 0)
        }
    }

    @Test func anOldClientSendsItsContentToo() async throws {
        try await withServer(mirror) { _, address in
            let client = try RawClient(address)
            try client.send("POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readHead().contains("\r\nConnection: close\r\n"))
            #expect(try client.readToEnd() == Array("hello".utf8))
        }
    }
}

/// Sends from a thread of its own, as much as the peer takes.
private final class Sender: @unchecked Sendable {
    // @unchecked: the client's sending half is this thread's until it has ended.
    private let done = DispatchSemaphore(value: 0)

    init(_ client: RawClient, _ size: Int, progress: @escaping @Sendable (Int) -> Void) {
        nonisolated(unsafe) let client = client
        Thread.detachNewThread { [done] in
            let piece = [UInt8](repeating: 120, count: 1 << 20)
            for count in stride(from: piece.count, through: size, by: piece.count) {
                guard (try? client.send(piece)) != nil else { break }
                progress(count)
            }
            done.signal()
        }
    }

    func join() { done.wait() }
}

import HTTP1
import HTTPTransport
import Synchronization
import Testing

private func streaming(_ body: @escaping @Sendable (any ContentWriter) async throws -> Void) -> ClosureHandler {
    ClosureHandler { _ in .now(Response(.ok, content: .stream(body))) }
}

final class Count: Sendable {
    let value = Atomic<Int>(0)
    func add() { value.wrappingAdd(1, ordering: .relaxed) }
    var now: Int { value.load(ordering: .relaxed) }
}

struct StreamTests {
    @Test func piecesArriveAsChunksWhenTheyAreWritten() async throws {
        let gate = Gate()
        let handler = streaming { writer in
            try await writer.write(Array("one".utf8))
            await gate.wait()
            try await writer.write(Array("two".utf8))
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(try client.readHead().contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(try client.readChunk() == Array("one".utf8))
            gate.open()
            #expect(try client.readChunk() == Array("two".utf8))
            #expect(try client.readChunk() == [])
            try client.get("/")
            #expect(try client.response().text == "onetwo")
        }
    }

    @Test func aStreamToHTTP10EndsWithTheConnection() async throws {
        try await withServer(streaming { try await $0.write(Array("all".utf8)) }) { _, address in
            let client = try RawClient(address)
            try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try client.readHead().contains("\r\nConnection: close\r\n"))
            #expect(try client.readToEnd() == Array("all".utf8))
        }
    }

    @Test func aWriterWaitsForAPeerThatDoesNotRead() async throws {
        let written = Count()
        let handler = streaming { writer in
            for _ in 0..<400 {
                try await writer.write([UInt8](repeating: 120, count: 32 * 1024))
                written.add()
            }
        }
        try await withServer(handler, configured { $0.outputBudget = 64 * 1024 }) { _, address in
            let client = try RawClient(address, receiveBuffer: 4096)
            try client.get("/")
            _ = try client.readHead()
            var before = -1
            #expect(
                soon {
                    defer { before = written.now }
                    return written.now > 0 && written.now == before
                })
            #expect(written.now < 100, "what waits is bounded")
            var total = 0
            while true {
                let count = try client.readChunk().count
                if count == 0 { break }
                total += count
            }
            #expect(total == 400 * 32 * 1024)
        }
    }

    @Test func aStreamIsCancelledWhenItsPeerGoes() async throws {
        let ended = Count()
        let handler = streaming { writer in
            defer { ended.add() }
            while true {
                try await writer.write([1])
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        try await withServer(handler) { _, address in
            do {
                let client = try RawClient(address)
                client.resetOnClose()
                try client.get("/")
                _ = try client.readHead()
            }
            #expect(soon { ended.now == 1 })
        }
    }

    @Test func aWriterThatWaitsIsWokenWhenItsPeerGoes() async throws {
        let ended = Count()
        let handler = streaming { writer in
            defer { ended.add() }
            while true { try await writer.write([UInt8](repeating: 0, count: 65536)) }
        }
        try await withServer(handler) { _, address in
            do {
                let client = try RawClient(address, receiveBuffer: 4096)
                client.resetOnClose()
                try client.get("/")
                _ = try client.readHead()
            }
            #expect(soon { ended.now == 1 })
        }
    }

    @Test func aStreamThatFailsIsNotTakenForAWholeOne() async throws {
        struct Broken: Error {}
        let handler = streaming { writer in
            try await writer.write([1])
            throw Broken()
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(!(try client.readToEnd()).suffix(5).elementsEqual(Array("0\r\n\r\n".utf8)))
        }
    }

    @Test func aStreamMayWriteFromAnotherExecutor() async throws {
        actor Elsewhere {
            func write(_ writer: any ContentWriter) async throws { try await writer.write(Array("here".utf8)) }
        }
        try await withServer(streaming { try await Elsewhere().write($0) }) { _, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(try client.response().text == "here")
        }
    }

    @Test func aStreamThatWasWorkedOutFirstIsCancelledToo() async throws {
        let ended = Count()
        let response = Response(
            .ok,
            content: .stream { writer in
                defer { ended.add() }
                try await writer.write([1])
                try await Task.sleep(for: .seconds(30))
            })
        try await withServer(ClosureHandler { _ in .later { response } }) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            _ = try client.readHead()
            server.beginDrain()
            #expect(soon { ended.now == 1 })
        }
    }
}

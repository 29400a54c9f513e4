import Glibc

/// What libFuzzer calls with each input. `PEGBOARD_FUZZ` says for which of the targets.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let target: @Sendable ([UInt8]) -> Void = {
    let name = getenv("PEGBOARD_FUZZ").map { String(cString: $0) }
    switch name {
    case "request": return RequestFuzz.run
    case "json": return JSONFuzz.run
    case "token": return TokenFuzz().run
    case "catalog": return CatalogFuzz.run
    default: fatalError("PEGBOARD_FUZZ is request, json, token or catalog")
    }
}()

/// Ends the run, with the input kept, where something that has to hold does not.
func check(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}

/// A number that follows from the input: what a target does at random it does again the next time (FNV-1a).
func number(from octets: [UInt8]) -> UInt64 {
    octets.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}

import HTTP1
import Testing

struct FieldsTests {
    @Test func namesAreFoundWhateverTheirCase() {
        var fields = Fields()
        fields.append(name: "Vary", value: "Accept")
        fields.append(name: "VARY", value: "Origin")
        #expect(fields.first("vary") == "Accept")
        #expect(fields.values(of: "vArY") == ["Accept", "Origin"])
        #expect(fields.contains("Vary"))
        #expect(!fields.contains("Var"))
        #expect(fields.first("V\u{61}r_") == nil)
    }

    @Test func linesStandAsOnTheWire() {
        var fields = Fields()
        fields.append(name: "ETag", value: "\"7\"")
        fields.append(name: "X", octets: [UInt8(ascii: "1")].span)
        #expect(String(decoding: fields.octets, as: UTF8.self) == "ETag: \"7\"\r\nX: 1\r\n")
    }

    @Test func aSectionIsAddedAsItIs() {
        var fields = Fields()
        fields.append(name: "ETag", value: "\"7\"")
        var shared = Fields()
        shared.append(name: "Vary", value: "Origin")
        shared.append(name: "X", value: "")
        fields.append(contentsOf: shared)
        fields.append(name: "Age", value: "0")
        let text = "ETag: \"7\"\r\nVary: Origin\r\nX: \r\nAge: 0\r\n"
        #expect(String(decoding: fields.octets, as: UTF8.self) == text)
        #expect(fields.first("Vary") == "Origin")
        #expect(fields.first("X") == "")
        #expect(fields.first("Age") == "0")
    }

    @Test(arguments: [
        ("a\r\nSet-Cookie: b", "a  Set-Cookie: b"), ("a\0b", "a b"), (" a ", "a"), ("", ""), ("é", "é"), ("\r\n", ""),
    ])
    func aValueNeverEndsItsOwnLine(value: String, kept: String) {
        var fields = Fields()
        fields.append(name: "X", value: value)
        #expect(fields.first("X") == kept)
        #expect(fields.octets.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    }

    @Test(arguments: [
        (["a, b"], ["a", "b"]), ([",, a ,", "\tb"], ["a", "b"]), (["\"a,b\", c"], ["\"a,b\"", "c"]),
        (["W/\"1\",\"2\""], ["W/\"1\"", "\"2\""]), (["\"a\\\",b\" , c"], ["\"a\\\",b\"", "c"]), ([""], []),
        (["\"open, a"], ["\"open, a"]),
    ])
    func listsAreTakenApartOutsideQuotes(values: [String], elements: [String]) {
        var fields = Fields()
        for value in values { fields.append(name: "L", value: value) }
        #expect(fields.elements(of: "l").map { String(decoding: $0, as: UTF8.self) } == elements)
    }

    @Test func tokensOfAListAreFoundWhateverTheirCase() {
        var fields = Fields()
        fields.append(name: "Connection", value: "x, Close")
        #expect(fields.contains("connection", token: "close"))
        #expect(!fields.contains("connection", token: "clos"))
    }
}

import LayoutTesting
import Testing

@testable import LayoutModel

@Suite struct FunctionTableTests {
    @Test(arguments: [0, 1, 2, 3, 7, 8, 9, 100, 1_000])
    func everyFunctionIsFoundAtItsPlaceAndNothingElse(count: Int) {
        let ids = (0..<count).map { FunctionID("function-\($0)")! }
        let table = FunctionTable(ids)
        for (place, id) in ids.enumerated() { #expect(table[id] == place) }
        for number in count..<count + 1_000 { #expect(table[FunctionID("function-\(number)")!] == nil) }
    }

    @Test func aListHoldsWhatStandsInItAndTheCatalogKnows() {
        let names = (0..<200).map { "f\($0)" }
        let catalog = Catalog.make(names.joined(separator: " "))
        let list = ids(names.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element).joined(separator: " "))
        let members = Membership(of: list + ids("unknown"), in: catalog)
        for name in names { #expect(members.contains(FunctionID(name)!) == list.contains(FunctionID(name)!)) }
        #expect(!members.contains("unknown"))
    }
}

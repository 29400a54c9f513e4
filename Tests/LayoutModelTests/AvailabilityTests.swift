import LayoutModel
import LayoutTesting
import Testing

/// For whom a function is there: platforms, app versions, roll-out.
@Suite struct AvailabilityTests {
    private func sees(_ client: Client, _ change: (inout CatalogDraft.Function) -> Void) -> Bool {
        let catalog = Catalog.make("a") { change(&$0["a"]) }
        let layout = Layout(healing: ["a"], catalog: catalog, client: client)
        #expect(layout.favorites == ReferenceModel(catalog, for: client).heal(["a"]))
        return layout.contains("a")
    }

    @Test func aPlatformThatIsNotNamedDoesNotHaveIt() {
        #expect(sees(.make(platform: "ios")) { $0.platforms = ["ios", "web"] })
        #expect(!sees(.make(platform: "android")) { $0.platforms = ["ios", "web"] })
        #expect(!sees(.make(platform: "IOS")) { $0.platforms = ["ios"] })
    }

    @Test func whoDoesNotNameTheirPlatformOrVersionSeesIt() {
        #expect(sees(.make()) { $0.platforms = ["ios"] })
        #expect(sees(.make(version: "1")) { $0.minimumVersion = ["ios": "10.2"] })
        #expect(sees(.make(platform: "ios")) { $0.minimumVersion = ["ios": "10.2"] })
    }

    @Test(
        "the bounds count, number by number, and for their platform alone",
        arguments: [
            ("10.2", true), ("10.10", true), ("10.2.0", true), ("10.20.0", true), ("10.20.1", false), ("10.21", false),
            ("10.1.9", false), ("10", false), ("9.99", false), ("11", false), ("010.02", true),
        ])
    func versions(version: String, isThere: Bool) {
        let bounds = { (function: inout CatalogDraft.Function) in
            function.minimumVersion = ["ios": "10.2"]
            function.maximumVersion = ["ios": "10.20"]
        }
        #expect(sees(.make(platform: "ios", version: version), bounds) == isThere)
        #expect(sees(.make(platform: "android", version: version), bounds))
    }

    @Test func theSameListIsHealedForEachClientAlone() {
        let catalog = Catalog.make("a b c") { $0["b"].platforms = ["ios"] }
        let lists = ["ios", "android"].map { platform in
            Layout(healing: ids("a b c"), catalog: catalog, client: .make(platform: platform)).favorites
        }
        #expect(lists == [ids("a b c"), ids("a c")])
    }

    // MARK: Roll-out

    /// Made once by another program; they must never change, or users would lose what they have.
    @Test(
        "the place in a roll-out is the same for ever",
        arguments: [
            ("scan", "u1", 71),
            ("scan", "u2", 32),
            ("transfer", "u1", 96),
            ("metro", "42", 27),
            ("a", "b", 11),
            ("scan", "zo\u{EB}", 26),
            ("scan", "zoe\u{308}", 25),
            ("A", "u1", 25),
            ("a", "u1", 68),
            (FunctionID(String(repeating: "x", count: 64))!, String(repeating: "y", count: 128), 33),
        ] as [(FunctionID, String, Int)])
    func golden(function: FunctionID, user: String, place: Int) {
        #expect(Availability.bucket(of: function, for: UserID(user)!) == place)
        let client = Client.make(user)
        #expect(!sees(client, function) { $0.rollout = place })
        #expect(sees(client, function) { $0.rollout = place + 1 })
    }

    private func sees(_ client: Client, _ id: FunctionID, _ change: (inout CatalogDraft.Function) -> Void) -> Bool {
        let catalog = Catalog.make(id.text) { change(&$0[id.text]) }
        return Layout(healing: [id], catalog: catalog, client: client).contains(id)
    }

    @Test func nobodyIsInARollOutOfNoneAndEverybodyInOneOfAll() {
        for user in 0..<1_000 {
            #expect(!sees(.make("u\(user)")) { $0.rollout = 0 })
            #expect(sees(.make("u\(user)")) { $0.rollout = 100 })
        }
    }

    /// 20 000 users in 100 places: 200 each, with a standard deviation of about 14.
    @Test(arguments: ["scan", "transfer", "a"] as [FunctionID])
    func thePlacesAreEvenlySpread(function: FunctionID) {
        var counts = Array(repeating: 0, count: 100)
        for user in 0..<20_000 { counts[Availability.bucket(of: function, for: UserID("user-\(user)")!)] += 1 }
        #expect(counts.allSatisfy { (130...270).contains($0) })
    }

    /// A quarter of those in the first half of one roll-out would be in the first half of two others by chance.
    @Test func theRollOutsAreNotTiedToEachOther() {
        let inAll = (0..<20_000).filter { user in
            ids("scan transfer metro").allSatisfy { Availability.bucket(of: $0, for: UserID("user-\(user)")!) < 50 }
        }
        #expect((2_200...2_800).contains(inAll.count))
    }

    // MARK: Versions

    @Test(
        "a version is one to six numbers with dots",
        arguments: [
            ("1", true), ("1.2.3.4.5.6", true), ("999999999", true), ("0", true), ("1.2.3.4.5.6.7", false),
            ("1000000000", false), ("", false), (".", false), ("1.", false), (".1", false), ("1..2", false),
            ("1.a", false),
            ("-1", false), ("+1", false), (" 1", false), ("1 ", false), ("1.2-beta", false), ("١", false),
            ("v1", false),
        ])
    func version(text: String, isOne: Bool) {
        #expect((AppVersion(text) != nil) == isOne)
    }

    @Test func versionsAreOrderedNumberByNumber() throws {
        let ascending = try ["0", "1", "1.0.1", "1.9", "1.10", "2", "9.99", "10", "10.9", "10.10", "999999999"]
            .map { try #require(AppVersion($0)) }
        for (place, one) in ascending.enumerated() {
            for (other, two) in ascending.enumerated() {
                #expect((one < two) == (place < other))
                #expect((one == two) == (place == other))
            }
        }
        #expect(AppVersion("10") == AppVersion("10.0.0"))
    }
}

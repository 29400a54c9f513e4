import HTTP1
import LayoutAPI
import Testing

@Suite struct FavoritesTests {
    private let path = "/v1/users/u1/layout/favorites"

    @Test func puttingAFavoriteInCreatesItOnce() async throws {
        let service = try await TestService("a b")
        let created = try await service.send(.put, "\(path)/c")
        #expect(created.status == 201)
        #expect(created.favorites == "a b c")
        #expect(created.changed == true)
        #expect(created.tag == #""2""#)
        let again = try await service.send(.put, "\(path)/c")
        #expect(again.status == 200)
        #expect(again.changed == false)
        #expect(again.tag == #""2""#)
    }

    @Test func onlyAnAdditionIsACreation() async throws {
        let service = try await TestService("a b c")
        let moved = try await service.send(.put, "\(path)/a", [:], #"{"at":{"edge":"last"}}"#)
        #expect(moved.status == 200)
        #expect(moved.favorites == "b c a")
        #expect(moved.changed == true)
        let placed = try await service.send(.put, "\(path)/d", [:], #"{"at":{"before":"c"}}"#)
        #expect(placed.status == 201)
        #expect(placed.favorites == "b d c a")
        #expect(try await service.send(.put, "\(path)/e", [:], "{}").status == 201)
        #expect(try await service.send(.put, "\(path)/f?validateOnly").status == 201)
        #expect(try await service.layout().version == 4)
    }

    @Test func takingAFavoriteOutIsDoneOnce() async throws {
        let service = try await TestService("a b")
        let removed = try await service.send(.delete, "\(path)/a")
        #expect(removed.status == 200)
        #expect(removed.favorites == "b")
        #expect(removed.outcomes == ["applied"])
        let again = try await service.send(.delete, "\(path)/a")
        #expect(again.status == 200)
        #expect(again.changed == false)
        #expect(again.version == 2)
    }

    @Test(arguments: ["", "%20", "a%2Fb", "%FF", String(repeating: "a", count: 65), "%C3%A9"])
    func whatIsNoFunctionIsRefused(id: String) async throws {
        let service = try await TestService("a b")
        for reply in [
            try await service.send(.put, "\(path)/\(id)"), try await service.send(.delete, "\(path)/\(id)"),
            try await service.get("\(path)/\(id)/targets"),
        ] {
            #expect(reply.status == 400)
            #expect(reply.code == "invalid_function")
        }
    }

    @Test(arguments: [
        (#"{"at":null}"#, "invalid_at", "/at"), (#"{"index":1}"#, "unknown_field", "/index"),
        (#"{"at":{"index":-1}}"#, "invalid_index", "/at/index"),
        (#"{"at":{"before":"c"}}"#, "anchor_is_self", "/at/before"), ("[]", "invalid_value", ""),
        (" ", "invalid_json", ""),
    ])
    func contentIsReadStrictly(content: String, code: String, pointer: String) async throws {
        let service = try await TestService("a b")
        let reply = try await service.send(.put, "\(path)/c", [:], content)
        #expect(reply.status == 400)
        #expect(reply.code == code)
        #expect(reply.json["pointer"]?.text == pointer)
    }

    // MARK: Targets

    @Test(arguments: [
        ("a b P c d", "a", "", #"{"canMove":true,"slots":[0,1,3,4]}"#),
        ("a b P c d", "a", "?proposed=4", #"{"canMove":true,"slots":[0,1,3,4],"corrected":4}"#),
        ("a b P c d", "a", "?proposed=2", #"{"canMove":true,"slots":[0,1,3,4],"corrected":1}"#),
        ("a b P c d", "a", "?proposed=1000000", #"{"canMove":true,"slots":[0,1,3,4],"corrected":4}"#),
        (
            "a b P c d", "P", "?proposed=0",
            #"{"canMove":false,"refusal":{"code":"item_not_movable","title":"P always stays at place 3","params":{"id":"P"}},"slots":[],"corrected":2}"#
        ),
        (
            "a b", "h", "?proposed=0",
            #"{"canMove":false,"refusal":{"code":"not_a_favorite","title":"H is not among your functions","params":{"id":"h"}},"slots":[]}"#
        ),
        (
            "a b", "zz", "",
            #"{"canMove":false,"refusal":{"code":"unknown_function","title":"zz can’t be changed here","params":{"id":"zz"}},"slots":[]}"#
        ),
    ])
    func aDragIsToldWhereItMayGo(list: String, id: String, query: String, answer: String) async throws {
        let service = try await TestService(list, catalog: thirdPinned)
        let reply = try await service.get("\(path)/\(id)/targets\(query)")
        #expect(reply.status == 200)
        #expect(reply.text == answer)
    }

    /// As the page says it.
    @Test func whyNotIsSaidInTheLanguageThatIsAskedFor() async throws {
        let catalog = catalogText(
            "a b P", ["P": #""pin": 2"#], titles: ["P": #"{"en": "Pay", "de": "Bezahlen"}"#])
        let service = try await TestService("a b P", catalog: catalog)
        let german = try await service.get("\(path)/P/targets", ["Accept-Language": "de"])
        #expect(german.json["refusal"]?["title"]?.text == "„Bezahlen“ steht immer an Stelle 3")
        #expect(german.field("Content-Language") == "de")
        #expect(german.field("Vary") == "Accept-Language, Accept-Encoding")
        let page = try await service.get("/v1/users/u1/page", ["Accept-Language": "de"])
        let cell = page.json["sections"]?[0]?["cells"]?[2]
        #expect(cell?["refusal"]?["title"]?.text == german.json["refusal"]?["title"]?.text)
        let english = try await service.get(
            "\(path)/P/targets", ["Accept-Language": "en", "If-None-Match": try #require(german.tag)])
        #expect(english.json["refusal"]?["title"]?.text == "Pay always stays at place 3")
    }

    @Test func whereADragMayGoIsAskedAgainConditionally() async throws {
        let service = try await TestService("a b")
        let tag = try #require(try await service.get("\(path)/a/targets").tag)
        #expect(try await service.get("\(path)/a/targets", ["If-None-Match": tag]).status == 304)
        try await service.lock(true)
        let locked = try await service.get("\(path)/a/targets", ["If-None-Match": tag])
        #expect(locked.json["refusal"]?["code"]?.text == "layout_locked")
    }

    @Test(arguments: ["-1", "+1", "01", "1.0", "", "x", "1000001", "99999999999999999999", "%EF%BC%91"])
    func aProposalIsASlot(value: String) async throws {
        let service = try await TestService("a b")
        #expect(try await service.get("\(path)/a/targets?proposed=\(value)").code == "invalid_parameter")
    }
}

import HTTP1
import LayoutModel
import Testing

@testable import LayoutAPI

@Suite struct TokenTableTests {
    @Test func theTableHasElevenToTakeAndSixtyThreeToRefuse() {
        #expect(TokenTable.rows.count { $0.refusal == nil } == 11)
        #expect(TokenTable.rows.count { $0.refusal != nil } == 63)
        #expect(Set(TokenTable.rows.map(\.name)).count == 74)
    }

    @Test(arguments: TokenTable.rows)
    func eachTokenHasItsOutcome(row: TokenTable.Row) throws {
        let authenticator = try Issuer.shared.authenticator()
        do throws(TokenRefusal) {
            let principal = try authenticator.principal(bearing: Array(row.token.utf8)[...])
            #expect(row.refusal == nil)
            #expect(principal.user?.text == "alice")
            #expect(authenticator.verifiedCount == 1)
        } catch {
            #expect(error == row.refusal)
            #expect(authenticator.verifiedCount == 0)
        }
    }

    @Test func eachTokenHasItsOutcomeOverHTTP() async throws {
        let api = try await TestAPI()
        for row in TokenTable.rows {
            let answer = try await api.answer(.get, "/v1/users/alice/layout", authorization: ["Bearer \(row.token)"])
            if let refusal = row.refusal {
                #expect(answer.status == 401, "\(row.name)")
                #expect(
                    answer.challenge
                        == "Bearer error=\"invalid_token\", error_description=\"\(refusal.sentence)\"", "\(row.name)")
            } else {
                #expect(answer.status == 200, "\(row.name)")
                #expect(answer.challenge == nil, "\(row.name)")
            }
        }
    }

    @Test func everySentenceFitsIntoAChallenge() {
        // RFC 6750 §3: error_description.
        for row in TokenTable.rows {
            for octet in (row.refusal?.sentence ?? "").utf8 {
                #expect((0x20...0x7E).contains(octet) && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\"))
            }
        }
    }
}

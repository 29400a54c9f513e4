import HTTP1
import Testing

/// A request means the same however the network cuts it.
struct CuttingTests {
    @Test func theCorpusIsThere() {
        #expect(Corpus.messages.count + Corpus.hugeMessages.count > 440)
    }

    @Test func aCutAtAnyOctetDoesNotChangeTheRequests() {
        for message in Corpus.messages {
            let whole = Reading([message.octets])
            for cut in 1..<max(message.octets.count, 2) {
                let parted = Reading([message.octets[..<cut], message.octets[cut...]])
                let isSame = parted == whole
                #expect(isSame, "\(message.id) cut at \(cut)")
            }
        }
    }

    /// Where the content is taken away while it comes, it is the same content, and the next request begins in the same place.
    @Test func contentThatIsTakenInPiecesIsTheSame() {
        for message in Corpus.messages {
            let whole = Reading([message.octets])
            if whole.error?.status == .contentTooLarge { continue }
            for cut in 1..<max(message.octets.count, 2) {
                let taken = Reading([message.octets[..<cut], message.octets[cut...]], takingContent: true)
                let isSame = taken == whole
                #expect(isSame, "\(message.id) cut at \(cut)")
            }
        }
    }

    @Test(arguments: 1...40)
    func piecesOfAnySizeDoNotChangeTheRequests(size: Int) {
        for message in Corpus.messages {
            let isSame = Reading(message.octets.pieces(of: size)) == Reading([message.octets])
            #expect(isSame, "\(message.id)")
        }
    }

    @Test(arguments: [1000, 4096, 65536])
    func hugeMessagesAreRefusedAlikeHoweverTheyCome(size: Int) {
        for message in Corpus.hugeMessages {
            let isSame = Reading(message.octets.pieces(of: size)) == Reading([message.octets])
            #expect(isSame, "\(message.id)")
        }
    }
}

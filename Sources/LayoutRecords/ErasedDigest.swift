package import LayoutModel

/// Under what the last version of an erased user is kept: nothing else of them stays, not even their id.
package enum ErasedDigest {
    package static func of(_ user: UserID) -> Int64 {
        RowChecksum.of("erased") { $0.add(user.text) }
    }
}

package import LayoutModel

/// What a restored database counts its versions from.
///
/// A backup does not know the versions that were handed out after it was made, and the database that knew them may be gone;
/// the same backup may be restored twice, with another lost future in between. So the floor is above everything that can
/// still be read, and at least the time of the restore in milliseconds: a user's versions would have to rise by a thousand
/// a second, without a pause since an earlier restore, to reach the floor of a later one. What it assumes is a clock that
/// is not set back beyond an earlier restore, and that is all it assumes.
///
/// Numbers of that size (1.8 · 10¹²) are exact in every JSON reader, which end at 2⁵³.
package enum VersionFloor {
    /// Every floor is a multiple of it: that tells a gap in a history which a restore made from one that damage made.
    package static let step: Version = 1_000
    /// How far it is above everything known, where the clock is no help.
    static let stride: Version = 1_000_000

    /// - Parameter known: the highest version, or floor, that anything tells of.
    package static func after(_ known: Version, at now: Timestamp) -> Version {
        let floor = max(known + stride, min(now, .mostBelievable))
        return (floor + step - 1) / step * step
    }

    /// The same for catalogs, which count from the second: nobody publishes one every second.
    package static func catalogRevision(after known: Int, at now: Timestamp) -> Int {
        max(known + Int(step), Int(min(now, .mostBelievable) / 1_000))
    }
}

extension Version {
    /// Beyond it a version is taken for damage: no number of changes comes near, nor do the floors of restores.
    package static let mostBelievable: Version = 1 << 51
}

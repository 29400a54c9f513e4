package import LayoutModel
package import Locking

/// One layout in memory, and beside it whatever was made of it once and can be given again: a new version is a new entry,
/// so what hangs on an entry can never outlive the layout it was made from.
package final class LayoutEntry: Sendable {
    package let layout: StoredLayout
    /// Owned by the API: the encoded answers. A store only counts its bytes as if it were always there.
    package let rendering = Mutex<(any AnyObject & Sendable)?>(nil)

    package init(_ layout: StoredLayout) { self.layout = layout }
}

package import Foundation

/// UIKit's two indexes of a cell. `IndexPath(item:section:)` is UIKit's, and not there on Linux.
extension IndexPath {
    package static func cell(_ item: Int, inSection section: Int) -> IndexPath { IndexPath(indexes: [section, item]) }

    /// nil where it is no path of two.
    var cell: (section: Int, item: Int)? { count == 2 ? (self[0], self[1]) : nil }
}

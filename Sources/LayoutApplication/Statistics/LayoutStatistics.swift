package import LayoutModel

/// What all layouts have in common under one catalog, and how the favorites moved in the last days.
///
/// It counts the users who have a stored layout, whether or not they follow the defaults again; who never changed anything
/// is not known here. A list is the one that a client sees which says nothing about itself: healed, with the required
/// functions in it, and the defaults for those who follow them.
package struct LayoutStatistics: Sendable, Equatable {
    package let computedAt: Timestamp
    package let catalogRevision: Int
    package internal(set) var users = 0
    package internal(set) var customized = 0
    package internal(set) var locked = 0
    /// One for each function of the catalog, in its order.
    package internal(set) var functions: [OfFunction]

    /// Days of which changes are counted: by UTC, today the last of them.
    package static let days = 30

    package struct OfFunction: Sendable, Equatable {
        package let id: FunctionID
        /// How many users have it at each slot, up to the last slot that anybody has it at.
        package internal(set) var slots: [Int] = []
        /// How many changes put it into a list, or took it out, on each day.
        package internal(set) var added = [Int](repeating: 0, count: LayoutStatistics.days)
        package internal(set) var removed = [Int](repeating: 0, count: LayoutStatistics.days)

        init(_ id: FunctionID) { self.id = id }

        /// How many users have it.
        package var favorites: Int { slots.reduce(0, +) }

        /// nil where nobody has it.
        package var meanSlot: Double? {
            let sum = slots.enumerated().reduce(0) { $0 + $1.offset * $1.element }
            return favorites > 0 ? Double(sum) / Double(favorites) : nil
        }

        /// The lower one of two in the middle; nil where nobody has it.
        package var medianSlot: Int? {
            var before = 0
            let half = (favorites + 1) / 2
            return slots.firstIndex { count in
                before += count
                return before >= half && half > 0
            }
        }
    }

    /// The start of the first of the days and of each that follows.
    package var dayStarts: [Timestamp] {
        (0..<Self.days).map { (Self.firstDay(at: computedAt) + Int64($0)) * Self.day }
    }

    static let day: Int64 = 86_400_000

    /// In days since 1970.
    static func firstDay(at now: Timestamp) -> Int64 { dayNumber(of: now) - Int64(days - 1) }

    static func dayNumber(of time: Timestamp) -> Int64 { time >= 0 ? time / day : (time + 1) / day - 1 }
}

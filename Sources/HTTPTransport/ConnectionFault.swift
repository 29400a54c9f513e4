/// What a fault test plants into connections to see itself fail. Nothing but a debug build can.
///
/// `nonisolated(unsafe)`: each is set once, before the first server is started, and only read from then on.
package enum ConnectionFault {
    #if DEBUG
        /// The descriptor of a connection that was closed is forgotten.
        nonisolated(unsafe) package static var leaksSockets = false
        /// A peer that has said all it will say gets no answer any more.
        nonisolated(unsafe) package static var takesHalfClosedForGone = false
    #else
        package static let leaksSockets = false
        package static let takesHalfClosedForGone = false
    #endif
}

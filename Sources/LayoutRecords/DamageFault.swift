/// What a fault test turns off to see itself fail: that damage is noticed at all. Nothing but a debug build can.
package enum DamageFault {
    #if DEBUG
        // nonisolated(unsafe): set once, before the first store is opened.
        nonisolated(unsafe) package static var isIgnored = false
    #else
        package static let isIgnored = false
    #endif
}

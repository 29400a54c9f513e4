import LayoutApplication

/// What goes on behind everybody's back while the server runs: history and answers that are old enough go, once an hour.
/// Whoever makes it has to stop it.
struct Maintenance: Sendable {
    private let task: Task<Void, Never>

    struct Schedule: Sendable {
        /// After the start, when there is enough to do for a server as it is.
        var first = Duration.seconds(60)
        var interval = Duration.seconds(3_600)
    }

    /// - Parameters:
    ///   - historyAge: how old a revision gets, unless it is the newest of its layout.
    ///   - requestAge: how old the answer to a request gets.
    init(
        of store: any LayoutStore, historyAge: Duration, requestAge: Duration, schedule: Schedule = Schedule(),
        clock: @escaping @Sendable () -> Int64 = Machine.now, log: Log
    ) {
        // Detached, and behind everything that answers somebody; the store has queues of its own.
        task = Task.detached(priority: .background) {
            var pause = schedule.first
            while (try? await Task.sleep(for: pause)) != nil {
                pause = schedule.interval
                let now = clock()
                do {
                    let count = try await store.prune(
                        revisionsBefore: now - Int64(historyAge.milliseconds),
                        requestsBefore: now - Int64(requestAge.milliseconds))
                    log.info("pruned", ["rows": .number(count), "milliseconds": .number(Int(clock() - now))])
                } catch is CancellationError {
                    return
                } catch {
                    // The next hour tries again.
                    log.warning("not pruned", ["error": .text("\(error)")])
                }
            }
        }
    }

    /// Returns once nothing of it is under way.
    func stop() async {
        task.cancel()
        await task.value
    }
}

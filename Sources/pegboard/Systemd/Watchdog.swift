/// Gives the service manager its signs of life: each only after every event loop and the store's writer have taken a turn.
/// One that is stuck silences it, and systemd starts the program anew.
struct Watchdog: Sendable {
    private let task: Task<Void, Never>

    /// - Returns: nil where nobody waits for signs.
    init?(for manager: ServiceManager?, _ application: Application) {
        guard let manager, let patience = manager.watchdog else { return nil }
        task = Task {
            repeat {
                await application.takeTurn()
                manager.tell(.alive)
                // A third leaves room for a machine that is late once.
            } while (try? await Task.sleep(for: patience / 3)) != nil
        }
    }

    func stop() { task.cancel() }
}

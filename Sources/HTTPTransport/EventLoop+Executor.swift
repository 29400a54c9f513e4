internal import Dispatch
internal import Glibc
internal import Synchronization

// The loop as executor of its connections' tasks, and as servant of the server.

extension EventLoop {
    func enqueue(_ job: consuming ExecutorJob) {
        see(to: inbox.put(UnownedJob(job)))
    }

    func send(_ command: Inbox.Command) {
        see(to: inbox.put(command))
    }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func becomeCurrent() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    private func see(to next: Inbox.Next) {
        switch next {
        case .nothing: break
        // The loop empties the inbox before it waits again.
        case .wake where isCurrent: break
        case .wake: inbox.wake()
        case .handOver:
            queue.async { [self] in
                becomeCurrent()
                runJobs()
            }
        }
    }

    func takeInbox() {
        for command in inbox.takeCommands() { obey(command) }
        runJobs()
    }

    /// Runs the jobs, and those that they bring forth. A task waits for something sooner or later, so this ends.
    func runJobs() {
        while true {
            let jobs = inbox.takeJobs()
            if jobs.isEmpty { return }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

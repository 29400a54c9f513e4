internal import Dispatch
internal import Glibc
internal import Synchronization

// The loop as executor of its connections' tasks, and as servant of the server.

extension EventLoop {
    func enqueue(_ job: consuming ExecutorJob) { put(.job(UnownedJob(job))) }

    func put(_ work: Inbox.Work) {
        see(to: inbox.put(work))
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
                work()
            }
        }
    }

    func takeInbox() {
        for command in inbox.takeCommands() { obey(command) }
        work()
    }

    /// Does the work that came, and what it brings forth. A task waits for something sooner or later, so this ends.
    func work() {
        while true {
            let work = inbox.takeWork()
            if work.isEmpty { return }
            for piece in work {
                switch piece {
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                case .answer(let connection, let make): connection.finish(make())
                }
            }
        }
    }
}

import Glibc
import Metrics

/// What the kernel tells of this process (proc_pid_stat(5)), under the names that every exporter uses.
struct ProcessMetrics: MetricsSource {
    func write(to text: inout MetricsText) {
        guard let status = Status() else { return }
        text.family("process_cpu_seconds_total", .counter, "Processor time, of user and system.") {
            $0.sample([:], status.cpuSeconds)
        }
        text.family("process_start_time_seconds", .gauge, "When the process began, since 1970.") {
            $0.sample([:], Self.bootTime + status.startSeconds)
        }
        text.gauge("process_resident_memory_bytes", "Memory that is in use.", status.residentBytes)
        text.gauge("process_virtual_memory_bytes", "Address space that is taken.", status.virtualBytes)
        text.gauge("process_threads", "Threads.", status.threads)
        if let open = Self.openDescriptors { text.gauge("process_open_fds", "Open descriptors.", open) }
        text.gauge("process_max_fds", "How many descriptors may be open.", Self.mostDescriptors)
    }

    private struct Status {
        let cpuSeconds: Double
        let startSeconds: Double
        let residentBytes: Int
        let virtualBytes: Int
        let threads: Int

        init?() {
            // The name, in parentheses, may hold spaces; what follows is numbers, from the third on.
            guard let line = try? String(decoding: Machine.read("/proc/self/stat"), as: UTF8.self),
                let end = line.lastIndex(of: ")")
            else { return nil }
            let words = line[end...].split(separator: " ")
            func number(_ field: Int) -> Int { words.indices ~= field - 2 ? Int(words[field - 2]) ?? 0 : 0 }
            let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
            cpuSeconds = Double(number(14) + number(15)) / ticks
            threads = number(20)
            startSeconds = Double(number(22)) / ticks
            virtualBytes = number(23)
            residentBytes = number(24) * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }

    /// In seconds since 1970. Read once: the kernel counts it anew from the clock, and the start must not wander.
    private static let bootTime: Double = {
        let lines = (try? String(decoding: Machine.read("/proc/stat"), as: UTF8.self))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) } ?? 0
    }()

    private static var openDescriptors: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without `.`, `..` and the one that reads.
        return count - 3
    }

    private static var mostDescriptors: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

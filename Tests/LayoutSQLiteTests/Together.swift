import Dispatch
import LayoutSQLite

extension SQLiteLayoutStore {
    /// Makes `count` changes in one transaction: the writer is held back until they all wait or are refused.
    func together<Result: Sendable>(
        _ count: Int, _ change: @escaping @Sendable (Int) async -> Result
    ) async -> [Result] {
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { held in
            Task {
                try await self.onWriter { _ in
                    held.resume()
                    gate.wait()
                }
            }
        }
        return await withTaskGroup { group in
            for number in 0..<count { group.addTask { await change(number) } }
            while writes.waiting + writes.refused < count { await Task.yield() }
            gate.signal()
            var results: [Result] = []
            for await result in group { results.append(result) }
            return results
        }
    }
}

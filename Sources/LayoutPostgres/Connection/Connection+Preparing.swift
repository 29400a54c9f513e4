import CPostgreSQL

/// Statements that the server keeps.
extension Connection {
    /// The name under which the server keeps a statement, parsed and planned: what comes a second time is prepared, where that
    /// can be. Nil where it has to be sent as it is.
    ///
    /// - Throws: `PostgresError`.
    func preparedName(
        of statement: String, _ parameters: [Parameter], by deadline: ContinuousClock.Instant
    ) throws -> String? {
        guard let (name, isKept) = statements[statement] else {
            statements[statement] = (Self.name(of: statement), false)
            return nil
        }
        if isKept { return name }
        guard try askWhetherItKeepsStatements(by: deadline) else { return nil }
        do {
            _ = try exchange(by: deadline) {
                let isSent = PQsendPrepare(handle, name, statement, Int32(parameters.count), parameters.map(\.type))
                guard isSent == 1 else { throw PostgresError(.lost, lastMessage) }
            }
        } catch let error as PostgresError where error.state == .statementIsThere {
            keepsStatements = false
            return nil
        }
        statements[statement] = (name, true)
        return name
    }

    /// The statement's own (FNV-1a): whoever prepares another one under it is none of us.
    private static func name(of statement: String) -> String {
        let digest = statement.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return "pegboard \(String(digest, radix: 16))"
    }

    /// Where the process that answers is the one that was told at the login, the session is ours alone: a pooler would have
    /// told a number of its own, and given the next statement to another. Then all that is prepared is planned once, by keys
    /// and not by what the tables hold at that moment. Where there is no way but through a whole table, the price that is
    /// put on it would have each such plan compiled to machine code, for a tenth of a second.
    ///
    /// - Throws: `PostgresError`.
    private func askWhetherItKeepsStatements(by deadline: ContinuousClock.Instant) throws -> Bool {
        if let keepsStatements { return keepsStatements }
        let process = Parameter.integer(Int64(PQbackendPID(handle)))
        let answer: Bool
        do {
            answer = try exchange(by: deadline) { try send(Self.settingUp, as: nil, [process]) }.count == 1
        } catch let error as PostgresError where !error.endsConnection && error.meaningOfRead == .refusal {
            // Another engine, which has no such settings.
            answer = false
        }
        keepsStatements = answer
        return answer
    }

    private static let settingUp = """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', FALSE), set_config('enable_seqscan', 'off', FALSE),
            set_config('jit', 'off', FALSE)
        WHERE pg_backend_pid() = $1
        """
}

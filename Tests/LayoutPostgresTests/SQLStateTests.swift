#if PostgreSQL
    import LayoutPostgres
    import Testing

    @Suite struct SQLStateTests {
        @Test(arguments: [
            ("40001", SQLState.Meaning.conflict), ("40P01", .conflict),
            ("40003", .unknown), ("08007", .unknown),
            ("08000", .elsewhere), ("08003", .elsewhere), ("08006", .elsewhere), ("25006", .elsewhere),
            ("57P01", .elsewhere), ("57P02", .elsewhere), ("57P03", .elsewhere), ("53300", .elsewhere),
            ("57014", .canceled), ("55P03", .canceled),
            ("22021", .values), ("23505", .values),
            ("53100", .refusal), ("42P01", .refusal), ("28P01", .refusal), ("XX001", .refusal),
        ])
        func eachCodeSaysWhatIsToBeDone(code: String, meaning: SQLState.Meaning) {
            #expect(SQLState(code).meaning == meaning)
        }

        /// What was sent decides: a read has committed nothing, whatever became of it.
        @Test(arguments: [
            (PostgresError.Kind.lost, SQLState.Meaning.elsewhere, SQLState.Meaning.unknown),
            (.unreachable, .elsewhere, .elsewhere),
            (.warned(SQLState("01000")), .refusal, .unknown),
            (.answered(SQLState("40003")), .elsewhere, .unknown),
            // An administrator ends the connection, perhaps just after the commit.
            (.answered(SQLState("57P01")), .elsewhere, .unknown),
            (.answered(SQLState("25006")), .elsewhere, .elsewhere),
            (.answered(SQLState("53300")), .elsewhere, .elsewhere),
            (.answered(SQLState("40001")), .conflict, .conflict),
            (.answered(SQLState("57014")), .canceled, .canceled),
        ])
        func aWriteWithoutAnAnswerIsInDoubt(
            kind: PostgresError.Kind, ofRead: SQLState.Meaning, ofWrite: SQLState.Meaning
        ) {
            let error = PostgresError(kind, "")
            #expect(error.meaningOfRead == ofRead)
            #expect(error.meaningOfWrite == ofWrite)
        }
    }
#endif

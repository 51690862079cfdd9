import BelfryModel
import BelfryPostgres
import Synchronization

extension PostgresStore {
    public func count() throws(StoreError) -> Int { try count(of: "belfry_records") }

    private func count(of table: String) throws(StoreError) -> Int {
        Int(try read("SELECT count(*) FROM \(table)", mayTakeLong: true).number(0, 0) ?? 0)
    }

    /// In the order in which they came, some at a time.
    public func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) {
        var last = Int64.min
        while true {
            let rows = try read(
                "SELECT row, subject, record, next_due FROM belfry_records WHERE row > $1 ORDER BY row LIMIT 1000",
                [.number(last)])
            for row in 0..<rows.count {
                last = rows.number(row, 0) ?? last
                body(
                    StoreRow(
                        id: last, subject: rows.text(row, 1) ?? "", bytes: rows.bytes(row, 2) ?? [],
                        nextDue: rows.number(row, 3).map { Instant(milliseconds: $0) },
                        fault: rows.isText(row, 1) ? nil : "its subject is no UTF-8, so it is never found"))
            }
            if rows.count == 0 { return }
        }
    }

    /// Nothing is looked for: pages have checksums where the database was made with them, and reading says so.
    public func faults() throws(StoreError) -> [String] {
        _ = try database(.reading)
        return []
    }

    public func quarantine(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError) {
        mayHaveForgotten.store(true, ordering: .releasing)
        try write { session throws(PostgresError) in
            for (row, reason) in rows {
                try session.run(
                    """
                    WITH moved AS (DELETE FROM belfry_records WHERE row = $1 RETURNING subject, record)
                    INSERT INTO belfry_quarantine (subject, record, reason) SELECT subject, record, $2 FROM moved
                    """, [.number(row), .text(reason)])
            }
        }
    }

    public func quarantinedCount() throws(StoreError) -> Int { try count(of: "belfry_quarantine") }

    public func quarantined(of subject: String) throws(StoreError) -> [QuarantinedRecord] {
        let rows = try read(
            "SELECT record, reason FROM belfry_quarantine WHERE subject = $1 ORDER BY row", [subject.value])
        return (0..<rows.count).map { row in
            QuarantinedRecord(bytes: rows.bytes(row, 0) ?? [], reason: rows.text(row, 1) ?? "")
        }
    }

    /// Deleted rows, also those of the journal, stay in tables and indexes until these are vacuumed: right after this, while other signals
    /// are decided. The database's own log and its backups are its operator's to clean.
    public func erase(_ subject: String, lastDecision: UInt64) throws(StoreError) {
        mayHaveForgotten.store(true, ordering: .releasing)
        try write { session throws(PostgresError) in
            for table in ["belfry_records", "belfry_quarantine"] {
                try session.run("DELETE FROM \(table) WHERE subject = $1", [subject.value])
            }
            try session.note(ForgottenSubject(subject, lastDecision: lastDecision))
        }
        vacuum(Self.tablesOfSubjects)
    }

    /// What an erasure removes rows from.
    private static let tablesOfSubjects = ["belfry_records", "belfry_quarantine", "belfry_pieces", "belfry_lines"]

    /// PostgreSQL only warns where a role may not vacuum a table, and what was erased stays legible in its file.
    public func checkThatItErases() throws(StoreError) {
        let rows = try read(Self.tablesOfOthers)
        guard let tables = rows.text(0, 0), let owners = rows.text(0, 1), let role = rows.text(0, 2) else { return }
        throw .mayNotVacuum(name, tables: tables, owners: owners, role: role)
    }

    /// Those that this role may not vacuum, by the rules of https://www.postgresql.org/docs/current/sql-vacuum.html.
    private static let tablesOfOthers = """
        SELECT string_agg(relname::text, ', ' ORDER BY relname), string_agg(DISTINCT pg_get_userbyid(relowner)::text, ', '),
            current_user::text
        FROM pg_class
        WHERE oid IN (\(tablesOfSubjects.map { "'\($0)'::regclass" }.joined(separator: ", ")))
            AND NOT pg_has_role(relowner, 'USAGE')
            AND NOT (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database())
            AND NOT CASE WHEN current_setting('server_version_num')::integer >= 170000
                THEN has_table_privilege(oid, 'MAINTAIN') ELSE false END
        """

    public func erasedCount() throws(StoreError) -> Int { try count(of: "belfry_erased") }

    public func lastDecision(ofForgotten subject: String) throws(StoreError) -> UInt64 {
        if !mayHaveForgotten.load(ordering: .acquiring) { return 0 }
        let rows = try read(
            """
            SELECT coalesce((SELECT last_decision FROM belfry_erased WHERE digest = $1), 0),
                (SELECT count(*) FROM belfry_quarantine WHERE subject = $2)
            """, [.bytes(SubjectDigest(subject).bytes), subject.value])
        let numbers = (0..<2).map { UInt64(clamping: rows.number(0, $0) ?? 0) }
        return numbers[0] + numbers[1] * QuarantinedRecord.decisions
    }

    public func forgotten() throws(StoreError) -> [ForgottenSubject] {
        let erased = try read("SELECT digest, last_decision FROM belfry_erased", mayTakeLong: true)
        let moved = try read("SELECT subject, count(*) FROM belfry_quarantine GROUP BY subject", mayTakeLong: true)
        return [ForgottenSubject](
            erased: (0..<erased.count).map { row in
                ForgottenSubject(
                    digest: erased.bytes(row, 0) ?? [], lastDecision: UInt64(clamping: erased.number(row, 1) ?? 0))
            },
            quarantined: (0..<moved.count).map { row in
                (moved.text(row, 0) ?? "", UInt64(clamping: moved.number(row, 1) ?? 0))
            })
    }

    public func note(_ forgotten: [ForgottenSubject]) throws(StoreError) {
        mayHaveForgotten.store(true, ordering: .releasing)
        try write { session throws(PostgresError) in
            for subject in forgotten { try session.note(subject) }
        }
    }
}

extension PostgresSession {
    fileprivate mutating func note(_ forgotten: ForgottenSubject) throws(PostgresError) {
        try run(
            """
            INSERT INTO belfry_erased VALUES ($1, $2)
            ON CONFLICT (digest) DO UPDATE SET last_decision = greatest(belfry_erased.last_decision, excluded.last_decision)
            """, [.bytes(forgotten.digest), .number(Int64(clamping: forgotten.lastDecision))])
    }
}

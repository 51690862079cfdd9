import BelfryPostgres

extension StoreError {
    /// What PostgreSQL says, in the words of this module.
    static func postgres(_ error: PostgresError, _ attempt: Attempt, _ name: String) -> StoreError {
        switch error.code {
        case .noLibrary: .noPostgres(name, missing: error.detail)
        case .address:
            StoreError(
                .failed, .opening, name, why: error.detail,
                fix: "correct it: postgres://USER@HOST:PORT/DATABASE?KEYWORD=VALUE, with libpq's keywords")
        case .unreachable: .unreachable(name, attempt, detail: error.detail)
        case .fenced: .fenced(name, attempt, by: error.detail)
        case .full: .full(name, attempt)
        case .permission: .noRights(name, attempt, detail: error.detail)
        case .hidden: .hidden(name, attempt, detail: error.detail)
        case .readOnly: .takesNoChanges(name, attempt, detail: error.detail)
        case .missing: .noStore(name, detail: error.detail)
        case .damaged: .damaged(name, attempt, detail: error.detail)
        case .newer: .newer(name, found: Int(error.detail) ?? 0, known: Int(PostgresSchema.version))
        case .held:
            StoreError(
                .held, attempt, name, why: "PostgreSQL reports: \(error.detail)",
                fix: "end what locks its tables, or wait for that; everything committed before is kept")
        case .failed: .reported(name, attempt, detail: error.detail)
        }
    }

    /// What PostgreSQL alone can tell, such as a timeout of its role, or a table that is none of a store.
    private static func reported(_ name: String, _ attempt: Attempt, detail: String) -> StoreError {
        StoreError(
            .failed, attempt, name, why: "PostgreSQL reports: \(detail)",
            fix:
                "change what it names, a setting of the role or a table, and try again; everything committed before is kept, and its log says more"
        )
    }

    private static func noPostgres(_ name: String, missing: String) -> StoreError {
        StoreError(
            .failed, .opening, name, why: "PostgreSQL's client library is not installed: there is no '\(missing)'",
            fix: "install the package libpq5, or name a store as sqlite:PATH")
    }

    private static func unreachable(_ name: String, _ attempt: Attempt, detail: String) -> StoreError {
        StoreError(
            .unreachable, attempt, name, why: "PostgreSQL cannot be reached: \(detail)",
            fix: "check that it runs, and host, port and database; everything committed before is kept")
    }

    /// - Parameter holder: where it can be reached; empty if it has not said so.
    private static func fenced(_ name: String, _ attempt: Attempt, by holder: String) -> StoreError {
        let process = holder.isEmpty ? "another process" : "the one at \(holder)"
        return StoreError(
            .locked, attempt, name, why: "\(process) has its lease, and a store has one writer at a time",
            fix: "wait until that process has ended, or name another database; 'belfry serve' waits by itself",
            holder: holder)
    }

    private static func noRights(_ name: String, _ attempt: Attempt, detail: String) -> StoreError {
        StoreError(
            .permission, attempt, name, why: "PostgreSQL refuses: \(detail)",
            fix:
                "check user and password (PGPASSWORD, or ~/.pgpass); the user needs CREATE on the schema once, later its own tables; one that only reads, USAGE on it and SELECT on them"
        )
    }

    private static func hidden(_ name: String, _ attempt: Attempt, detail: String) -> StoreError {
        StoreError(
            .permission, attempt, name, why: detail,
            fix:
                "as its owner, GRANT USAGE ON SCHEMA to that role, and for reading GRANT SELECT ON ALL TABLES IN SCHEMA; or use another role"
        )
    }

    private static func takesNoChanges(_ name: String, _ attempt: Attempt, detail: String) -> StoreError {
        StoreError(
            .readOnly, attempt, name, why: "PostgreSQL answers, and takes no changes: \(detail)",
            fix:
                "name the primary, since a hot standby only follows it; if it is one, see to it that 'default_transaction_read_only' is off"
        )
    }

    static func mayNotVacuum(_ name: String, tables: String, owners: String, role: String) -> StoreError {
        StoreError(
            .permission, .erasing, name,
            why:
                "role '\(role)' does not own \(tables), and may not vacuum them: what is erased would stay legible in their files",
            fix: "use the role that owns them, '\(owners)', or GRANT it to '\(role)'; nothing is erased")
    }

    private static func noStore(_ name: String, detail: String) -> StoreError {
        StoreError(
            .missing, .opening, name, why: detail,
            fix: detail.contains("schema")
                ? "make the schema with CREATE SCHEMA, or name another in 'search_path'"
                : "make the database with 'createdb'; 'belfry run' and 'belfry serve' make the tables")
    }
}

import BelfryPostgres
import Glibc

extension JournalError {
    static func database(_ error: PostgresError, _ name: String) -> JournalError {
        switch error.code {
        case .full: system(ENOSPC, name, name)
        case .fenced:
            JournalError(
                .fenced, name, "cannot write to the journal in", why: "another process has taken its lease",
                fix: "nothing need be done: what was not written was not decided, and that process goes on")
        case .unreachable:
            JournalError(
                .unreachable, name, "cannot use the journal in", why: "PostgreSQL cannot be reached: \(error.detail)",
                fix: "check that it runs and can be reached; everything before is kept")
        case .held:
            JournalError(
                .held, name, "cannot use the journal in", why: "PostgreSQL reports: \(error.detail)",
                fix: "end what locks its tables, or wait for that; everything before is kept")
        case .readOnly:
            JournalError(
                .failed, name, "cannot write to the journal in",
                why: "PostgreSQL answers, and takes no changes: \(error.detail)",
                fix:
                    "name the primary, and see to it that 'default_transaction_read_only' is off; everything before is kept"
            )
        default:
            JournalError(
                .failed, name, "cannot use the journal in", why: "PostgreSQL reports: \(error.detail)",
                fix: "change what it names, a setting of the role or a table; everything before is kept")
        }
    }
}

/// The same with the errors of a journal.
extension PostgresDatabase {
    func rows(
        _ sql: String, _ values: [PostgresValue] = [], mayTakeLong: Bool = false
    ) throws(JournalError) -> PostgresRows {
        do throws(PostgresError) { return try reading.run(sql, values, mayTakeLong: mayTakeLong) } catch {
            throw .database(error, name)
        }
    }

    /// Of the server, its database, and the store's table in that.
    var identity: String {
        get throws(JournalError) {
            let rows = try rows(
                """
                SELECT concat_ws('-', system_identifier, pg_database.oid, 'belfry_lease'::regclass::oid)
                FROM pg_control_system(), pg_database WHERE datname = current_database()
                """)
            return rows.text(0, 0) ?? ""
        }
    }

    func change(_ body: (inout PostgresSession) throws(PostgresError) -> Void) throws(JournalError) {
        do throws(PostgresError) { try write(.journal, body) } catch { throw .database(error, name) }
    }

    func append(piece: [UInt8], at place: Int, of segment: Int64) throws(JournalError) {
        do throws(PostgresError) {
            try writePiece(
                "INSERT INTO belfry_pieces (segment, place, bytes, term) SELECT $2, $3, $4, term FROM lease",
                [.number(segment), .number(Int64(place)), .bytes(piece)],
                // A segment that is written anew is one piece.
                mayTakeLong: piece.count > 1 << 20)
        } catch {
            throw .database(error, name)
        }
    }
}

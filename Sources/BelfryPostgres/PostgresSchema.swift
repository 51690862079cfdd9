/// How a store lies in a database: the format, version 1. Its tables are in the schema that names without one are looked for in.
///
/// - `belfry_lease`: one row; which process may write (`PostgresLease`), and the version of this format.
/// - `belfry_records`: a row per subject. `subject` is its UTF-8, in the order of bytes; `next_due`, in ms since 1970, is null without a timer;
///   `entry` is the last entry of the journal that the record has come to.
/// - `belfry_meta`: a row per named value.
/// - `belfry_quarantine`: records that were moved out of the way, as they were; a subject may have several.
/// - `belfry_erased`: a digest of each subject that was erased, with the number of its last decision.
/// - `belfry_segments`, `belfry_pieces`: the journal. A segment is its pieces, one behind the other: a piece is what was made durable together,
///   `place` is where it begins, and `term` that of the lease under which it was written.
/// - `belfry_lines`: lines beside the journal, such as decisions that a sink was not given.
public enum PostgresSchema {
    public static let version: Int64 = 1

    private static let tables = [
        """
        CREATE TABLE belfry_lease (
            term bigint PRIMARY KEY, single boolean NOT NULL UNIQUE DEFAULT true CHECK (single), format bigint NOT NULL, address text, expires timestamptz NOT NULL DEFAULT '-infinity', pid integer, began timestamptz)
        """,
        """
        CREATE TABLE belfry_records (
            subject bytea PRIMARY KEY, record bytea NOT NULL, next_due bigint, entry bigint NOT NULL,
            row bigint GENERATED ALWAYS AS IDENTITY UNIQUE)
        """,
        "CREATE INDEX belfry_records_due ON belfry_records (next_due, subject) WHERE next_due IS NOT NULL",
        "CREATE TABLE belfry_meta (key text PRIMARY KEY, value bytea NOT NULL)",
        """
        CREATE TABLE belfry_quarantine (
            row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subject bytea NOT NULL, record bytea NOT NULL, reason text NOT NULL)
        """,
        "CREATE INDEX belfry_quarantine_subject ON belfry_quarantine (subject)",
        "CREATE TABLE belfry_erased (digest bytea PRIMARY KEY, last_decision bigint NOT NULL)",
        "CREATE TABLE belfry_segments (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE)",
        """
        CREATE TABLE belfry_pieces (
            segment bigint NOT NULL REFERENCES belfry_segments ON DELETE CASCADE, place bigint NOT NULL, term bigint NOT NULL,
            bytes bytea NOT NULL, PRIMARY KEY (segment, place))
        """,
        """
        CREATE TABLE belfry_lines (row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, line bytea NOT NULL)
        """,
        // Lines and records are packed already.
        "ALTER TABLE belfry_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL",
    ]

    /// Not in the schemas behind the first one: another store may be there.
    ///
    /// `to_regclass` would go by what the session has found before: what another process has made since then, it does not see.
    private static let find = """
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = current_schema() AND relname = 'belfry_lease'
        """

    /// Makes the tables if there are none. Several processes may try at once.
    static func create(_ connection: PostgresConnection) throws(PostgresError) {
        if try exists(connection) { return }
        try checkThatNoneIsHidden(connection)
        try connection.transaction { session throws(PostgresError) in
            // 'Blfr': held to the end of the transaction.
            try session.run("SELECT pg_advisory_xact_lock(1114400370)")
            if try session.run(find).count == 1 { return }
            for table in tables { try session.run(table) }
            try session.run("INSERT INTO belfry_lease (term, format) VALUES (0, $1)", [.number(version)])
        }
    }

    private static func exists(_ connection: PostgresConnection) throws(PostgresError) -> Bool {
        try connection.run(find).count == 1
    }

    /// PostgreSQL passes over the schemas that a role has no USAGE of, as if they were not there. A store that is in one of them would look
    /// like none, or another one would be made behind it.
    private static func checkThatNoneIsHidden(_ connection: PostgresConnection) throws(PostgresError) {
        let found = try connection.run(
            """
            SELECT nspname::text, current_user::text
            FROM (
                SELECT btrim(name) AS name, place
                FROM unnest(string_to_array(current_setting('search_path'), ',')) WITH ORDINALITY AS part (name, place)
            ) AS path
            JOIN pg_namespace ON nspname = CASE
                WHEN name IN ('$user', '"$user"') THEN current_user
                WHEN name LIKE '"%' THEN replace(btrim(name, '"'), '""', '"')
                ELSE lower(name) END
            WHERE NOT has_schema_privilege(pg_namespace.oid, 'USAGE') AND EXISTS (
                SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid AND relname = 'belfry_lease')
            ORDER BY place LIMIT 1
            """)
        guard found.count == 1, let schema = found.text(0, 0), let role = found.text(0, 1) else { return }
        throw PostgresError(.hidden, "it is in schema '\(schema)', and role '\(role)' may not look into that")
    }

    /// - Throws: `missing` if there is no store, `hidden` if there is one that the user may not look into, `newer` if a later
    ///   belfry made it, `damaged` if it does not say which one.
    static func check(_ connection: PostgresConnection) throws(PostgresError) {
        guard try exists(connection) else {
            try checkThatNoneIsHidden(connection)
            throw PostgresError(.missing, "there is no store in it")
        }
        let found = try connection.run("SELECT format FROM belfry_lease")
        guard found.count == 1, let format = found.number(0, 0) else { throw PostgresError.noLease }
        if format > version { throw PostgresError(.newer, "\(format)") }
    }
}

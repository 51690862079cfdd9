import Synchronization

/// A connection to a database, for one statement or transaction at a time. Any thread may call, and waits for the answer.
public final class PostgresConnection: Sendable {
    private let session: Mutex<PostgresSession>
    /// Why it cannot be used any more; nil as long as that is not known.
    private let loss = Mutex<PostgresError?>(nil)

    /// - Parameter writes: whether something is to be written: then a server that only follows another one will not do.
    /// - Throws: `noLibrary`, `unreachable`, `permission`, `readOnly`, `missing`.
    public init(_ address: PostgresAddress, writes: Bool = false) throws(PostgresError) {
        session = Mutex(try PostgresSession(address, writes: writes))
        try run(
            """
            SELECT set_config(name, value, false) FROM pg_settings JOIN unnest($1::text[], $2::text[]) AS wanted (name, value) USING (name)
            """, [.text(Self.list(Self.settings.map(\.0))), .text(Self.list(Self.settings.map(\.1)))])
    }

    /// As far as the server knows them; in ms or s.
    private static let settings = [
        // A plan is kept as it was made, also when the table was empty then; those by an index are right for any size.
        ("enable_seqscan", "off"),
        // The planner takes a plan without an index for so dear then that it would compile it first.
        ("jit", "off"),
        // The locks of a stopped process, or of one whose machine is gone, end about when its lease does.
        ("idle_in_transaction_session_timeout", "4000"), ("lock_timeout", "2000"), ("tcp_keepalives_idle", "3"),
        ("tcp_keepalives_interval", "1"), ("tcp_keepalives_count", "2"), ("tcp_user_timeout", "4000"),
        ("client_connection_check_interval", "1000"),
    ]

    private static func list(_ words: [String]) -> String { "{\(words.joined(separator: ","))}" }

    /// Runs one statement.
    ///
    /// - Parameter mayTakeLong: whether a server at work may say nothing for longer than 5 s.
    /// - Throws: `unreachable` also where no answer comes. The connection cannot be used any more then.
    @discardableResult
    public func run(
        _ sql: String, _ values: [PostgresValue] = [], mayTakeLong: Bool = false
    ) throws(PostgresError) -> PostgresRows {
        try withSession { session throws(PostgresError) in
            try session.run(sql, values, mayTakeLong: mayTakeLong)
        }
    }

    /// Runs statements that become true together, or not at all.
    public func transaction(_ body: (inout PostgresSession) throws(PostgresError) -> Void) throws(PostgresError) {
        try withSession { session throws(PostgresError) in try session.transaction(body) }
    }

    /// Begins a transaction in which all is read as it is now. It ends with the connection; until then nothing dead is removed from tables.
    public func beginSnapshot() throws(PostgresError) {
        try run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        // What is read goes to programs that may take their time, while nothing is asked.
        try run(
            """
            SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'
            """)
    }

    private func withSession<Value: Sendable>(
        _ body: (inout PostgresSession) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        // No typed error crosses `withLock`.
        let (result, loss) = session.withLock { session in
            let result = Result { () throws(PostgresError) in try body(&session) }
            return (result, session.loss)
        }
        if let loss { self.loss.withLock { $0 = loss } }
        return try result.get()
    }

    /// - Throws: `unreachable` if it cannot be used any more, as far as that has been noticed. It does not wait for a statement.
    func check() throws(PostgresError) {
        if let error = loss.withLock({ $0 }) { throw error }
    }
}

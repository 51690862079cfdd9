import Synchronization

/// The right to be the only writer of a store in a database, for as long as it is renewed.
///
/// It is a row with the term as its key. Taking it counts up the term, and every change is made under a key share of that row, with the
/// term that its writer knows: after another process has taken it, nothing of the former holder becomes true any more, however late it comes.
/// So nothing depends on clocks, and the time of the database decides only how soon others may try. A renewal leaves the key as it is, and
/// waits for no change. A holder whose connection has ended has no lease any more.
public final class PostgresLease: Sendable {
    /// Counts the holders so far.
    public let term: Int64
    private let connection: PostgresConnection
    private let state = Mutex(State())

    private struct State {
        var address: String?
        var failure: PostgresError?
        var renewed = ContinuousClock.now
    }

    /// How long it holds without being renewed, in ms.
    static let milliseconds: Int64 = 5000

    /// Takes it.
    ///
    /// - Throws: `fenced` while another process has it; the detail is where that can be reached.
    init(_ connection: PostgresConnection) throws(PostgresError) {
        let taken: PostgresRows
        do throws(PostgresError) { taken = try Self.take(connection) } catch {
            // What the former holder has begun is not over yet.
            throw error.code == .held ? try Self.holder(connection) : error
        }
        guard taken.count == 1, let term = taken.number(0, 0) else { throw try Self.holder(connection) }
        (self.term, self.connection) = (term, connection)
    }

    /// A process with another role does not see when the connection of the holder began: then the lease has its 5 s.
    private static func take(_ connection: PostgresConnection) throws(PostgresError) -> PostgresRows {
        try connection.run(
            """
            UPDATE belfry_lease
            SET term = term + 1, address = NULL, expires = clock_timestamp() + $1 * interval '1 ms', pid = pg_backend_pid(),
                began = (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())
            WHERE \(isFree)
            RETURNING term
            """, [.number(milliseconds)])
    }

    private static let isFree = """
        (expires < clock_timestamp() OR NOT EXISTS (
            SELECT FROM pg_stat_activity AS holder
            WHERE holder.pid = belfry_lease.pid AND (backend_start = began OR backend_start IS NULL)))
        """

    /// Looks whether a process has the lease of a store.
    ///
    /// - Throws: `fenced` while one has it; the detail is where that can be reached. `unreachable`.
    public static func checkThatItIsFree(_ connection: PostgresConnection) throws(PostgresError) {
        let held = try connection.run("SELECT coalesce(address, '') FROM belfry_lease WHERE NOT \(isFree)")
        if held.count == 1 { throw PostgresError(.fenced, held.text(0, 0) ?? "") }
    }

    /// - Returns: `fenced`; `damaged` where there is no lease that it could have.
    private static func holder(_ connection: PostgresConnection) throws(PostgresError) -> PostgresError {
        let found = try connection.run("SELECT coalesce(address, '') FROM belfry_lease")
        return found.count == 1 ? PostgresError(.fenced, found.text(0, 0) ?? "") : .noLease
    }

    /// Where the holder can be reached; said with the next renewal.
    public func publish(address: String) { state.withLock { $0.address = address } }

    /// Holds on to it for a while more.
    ///
    /// - Returns: whether this process still has it.
    public func renew() -> Bool {
        let address = state.withLock { $0.address }
        do throws(PostgresError) {
            let renewed = try connection.run(
                """
                UPDATE belfry_lease SET expires = clock_timestamp() + $2 * interval '1 ms', address = $3 WHERE term = $1
                """, [.number(term), .number(Self.milliseconds), .text(address)])
            if renewed.changed == 0 { throw try Self.holder(connection) }
            state.withLock { $0.renewed = .now }
            return true
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
    }

    /// - Throws: why this process does not have it any more, as far as it has noticed.
    public func check() throws(PostgresError) {
        let (failure, renewed) = state.withLock { ($0.failure, $0.renewed) }
        if let failure { throw failure }
        if ContinuousClock.now - renewed > .milliseconds(Self.milliseconds) {
            throw PostgresError(.unreachable, "it has not answered for 5 s")
        }
    }

    /// The row as long as its term is `$1`: a process that takes the lease waits for the changes that have a share of it.
    static let share = "SELECT term FROM belfry_lease WHERE term = $1 FOR KEY SHARE"

    /// Sees to it that a transaction comes true only under this lease.
    func check(in session: inout PostgresSession) throws(PostgresError) {
        let held = try session.run(Self.share, [.number(term)])
        if held.count == 0 { throw PostgresError(.fenced, "") }
    }

    /// Gives it back.
    func end() {
        _ = try? connection.run(
            "UPDATE belfry_lease SET expires = '-infinity', address = NULL, pid = NULL WHERE term = $1", [.number(term)]
        )
    }
}

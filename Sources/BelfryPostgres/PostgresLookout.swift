/// Looks whether another process still has a store, on a connection that it keeps.
public final class PostgresLookout: Sendable {
    private let connection: PostgresConnection

    /// - Throws: as `PostgresConnection`.
    public init(_ address: PostgresAddress) throws(PostgresError) {
        connection = try PostgresConnection(address, writes: true)
    }

    /// - Throws: `fenced` while one has its lease; the detail is where that can be reached.
    public func check() throws(PostgresError) { try PostgresLease.checkThatItIsFree(connection) }
}

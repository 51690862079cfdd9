import BelfryPostgres

/// Looks whether another process still has a store, on a connection that it keeps. To open the store takes two new ones each time.
public struct StoreLookout: Sendable {
    private let name: String
    private let connection: PostgresConnection

    /// Nil for a store that is opened at once, or not at all.
    ///
    /// - Throws: `unreachable` if it cannot be reached.
    public init?(_ location: StoreLocation) throws(StoreError) {
        guard case .postgres(let address) = location else { return nil }
        name = address.description
        do throws(PostgresError) { connection = try PostgresConnection(address, writes: true) } catch {
            throw .postgres(error, .opening, address.description)
        }
    }

    /// - Throws: `locked` while one has it; `unreachable` if the database cannot be reached.
    public func check() throws(StoreError) {
        do throws(PostgresError) { try PostgresLease.checkThatItIsFree(connection) } catch {
            throw .postgres(error, .opening, name)
        }
    }
}

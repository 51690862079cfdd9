import BelfryPostgres

/// Looks whether another process still has a store. It takes less of a database than to try to open the store.
public struct StoreLookout: Sendable {
    private let name: String
    private let database: PostgresLookout

    /// Nil for a store that is opened at once, or not at all.
    ///
    /// - Throws: `failed` if it cannot be reached.
    public init?(_ location: StoreLocation) throws(StoreError) {
        guard case .postgres(let address) = location else { return nil }
        name = address.description
        do throws(PostgresError) { database = try PostgresLookout(address) } catch {
            throw .postgres(error, .opening, address.description)
        }
    }

    /// - Throws: `locked` while one has it; `failed` if the database cannot be reached.
    public func check() throws(StoreError) {
        do throws(PostgresError) { try database.check() } catch { throw .postgres(error, .opening, name) }
    }
}

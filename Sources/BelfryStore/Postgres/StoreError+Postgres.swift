import BelfryPostgres

extension StoreError {
    /// What PostgreSQL says, in the words of this module.
    static func postgres(_ error: PostgresError, _ attempt: Attempt, _ name: String) -> StoreError {
        switch error.code {
        case .noLibrary: .noPostgres(name, missing: error.detail)
        case .unreachable: .unreachable(name, attempt, detail: error.detail)
        case .fenced: .fenced(name, attempt, by: error.detail)
        case .full: .full(name, attempt)
        case .permission: .noRights(name, attempt, detail: error.detail)
        case .missing: .noStore(name, detail: error.detail)
        case .newer: .newer(name, found: Int(error.detail) ?? 0, known: Int(PostgresSchema.version))
        case .failed, .held: .failed(name, attempt, detail: "PostgreSQL reports: \(error.detail)")
        }
    }
}

import BelfryRuntime

/// Does what may take long, or read much, on a thread of its own: health, metrics and signals do not wait for it.
///
/// - Throws: what `body` throws; `NoThread`.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try startThread { continuation.resume(with: Swift.Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

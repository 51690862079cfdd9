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

/// Does the same for what changes nothing: a task that is cancelled, as at the end of a service, does not wait for the thread any more.
///
/// - Throws: what `body` throws; `NoThread`, `CancellationError`.
func onThreadUnlessCancelled<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    let (results, answer) = AsyncThrowingStream.makeStream(of: Result.self)
    try startThread {
        answer.yield(with: Swift.Result { try body() })
        answer.finish()
    }
    for try await result in results { return result }
    throw CancellationError()
}

/// Does one thing after the other. Who is cancelled while it waits has what it asked for cancelled.
actor SerialQueue {
    private var last: Task<Void, any Error>?

    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let before = last
        let task = Task {
            _ = await before?.result
            return try await body()
        }
        last = Task { _ = try await task.value }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

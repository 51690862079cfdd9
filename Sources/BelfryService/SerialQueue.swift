/// Runs one body after the other. A task that is cancelled while it waits for its body cancels that body.
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

/// Does one thing after the other.
actor SerialQueue {
    private var last: Task<Void, any Error>?

    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let before = last
        let task = Task {
            _ = await before?.result
            return try await body()
        }
        last = Task { _ = try await task.value }
        return try await task.value
    }
}

/// What the handlers of the API run on.
struct HandlerThreads: Sendable {
    /// Of what reads: records, pages and answers may be large, so only so many are made at once. The others wait with no more than their
    /// requests.
    private let reading = TaskThreads(4)
    /// Of everything else; nil: those of all tasks.
    private let others: TaskThreads?

    /// - Parameter waits: whether the store is a database that may stand still: then nothing else waits for it.
    init(waits: Bool) { others = waits ? TaskThreads(64) : nil }

    subscript(route: Route) -> TaskThreads? { route.role == .read ? reading : others }
}

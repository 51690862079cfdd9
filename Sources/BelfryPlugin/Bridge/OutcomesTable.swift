/// The C table of the strategies that need not be told of every outcome: constant, valid until the process ends. Nil if all are.
public func outcomesTable(_ types: [any Strategy.Type]) -> UnsafePointer<belfry_outcomes>? {
    let arena = Arena(.process)
    let names = types.filter { $0.outcomes == .happened }.map { arena.text($0.name) }
    return arena.copy(names).flatMap { arena.copy([belfry_outcomes(happened: $0, count: UInt64(names.count))]) }
}

/// Something whose cost is of interest, done again and again.
public struct Workload: Sendable {
    /// `decision/created`: what is done, and how.
    public let name: String
    /// How often it is done for one measurement of time.
    public let operations: Int
    /// How often it is done for a count of instructions, which takes fifty times as long; and before, to warm up.
    public let counted: Int
    /// Makes everything ready, with fewer subjects if it is for a count.
    public let prepare: @Sendable (_ isCount: Bool) throws -> Work

    init(
        _ name: String, operations: Int, counted: Int = 2000,
        prepare: @escaping @Sendable (_ isCount: Bool) throws -> Work
    ) {
        (self.name, self.operations, self.counted, self.prepare) = (name, operations, counted, prepare)
    }

    public static let all: [Workload] =
        decisions + hooks + growth + positions + lines + conditions + fences + commits
}

/// What was made ready.
public struct Work {
    /// Does it so many times.
    public let run: (Int) throws -> Void

    init(_ run: @escaping (Int) throws -> Void) { self.run = run }
}

/// Keeps the optimizer from leaving out what is not read.
@inline(never) func use<T: ~Copyable>(_ value: borrowing T) {}

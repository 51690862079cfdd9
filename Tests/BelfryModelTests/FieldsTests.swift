import BelfryModel
import Glibc
import Testing

/// The members of an object: their order, and what many of them cost.
@Suite struct FieldsTests {
    /// More than are looked for one by one.
    static let many = (0..<100).map { ("key-\($0)", Value.integer(Int64($0))) }

    @Test func `what is merged stays in its place, or comes behind, or goes`() {
        var fields: BelfryModel.Fields = ["a": 1, "b": 2, "c": 3]
        fields.merge([("c", 30), ("d", 4), ("a", nil), ("none", nil)])
        #expect(fields.entries.map(\.key) == ["b", "c", "d"])
        #expect(fields == ["b": 2, "c": 30, "d": 4])
    }

    @Test func `many are merged as a few are`() {
        var (all, single) = (BelfryModel.Fields(Self.many), BelfryModel.Fields(Self.many))
        let changes = (50..<200).map { ("key-\($0)", $0 % 3 == 0 ? nil : Value.bool(true)) }
        all.merge(changes)
        for (key, value) in changes { single[key] = value }
        #expect(all.entries == single.entries)
    }

    @Test func `what comes twice stands where it stood first, as it came last`() {
        let twice = BelfryModel.Fields(Self.many + [("key-3", "last"), ("key-99", "last"), ("other", 1), ("other", 2)])
        #expect(twice.count == 101 && twice["other"] == 2 && twice.entries[100].key == "other")
        #expect(twice.entries[3].value == "last" && twice.entries[99].value == "last")
    }

    @Test func `order does not make two of one`() {
        let (fields, turned) = (BelfryModel.Fields(Self.many), BelfryModel.Fields(Self.many.reversed()))
        #expect(fields == turned && Value.map(fields).isSame(as: .map(turned)))
        var other = turned
        other["key-40"] = 40.0
        #expect(fields != other && Value.map(fields).isSame(as: .map(other)))
        other["key-40"] = nil
        other["key-100"] = 40
        #expect(fields != other && !Value.map(fields).isSame(as: .map(other)))
    }

    /// A signal may have so many; by each of them against each other it would take minutes.
    @Test func `as many as a signal may have are merged and compared at once`() {
        let began = processorTime
        let pairs = (0..<80_000).map { ("k\($0)", Value.integer(1)) }
        var fields: BelfryModel.Fields = [:]
        fields.merge(pairs.map { ($0, $1) })
        #expect(fields == BelfryModel.Fields(pairs.reversed()))
        fields.merge(pairs.dropFirst().map { ($0.0, nil) })
        #expect(fields == ["k0": 1])
        #expect(processorTime - began < .seconds(30))
    }
}

/// What this thread has taken of a processor. Time that other tests take does not count.
private var processorTime: Swift.Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// The directory of stored records whose states refer to the same, of which everything is known to the process.
///
/// Nearly every record has one of few. So it is made once, and one that was read is compared with it and not looked into.
final class KnownDirectory: Sendable {
    let bytes: [UInt8]
    private let shapes: [StateShape]
    /// Of the shapes, in the same order.
    private let numbers: [UInt32]

    init(_ directory: SubjectRecord.Directory) {
        var writer = ByteWriter()
        writer.directory(directory.sorted)
        bytes = writer.bytes
        shapes = directory.shapes
        numbers = shapes.map(\.number)
    }

    /// What a number in a state stands for.
    func shape(_ number: UInt32) -> StateShape? {
        if number & StateShape.isDeclared == 0 { return .saved(version: number) }
        return numbers.firstIndex(of: number).map { shapes[$0] }
    }
}

/// What the states of a record refer to: each owner, in the upper half, with each of its shapes; ascending.
struct StateReferences: Hashable {
    private static let limit = 24
    private var references = InlineArray<24, UInt64>(repeating: 0)
    private(set) var count = 0

    subscript(index: Int) -> UInt64 { references[index] }

    /// - Returns: whether there is room for it.
    mutating func add(_ reference: UInt64) -> Bool {
        var place = count
        while place > 0, references[place - 1] > reference { place -= 1 }
        if place > 0, references[place - 1] == reference { return true }
        guard count < Self.limit else { return false }
        for other in stride(from: count, to: place, by: -1) { references[other] = references[other - 1] }
        references[place] = reference
        count += 1
        return true
    }

    static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }

    func hash(into hasher: inout Hasher) {
        var sum: UInt64 = 0
        for index in 0..<count { sum = (sum ^ self[index]) &* 0x9E37_79B9_7F4A_7C15 }
        hasher.combine(sum)
    }
}

extension SubjectRecord {
    /// What its states refer to; nil if that is more than most records have.
    var references: StateReferences? {
        var references = StateReferences()
        let count = stateCount
        for index in 0..<count {
            let slot = slot(inIndex: index, count)
            guard references.add(UInt64(slot.owner) << 32 | UInt64(slot.shape)) else { return nil }
        }
        return references
    }
}

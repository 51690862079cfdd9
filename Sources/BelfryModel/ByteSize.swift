/// A number of bytes as people write it: `256MiB`.
public struct ByteSize: Sendable, Hashable {
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }

    private static let units = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("kB", 1_000), ("MB", 1_000_000),
        ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ]

    /// A whole number with a unit: KiB, MiB, GiB and TiB, or kB, MB, GB and TB. Nil for anything else, and for what is no size of any
    /// memory.
    public init?(text: String) {
        guard let (unit, factor) = Self.units.first(where: { text.hasSuffix($0.0) }),
            let count = Int(text.dropLast(unit.count)), count >= 0
        else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        self.bytes = bytes
    }
}

extension ByteSize: CustomStringConvertible {
    /// In the largest unit in which it is a whole number.
    public var description: String {
        let unit = Self.units.prefix(4).last { bytes > 0 && bytes.isMultiple(of: $0.1) }
        return unit.map { "\(bytes / $0.1)\($0.0)" } ?? "\(bytes) bytes"
    }
}

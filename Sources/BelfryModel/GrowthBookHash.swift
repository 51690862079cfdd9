/// GrowthBook's hashes, of the documented algorithm: FNV-1a with 32 bits over UTF-8.
///
/// (GrowthBook's own libraries differ from one another for texts beyond ASCII.)
public enum GrowthBookHash {
    /// Version 2: twice, the second time over the decimal digits of the first. 0…9999.
    @inlinable
    public static func bucket(seed: some Sequence<UInt8>, value: some Sequence<UInt8>) -> UInt32 {
        let first = fnv1a(value, from: fnv1a(seed, from: offset))
        return digits(of: first, from: offset) % 10_000
    }

    /// Version 2, from 0 to 1.
    @inlinable
    public static func place(seed: some Sequence<UInt8>, value: some Sequence<UInt8>) -> Double {
        Double(bucket(seed: seed, value: value)) / 10_000
    }

    /// Version 1, from 0 to 1: of namespaces.
    @inlinable
    public static func placeV1(seed: some Sequence<UInt8>, value: some Sequence<UInt8>) -> Double {
        Double(fnv1a(seed, from: fnv1a(value, from: offset)) % 1000) / 1000
    }

    /// Where a value is in a namespace, from 0 to 1.
    @inlinable
    public static func place(inNamespace id: String, value: some Sequence<UInt8>) -> Double {
        placeV1(seed: "__\(id)".utf8, value: value)
    }

    /// The first `coverage` of each part of 0…1, half-open; the parts are in proportion to the weights.
    public static func ranges(weights: [Double], coverage: Double) -> [(start: Double, end: Double)] {
        let sum = weights.reduce(0, +)
        var start = 0.0
        return weights.map { weight in
            let share = weight / sum
            defer { start += share }
            return (start, start + coverage * share)
        }
    }

    @usableFromInline static let offset: UInt32 = 0x811c_9dc5

    @inlinable
    static func fnv1a(_ bytes: some Sequence<UInt8>, from hash: UInt32) -> UInt32 {
        bytes.reduce(hash) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    /// The same over the decimal digits of a number, without making a text of them.
    @inlinable
    static func digits(of number: UInt32, from hash: UInt32) -> UInt32 {
        var divisor: UInt32 = 1
        while number / divisor >= 10 { divisor *= 10 }
        var (rest, hash) = (number, hash)
        while divisor > 0 {
            hash = (hash ^ (48 + rest / divisor)) &* 0x0100_0193
            rest %= divisor
            divisor /= 10
        }
        return hash
    }
}

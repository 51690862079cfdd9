/// GrowthBook's hash, version 2, of the documented algorithm: FNV-1a with 32 bits, twice, the second time over the decimal
/// digits of the first.
enum GrowthBookHash {
    /// The place of a value among 10 000: 0…9999.
    static func bucket(seed: String, value: String) -> UInt32 {
        fnv1a(String(fnv1a(seed + value))) % 10_000
    }

    /// Over UTF-8. (GrowthBook's own libraries differ for texts beyond ASCII.)
    private static func fnv1a(_ text: String) -> UInt32 {
        text.utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}

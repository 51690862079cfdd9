import BelfryModel

/// FNV-1a: the same in every process, unlike `Hasher`.
public func stableHash(_ text: String, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    text.withBytes { stableHash($0, seed: seed) }
}

public func stableHash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

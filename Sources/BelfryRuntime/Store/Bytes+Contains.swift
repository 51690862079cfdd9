import CLinux

extension [UInt8] {
    /// Whether a text is among these bytes, at the speed of memory.
    func contains(_ text: String) -> Bool {
        let text = Array<UInt8>(text.utf8)
        return withUnsafeBytes { bytes in
            text.withUnsafeBytes {
                belfry_contains(bytes.baseAddress!, UInt(bytes.count), $0.baseAddress!, UInt($0.count)) != 0
            }
        }
    }
}

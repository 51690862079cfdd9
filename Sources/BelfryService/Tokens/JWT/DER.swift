/// The few forms of DER (X.690) that keys and signatures are handed to OpenSSL in.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { tagged(0x30, Array(parts.joined())) }

    /// A bit string of whole bytes.
    static func bits(_ content: [UInt8]) -> [UInt8] { tagged(0x03, [0] + content) }

    /// A number that is not negative, from its bytes, the highest first.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        // The highest bit would be a sign.
        return tagged(0x02, digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits)
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag] + length(content.count) + content }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        let bytes = withUnsafeBytes(of: count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}

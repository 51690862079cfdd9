/// Base64 with the standard alphabet and padding (RFC 4648, section 4). By hand, because there is no Foundation here.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Nil for anything that `encode` would not have written.
    static func decode(_ text: String) -> [UInt8]? {
        var sextets: [UInt8] = []
        for byte in text.utf8.reversed().drop(while: { $0 == padding }).reversed() {
            guard let sextet = value(of: byte) else { return nil }
            sextets.append(sextet)
        }
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for sextet in sextets {
            bits = bits << 6 | UInt32(sextet)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // Catches what is left over: wrong padding, and bits after the last byte that are not zero.
        return encode(bytes) == text ? bytes : nil
    }

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place > group.count ? padding : alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

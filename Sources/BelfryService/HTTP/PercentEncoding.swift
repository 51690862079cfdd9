extension StringProtocol {
    /// The text that was percent-encoded (RFC 3986); nil if that makes no sense, or no UTF-8.
    func removingURLPercentEncoding() -> String? {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The names and values of a query, as forms are encoded: a plus is a blank. What makes no sense stays as it is.
    var queryItems: [(name: String, value: String)] {
        split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                String(part).replacing("+", with: " ").removingURLPercentEncoding() ?? String(part)
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

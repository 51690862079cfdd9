import Glibc

/// Times as OpenSSH writes them: of this machine's zone, or with a Z of UTC.
public enum SignerTime {
    /// Nil if that is no such time.
    static func seconds(_ text: String) -> Int64? {
        let isUTC = text.hasSuffix("Z")
        let digits = Array(isUTC ? text.utf8.dropLast() : text.utf8[...])
        guard [8, 12, 14].contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        func number(_ range: Range<Int>) -> Int32 {
            range.upperBound > digits.count ? 0 : digits[range].reduce(0) { $0 * 10 + Int32($1 - 0x30) }
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1900, number(4..<6) - 1, number(6..<8))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(8..<10), number(10..<12), number(12..<14))
        parts.tm_isdst = -1
        let wanted = parts
        let time = isUTC ? timegm(&parts) : mktime(&parts)
        // What is not in the calendar comes back as another day.
        let isKept = (parts.tm_mon, parts.tm_mday, parts.tm_min) == (wanted.tm_mon, wanted.tm_mday, wanted.tm_min)
        return isKept && time > 0 && wanted.tm_sec < 60 ? Int64(time) : nil
    }

    /// For people: RFC 3339, in UTC.
    public static func text(_ seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }
}

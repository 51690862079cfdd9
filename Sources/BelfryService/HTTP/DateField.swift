import Glibc

/// The time of day for the header `Date` (RFC 9110, section 5.6.7), written anew when its second is over.
struct DateField {
    private var second: time_t = 0
    private var text = ""

    var now: String {
        mutating get {
            let now = time(nil)
            if now != second { (second, text) = (now, Self.text(of: now)) }
            return text
        }
    }

    private static func text(of second: time_t) -> String {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        // The program has no other locale than C.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            strftime(buffer.baseAddress!, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(cString: buffer.baseAddress!)
        }
    }
}

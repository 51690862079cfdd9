import BelfryModel

extension SubjectRecord {
    /// The id of a campaign's notification of that number, from 1. Written at once: to add texts to one another takes five times as
    /// long.
    static func notification(_ campaign: String, _ number: Int64) -> String {
        var digits = 1
        var rest = number / 10
        while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
        return campaign.withBytes { campaign in
            let count = campaign.count + 1 + digits
            return String(unsafeUninitializedCapacity: count) { text in
                UnsafeMutableRawBufferPointer(text).copyMemory(from: campaign)
                text[campaign.count] = UInt8(ascii: "/")
                var rest = number
                for place in stride(from: count - 1, to: campaign.count, by: -1) {
                    text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                return count
            }
        }
    }

    /// The campaign and the number of a notification's id; nil if it is no such id.
    static func parts(of notification: String) -> (campaign: String, number: Int64)? {
        notification.withBytes { bytes in
            guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")), let number = number(bytes[(slash + 1)...]) else {
                return nil
            }
            return (String(decoding: bytes[..<slash], as: UTF8.self), number)
        }
    }

    /// Digits, the first of which is not 0.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard let first = digits.first, first != UInt8(ascii: "0") else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeToo) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            if isTooLarge || isTooLargeToo { return nil }
            number = sum
        }
        return number
    }
}

import BelfryModel
import CBelfry

extension SubjectRecord {
    /// The id of a campaign's notification of that number, from 1. Written at once: to add texts to one another takes five times as
    /// long.
    static func notification(_ campaign: String, _ number: Int64) -> String {
        campaign.withBytes { campaign in
            let count = idLength(campaign, number)
            return String(unsafeUninitializedCapacity: count) {
                writeID(campaign, number, to: UnsafeMutableRawPointer($0.baseAddress!), count)
                return count
            }
        }
    }

    /// The same, lent by an arena.
    static func notification(_ campaign: UnsafeRawBufferPointer, _ number: Int64, in arena: Arena) -> belfry_text {
        let count = idLength(campaign, number)
        let text = arena.allocate(bytes: count, alignment: 1)
        writeID(campaign, number, to: text, count)
        return belfry_text(bytes: text.assumingMemoryBound(to: CChar.self), length: UInt64(count))
    }

    private static func idLength(_ campaign: UnsafeRawBufferPointer, _ number: Int64) -> Int {
        var digits = 1
        var rest = number / 10
        while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
        return campaign.count + 1 + digits
    }

    private static func writeID(
        _ campaign: UnsafeRawBufferPointer, _ number: Int64, to text: UnsafeMutableRawPointer, _ count: Int
    ) {
        if let start = campaign.baseAddress { text.copyMemory(from: start, byteCount: campaign.count) }
        text.storeBytes(of: UInt8(ascii: "/"), toByteOffset: campaign.count, as: UInt8.self)
        var rest = number
        for place in stride(from: count - 1, to: campaign.count, by: -1) {
            let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            text.storeBytes(of: digit, toByteOffset: place, as: UInt8.self)
            rest /= 10
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

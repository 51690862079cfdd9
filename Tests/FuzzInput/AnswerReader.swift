/// Takes apart the answers of a service, as they come over a connection.
public struct AnswerReader {
    public struct Answer {
        public let status: Int
        public let isLast: Bool
        public let body: [UInt8]
    }

    private var bytes: [UInt8] = []

    public init() {}

    public mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

    /// The next answer; nil if it is not whole.
    public mutating func next() -> Answer? {
        guard let head = bytes.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else { return nil }
        let text = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).lowercased()
        let lines = text.split(separator: "\r\n")
        guard let (body, end) = body(lines, from: head.upperBound) else { return nil }
        bytes.removeFirst(end)
        return Answer(
            status: lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0,
            isLast: lines.contains("connection: close"), body: body)
    }

    private func body(_ head: [Substring], from start: Int) -> (body: [UInt8], end: Int)? {
        if head.contains("transfer-encoding: chunked") { return chunks(from: start) }
        let length = head.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        guard bytes.count >= start + length else { return nil }
        return (Array(bytes[start..<(start + length)]), start + length)
    }

    private func chunks(from start: Int) -> (body: [UInt8], end: Int)? {
        var (body, place): ([UInt8], Int) = ([], start)
        while true {
            guard let end = bytes[place...].firstRange(of: [0x0D, 0x0A]),
                let size = Int(String(decoding: bytes[place..<end.lowerBound], as: UTF8.self), radix: 16),
                bytes.count >= end.upperBound + size + 2
            else { return nil }
            body += bytes[end.upperBound..<(end.upperBound + size)]
            place = end.upperBound + size + 2
            if size == 0 { return (body, place) }
        }
    }
}

/// Requests to a service without end: right ones, and such whose bodies and headers are nearly right. Their framing is right, so that
/// each has an answer.
public struct RequestFuzzer {
    private var mutator: Mutator
    private var lines: LineFuzzer
    private let token: String

    public init(seed: UInt64, corpus: String, token: String) {
        mutator = Mutator(dice: Dice(seed: seed), tokens: Self.tokens)
        lines = LineFuzzer(seed: seed, corpus: corpus)
        self.token = token
    }

    private static let tokens = [
        "null", "[]", "{}", "\"\"", "1e999", "-0", #"\ud800"#, String(repeating: "[", count: 600), "\n", "\r\n", ",",
        #"{"context":{"targetingKey":"p1"}}"#, #""isRegex":true"#, #""value":"(((((a*)*)*)*)*""#, "welcome",
        "2026-03-02T09:00:00Z",
    ]

    /// What each route takes.
    private static let others: [(path: String, body: String)] = [
        ("/v1/explain", #"{"subject":"p1","campaign":"welcome","region":"store-14","time":"2026-03-03T08:04:00Z"}"#),
        ("/ofrep/v1/evaluate/flags/welcome", #"{"context":{"targetingKey":"p1","tier":"gold","n":[1,{"a":null}]}}"#),
        ("/ofrep/v1/evaluate/flags", #"{"context":{"targetingKey":"p1"}}"#),
        ("PATCH /v1/strategies", #"{"move":"nothing","before":"nowhere"}"#),
    ]

    /// The next request, and whether it may be answered with 200.
    public mutating func next() -> [UInt8] {
        switch mutator.dice.next() % 8 {
        case 0: structured()
        case 1: batch()
        case 2: binary()
        case 3: packed()
        case 4: other()
        default: request("POST /v1/signals", "application/x-ndjson", changed(lines.next(Int(mutator.dice.next() % 4))))
        }
    }

    private mutating func structured() -> [UInt8] {
        request("POST /v1/signals", "application/cloudevents+json", changed(Array(lines.next(1).dropLast())))
    }

    private mutating func batch() -> [UInt8] {
        let events = (0..<mutator.dice.next() % 4).map { _ in lines.next(1).dropLast() }
        let body = [UInt8(ascii: "[")] + Array(events.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
        return request("POST /v1/signals", "application/cloudevents-batch+json", changed(body))
    }

    private mutating func binary() -> [UInt8] {
        var fields: [UInt8] = []
        for (name, value) in [
            ("id", "b-1"), ("source", "t%C3%A4st"), ("type", "notification.requested"), ("subject", "p1"),
            ("time", "2026-03-02T09:00:00Z"), ("specversion", "1.0"),
        ] where mutator.dice.happens(0.9) {
            // What ends a field would end the request.
            let value = changed(Array(value.utf8)).filter { $0 >= 0x20 && $0 < 0x7F }
            fields += Array("ce-\(name): ".utf8) + value + [0x0D, 0x0A]
        }
        return request("POST /v1/signals", "application/json", changed(Array(#"{"campaign":"welcome"}"#.utf8)), fields)
    }

    private mutating func packed() -> [UInt8] {
        var body = StoredGzip.bytes(of: lines.next(3))
        if mutator.dice.happens(0.7) { mutator.flip(&body) }
        return request("POST /v1/signals", "application/x-ndjson", body, Array("Content-Encoding: gzip\r\n".utf8))
    }

    private mutating func other() -> [UInt8] {
        let (path, body) = mutator.dice.pick(Self.others)
        return request(path.contains(" ") ? path : "POST \(path)", "application/json", changed(Array(body.utf8)))
    }

    private mutating func changed(_ body: [UInt8]) -> [UInt8] {
        var body = body
        if mutator.dice.happens(0.6) { mutator.mutate(&body, with: Array(Self.others[0].body.utf8)) }
        return body
    }

    private func request(_ line: String, _ type: String, _ body: [UInt8], _ fields: [UInt8] = []) -> [UInt8] {
        let head = """
            \(line) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\nContent-Type: \(type)\r\n\
            Content-Length: \(body.count)\r\n
            """
        return Array(head.utf8) + fields + [0x0D, 0x0A] + body
    }
}

/// Gzip without packing (RFC 1951, section 3.2.4): what is to be unpacked is all there is to it.
enum StoredGzip {
    static func bytes(of content: [UInt8]) -> [UInt8] {
        let count = UInt16(clamping: content.count)
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1] + little(count) + little(~count) + content
            + little(checksum(of: content)) + little(UInt32(content.count))
    }

    private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// CRC-32 (RFC 1952, section 8), a bit at a time.
    private static func checksum(of content: [UInt8]) -> UInt32 {
        ~content.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}

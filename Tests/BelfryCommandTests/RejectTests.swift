import Foundation
import Testing

/// Bad input, docs/signals.md: never half-applied, never fatal, and it does not move time.
@Suite struct RejectTests {
    private static let configuration = """
        app: shop
        regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: enter, regions: all } ], deleteOn: never }
          - { id: still, message: Still here, triggers: [ { on: dwell, dwell: 10m, regions: all } ] }
        """

    /// A line that is rejected, with what the message says.
    struct Bad: CustomTestStringConvertible, Sendable {
        let code: String
        let bytes: [UInt8]
        let says: String

        init(_ code: String, _ line: String, _ says: String) { self.init(code, bytes: Array(line.utf8), says) }

        init(_ code: String, bytes: [UInt8], _ says: String) {
            (self.code, self.bytes, self.says) = (code, bytes, says)
        }

        /// A signal of ana that is well but for its data. It lies far ahead: were time moved by it, a timer would fire.
        init(_ code: String, type: String, channel: String? = nil, _ data: String, _ says: String) {
            let channel = channel.map { #""channel":"\#($0)","# } ?? ""
            self.init(
                code,
                #"{"id":"x","type":"\#(type)","subject":"ana",\#(channel)"time":"2027-01-01T00:00:00Z","data":\#(data)}"#,
                says)
        }

        var testDescription: String { "\(code): \(String(decoding: bytes.prefix(120), as: UTF8.self))" }
    }

    private static let form: [Bad] = [
        Bad("invalid-json", "nonsense", "the line is not JSON"),
        Bad("invalid-json", #"{"type":"x","subject":"ana""#, "the line is not JSON"),
        Bad(
            "invalid-json", #"{"type":"x","subject":"ana","time":"2027-01-01T00:00:00Z"} more"#, "the line is not JSON"),
        Bad("invalid-json", #"{'type':'x'}"#, "the line is not JSON"),
        Bad("invalid-json", "\u{0}", "the line is not JSON"),
        Bad("invalid-json", String(repeating: "[", count: 5000), "the line is not JSON"),
        Bad(
            "invalid-json", bytes: Array(#"{"type":"x","subject":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8),
            "not valid UTF-8"),
        Bad("invalid-json", "[]", "JSON but no object"),
        Bad("invalid-json", "\"text\"", "JSON but no object"),
        Bad("invalid-json", "42", "JSON but no object"),
        Bad("invalid-json", "null", "JSON but no object"),
        Bad("missing-attribute", "{}", "'type' is missing"),
        Bad("missing-attribute", #"{"type":null,"subject":"ana","time":"2027-01-01T00:00:00Z"}"#, "'type' is missing"),
        Bad("missing-attribute", #"{"type":"x","time":"2027-01-01T00:00:00Z"}"#, "'subject' is missing"),
        Bad("missing-attribute", #"{"type":"x","subject":"ana"}"#, "'time' is missing"),
        Bad("missing-attribute", #"{"type":"clock.advanced"}"#, "'time' is missing"),
        Bad("invalid-attribute", #"{"type":7,"subject":"ana","time":"2027-01-01T00:00:00Z"}"#, "'type' is 7"),
        Bad("invalid-attribute", #"{"type":"","subject":"ana","time":"2027-01-01T00:00:00Z"}"#, "'type' is ''"),
        Bad("invalid-attribute", #"{"type":"x","subject":"","time":"2027-01-01T00:00:00Z"}"#, "'subject' is ''"),
        Bad(
            "invalid-attribute",
            #"{"type":"x","subject":"\#(String(repeating: "ö", count: 513))","time":"2027-01-01T00:00:00Z"}"#,
            "'subject' is '\(String(repeating: "ö", count: 80))…'; expected at most 1024 bytes of UTF-8"),
        Bad("invalid-attribute", #"{"type":"x","subject":["ana"],"time":"2027-01-01T00:00:00Z"}"#, "'subject' is"),
        Bad("invalid-attribute", #"{"type":"x","subject":"ana","time":"tomorrow"}"#, "'time' is 'tomorrow'"),
        Bad("invalid-attribute", #"{"type":"x","subject":"ana","time":1798761600}"#, "'time' is 1798761600"),
        Bad("invalid-attribute", #"{"type":"x","subject":"ana","time":"2027-02-30T00:00:00Z"}"#, "RFC 3339"),
        Bad("invalid-attribute", #"{"type":"x","subject":"ana","time":"2027-01-01T00:00:00"}"#, "RFC 3339"),
        Bad("invalid-attribute", #"{"type":"x","subject":"ana","time":"2027-01-01"}"#, "RFC 3339"),
        Bad(
            "invalid-attribute", #"{"type":"x","subject":"ana","time":"0000-01-01T00:00:00+00:01"}"#,
            "expected a time in the years 0000 to 9999 of UTC"),
        Bad(
            "invalid-attribute", #"{"type":"x","subject":"ana","time":"9999-12-31T23:59:59.999-00:01"}"#,
            "expected a time in the years 0000 to 9999 of UTC"),
        Bad("invalid-attribute", #"{"id":5,"type":"x","subject":"ana","time":"2027-01-01T00:00:00Z"}"#, "'id' is 5"),
        Bad(
            "invalid-attribute", #"{"source":5,"type":"x","subject":"ana","time":"2027-01-01T00:00:00Z"}"#,
            "'source' is 5"),
        Bad(
            "invalid-attribute", #"{"channel":5,"type":"x","subject":"ana","time":"2027-01-01T00:00:00Z"}"#,
            "'channel' is 5"),
        Bad("invalid-attribute", type: "x", "\"text\"", "'data' is 'text'; expected an object"),
        Bad("invalid-attribute", type: "x", "[1]", "'data' is"),
    ]

    private static let data: [Bad] = [
        Bad("missing-attribute", type: "location.updated", #"{"longitude":4}"#, "'data.latitude' is missing"),
        Bad("missing-attribute", type: "location.updated", #"{"latitude":4}"#, "'data.longitude' is missing"),
        Bad("invalid-attribute", type: "location.updated", #"{"latitude":90.1,"longitude":4}"#, "-90 to 90"),
        Bad("invalid-attribute", type: "location.updated", #"{"latitude":52,"longitude":-180.5}"#, "-180 to 180"),
        Bad(
            "invalid-attribute", type: "location.updated", #"{"latitude":"52","longitude":4}"#,
            "'data.latitude' is '52'"),
        Bad(
            "invalid-attribute", type: "location.updated", #"{"latitude":52,"longitude":4,"accuracy":-1}"#,
            "'data.accuracy' is -1"),
        Bad("missing-attribute", type: "region.entered", "{}", "'data.region' is missing"),
        Bad("invalid-attribute", type: "region.exited", #"{"region":14}"#, "'data.region' is 14"),
        Bad("missing-attribute", type: "beacon.ranged", #"{"major":1,"minor":1}"#, "'data.uuid' is missing"),
        Bad("invalid-attribute", type: "beacon.ranged", #"{"uuid":"u","major":65536,"minor":1}"#, "0 to 65535"),
        Bad("invalid-attribute", type: "beacon.ranged", #"{"uuid":"u","major":1,"minor":1.5}"#, "0 to 65535"),
        Bad(
            "invalid-attribute", type: "beacon.ranged", #"{"uuid":"u","major":1,"minor":1,"distance":"far"}"#,
            "'data.distance'"),
        Bad("missing-attribute", type: "notification.requested", "{}", "'data.campaign' is missing"),
        Bad(
            "invalid-attribute", type: "notification.requested", #"{"campaign":"hello","delete":"yes"}"#,
            "true or false"),
        Bad(
            "invalid-attribute", type: "notification.requested", #"{"campaign":"hello","title":5}"#, "'data.title' is 5"
        ),
        Bad("missing-attribute", type: "notification.opened", "{}", "'data.notification' is missing"),
        Bad(
            "invalid-attribute", type: "notification.opened", #"{"notification":"hello/1","button":1}"#,
            "'data.button' is 1"),
        Bad("missing-attribute", type: "notification.dismissed", "{}", "'data.notification' is missing"),
        Bad("missing-attribute", type: "attributes.set", "{}", "'data.values' is missing"),
        Bad("invalid-attribute", type: "attributes.updated", #"{"values":[1]}"#, "'data.values' is"),
        Bad("invalid-attribute", type: "attributes.set", #"{"scope":"device","values":{}}"#, "user or channel"),
        Bad("invalid-attribute", type: "attributes.set", #"{"values":{"timeZone":5}}"#, "'data.values.timeZone' is 5"),
        Bad("invalid-attribute", type: "attributes.updated", channel: "p", #"{"values":{"timeZone":[]}}"#, "IANA"),
        Bad("missing-attribute", type: "attributes.set", #"{"scope":"channel","values":{}}"#, "'channel' is missing"),
        Bad("missing-attribute", type: "attributes.deleted", #"{"scope":"channel","keys":[]}"#, "'channel' is missing"),
        Bad("missing-attribute", type: "attributes.deleted", "{}", "'data.keys' is missing"),
        Bad("invalid-attribute", type: "attributes.deleted", #"{"keys":"tier"}"#, "a list of texts"),
        Bad("invalid-attribute", type: "attributes.deleted", #"{"keys":[1]}"#, "a list of texts"),
        Bad("missing-attribute", type: "device.registered", "{}", "'channel' is missing"),
        Bad(
            "invalid-attribute", type: "device.registered", channel: "p", #"{"attributes":"none"}"#,
            "expected an object"),
        Bad("invalid-attribute", type: "device.registered", channel: "p", #"{"attributes":{"timeZone":1}}"#, "IANA"),
        Bad(
            "invalid-attribute", type: "device.registered", channel: "p", #"{"attributes":{"supportsButtons":"no"}}"#,
            "true or false"),
        Bad("missing-attribute", type: "history.cleared", "{}", "'data.list' is missing"),
        Bad("invalid-attribute", type: "history.cleared", #"{"list":"all"}"#, "notifications or geotriggers"),
        Bad("unknown-region", type: "region.entered", #"{"region":"dan"}"#, "did you mean 'dam'?"),
        Bad("unknown-region", type: "region.exited", #"{"region":"elsewhere"}"#, "no region 'elsewhere'"),
        Bad("unknown-campaign", type: "notification.requested", #"{"campaign":"helo"}"#, "did you mean 'hello'?"),
        Bad(
            "unknown-campaign", type: "notification.requested", #"{"campaign":"helo","delete":true}"#,
            "did you mean 'hello'?"),
        Bad("unknown-notification", type: "notification.opened", #"{"notification":"hello/2"}"#, "'hello/2'"),
        Bad("unknown-notification", type: "notification.opened", #"{"notification":"hello"}"#, "'hello'"),
        Bad("unknown-notification", type: "notification.dismissed", #"{"notification":"hello/0"}"#, "'hello/0'"),
        Bad(
            "unknown-zone", type: "attributes.set", #"{"scope":"user","values":{"timeZone":"Europe/Amsterdm"}}"#,
            "no time zone 'Europe/Amsterdm'"),
        Bad(
            "unknown-zone", type: "device.registered", channel: "p", #"{"attributes":{"timeZone":"../etc/passwd"}}"#,
            "no time zone"),
    ]

    private static let bad = form + data

    /// A good signal, of another subject each time, which would dwell, were time moved.
    private static func good(_ number: Int) -> [UInt8] {
        let time = "2026-03-02T09:0\(number / 60):\(number % 60 < 10 ? "0" : "")\(number % 60)Z"
        return Array(
            #"{"id":"g","type":"region.entered","subject":"good-\#(number)","time":"\#(time)","data":{"region":"dam"}}"#
                .utf8)
    }

    /// Every bad line, with good ones and a blank one around it.
    private static let disturbed = Result {
        try run(bad.enumerated().flatMap { [good($0), $1.bytes, []] } + [good(bad.count)])
    }

    /// The same without the bad lines.
    private static let undisturbed = Result { try run((0...bad.count).map(good)) }

    private static func run(_ lines: [[UInt8]]) throws -> (result: Command.Result, rejects: [JSON]) {
        let input = Data(lines.joined(separator: [0x0A])) + Data([0x0A])
        let result = try Workplace(["belfry.yaml": configuration]).belfry(["run"], input: input)
        let rejects = try result.errors.split(separator: "\n").filter { $0.hasPrefix("{") }.map { try JSON(String($0)) }
        return (result, rejects)
    }

    @Test(arguments: bad.indices)
    func `a bad line is rejected with its number, a code, a sentence and the line itself`(index: Int) throws {
        let bad = Self.bad[index]
        let rejects = try Self.disturbed.get().rejects.filter { $0["line"] == .integer(Int64(index * 3 + 2)) }
        try #require(rejects.count == 1, "\(bad.testDescription)")
        #expect(rejects[0].value.map?.entries.map(\.key) == ["code", "input", "line", "message"])
        #expect(rejects[0]["code"]?.text == bad.code, "\(bad.testDescription)")
        #expect(rejects[0]["message"]?.text?.contains(bad.says) == true, "\(rejects[0]["message"]?.text ?? "")")
        #expect(rejects[0]["input"]?.text == String(decoding: bad.bytes, as: UTF8.self))
    }

    @Test func `everything else is decided as if the bad lines were not there, and time stands still`() throws {
        let (disturbed, undisturbed) = (try Self.disturbed.get().result, try Self.undisturbed.get().result)
        #expect(undisturbed.status == 0 && undisturbed.lines.count == Self.bad.count + 1)
        #expect(disturbed.status == 3)
        for (found, expected) in zip(disturbed.lines, undisturbed.lines) { #expect(found == expected) }
        #expect(disturbed.lines.count == undisturbed.lines.count)
    }

    @Test func `rejects are counted by their code`() throws {
        let result = try Self.disturbed.get().result
        for (code, count) in Dictionary(grouping: Self.bad, by: \.code).mapValues(\.count) {
            #expect(result.errors.contains("  rejected as \(code): \(count)\n"))
        }
    }

    @Test func `of a line over one mebibyte only the beginning is repeated; one of exactly that length is read`() throws
    {
        func line(_ length: Int) -> [UInt8] {
            let frame = #"{"id":"l","type":"x","subject":"ana","time":"2026-03-02T09:00:30Z","data":{"pad":""}}"#
            return Array(frame.dropLast(3).utf8) + [UInt8](repeating: 0x78, count: length - frame.utf8.count)
                + Array("\"}}".utf8)
        }
        let good = [Self.good(0), Self.good(1)]
        #expect(try Self.run([good[0], line(1 << 20), good[1]]).result.status == 0)
        for length in [(1 << 20) + 1, 5 << 20] {
            let (result, rejects) = try Self.run([good[0], line(length), good[1]])
            #expect(result.status == 3 && result.lines.count == 2)
            #expect(rejects.map { $0["code"] } == ["line-too-long"] && rejects.first?["line"] == 2)
            #expect(rejects.first?["input"]?.text.map { $0.count < 1000 && $0.hasPrefix(#"{"id":"l""#) } == true)
        }
    }

    @Test func `a CRLF at the end of a line is neither counted nor repeated`() throws {
        let frame = #"{"id":"l","type":"x","subject":"ana","time":"2026-03-02T09:00:30Z"}"#
        func line(_ length: Int) -> [UInt8] {
            Array(frame.utf8) + [UInt8](repeating: 0x20, count: length - frame.utf8.count) + [0x0D]
        }
        #expect(try Self.run([line(1 << 20)]).result.status == 0)
        #expect(try Self.run([Self.good(0), line(1 << 20), Self.good(1)]).result.status == 0)
        for lines in [[line((1 << 20) + 1)], [Self.good(0), line((1 << 20) + 1), Self.good(1)]] {
            #expect(try Self.run(lines).rejects.map { $0["code"] } == ["line-too-long"])
        }
        #expect(try Self.run([Array("nope\r".utf8)]).rejects.map { $0["input"] } == ["nope"])
    }

    @Test func `what is wrong only because of where it stands is told there`() throws {
        let opened =
            #"{"type":"notification.opened","subject":"good-0","time":"2026-03-02T09:00:00Z","data":{"notification":"hello/1"}}"#
        let (result, rejects) = try Self.run([Array(opened.utf8), Self.good(0), Array(opened.utf8)])
        #expect(rejects.map { $0["line"] } == [1] && rejects.first?["code"] == "unknown-notification")
        #expect(result.output.contains("notification.opened"))
    }
}

import BelfryModel
import Foundation
import Synchronization
import Testing

/// The same signals posted in every form that there is, over few and many connections, beside a run (`make service-forms`).
@Suite struct SignalFormsTests {
    /// How signals go over, and how many at a time.
    enum Form: CaseIterable {
        case headers, event, batch, lines, packedLines

        var count: Int {
            switch self {
            case .headers, .event: 1
            case .batch: 100
            case .lines, .packedLines: 1000
            }
        }
    }

    private let connections = Load.number("BELFRY_FORMS") == nil ? [4] : [1, 4, 32]

    @Test(arguments: Form.allCases)
    func `a form makes no difference, nor do connections`(form: Form) throws {
        let day = try Day()
        let wanted = try day.decisionsOfRun()
        #expect(wanted.count > 3)
        for count in connections {
            let found = try day.decisionsOfService(form, connections: count)
            let different = Set(wanted.keys).union(found.keys).filter { wanted[$0] != found[$0] }.sorted()
            #expect(different == [], "\(form), \(count) connections")
            let decisions = found.values.reduce(0) { $0 + $1.count }
            print(
                "\(form), \(count) connections: \(day.signals.count) signals, \(decisions) decisions, \(different.count) subjects differ"
            )
        }
    }
}

/// Signals with ids, ended by a tick, and a configuration for them.
private struct Day: Sendable {
    let configuration: String
    let signals: [Line]
    private let end: String
    private static let store = "sqlite:s.db"

    struct Line: Sendable {
        let text: String
        let fields: Fields
        var subject: String { fields["subject"]?.text ?? "" }
    }

    init() throws {
        let named = try Load.source()
        configuration = named?.configuration ?? BusyDay.configuration(batch: 20)
        let lines = named?.signals.split(separator: "\n").map(String.init) ?? BusyDay.signals(300, seed: 3)
        signals = lines.compactMap { text -> Line? in
            guard let fields = Value(json: Array(text.utf8)[...])?.map, fields["id"]?.text != nil,
                fields["type"]?.text != nil,
                fields["subject"]?.text != nil
            else { return nil }
            return Line(text: text, fields: fields)
        }
        let last = signals.compactMap { $0.fields["time"]?.text.flatMap(Instant.init(rfc3339:)) }.max() ?? .wallClock
        end = #"{"id":"the-end","type":"clock.advanced","time":"\#(last + .seconds(86_400))"}"#
    }

    private func place() throws -> Workplace { try Workplace(["belfry.yaml": configuration]) }

    /// Of each subject, in order.
    func decisionsOfRun() throws -> [String: [String]] {
        let place = try place()
        let input = signals.map(\.text) + [end]
        let result = try place.belfry(
            ["run", "--clock", "signals", "--store", "memory:"], input: Data(input.asFile.utf8))
        try #require([0, 3].contains(result.status), "\(result.errors)")
        return Self.bySubject(result.lines.map { Value(json: Array($0.utf8)[...])?.json ?? $0 })
    }

    func decisionsOfService(_ form: SignalFormsTests.Form, connections: Int) throws -> [String: [String]] {
        let place = try place()
        try place.write(configuration + "\nserve: { tokens: tokens.yaml }\n", to: "belfry.yaml")
        let token = try place.belfry("tokens", "new", "backend", "--role", "submit").lines[0]
        let service = try LiveService(in: place, "--clock", "signals", "--store", Self.store, token: token)
        let port = try #require(service.api.split(separator: ":").last.flatMap { UInt16($0) })
        let parts = Dictionary(grouping: signals) { Int(UInt(bitPattern: $0.subject.hashValue) % UInt(connections)) }
        let failures = Mutex<[String]>([])
        let crew = Crew()
        for part in parts.values {
            crew.hire {
                let client = PlainClient(port: port, token: token)
                for start in stride(from: 0, to: part.count, by: form.count) {
                    let piece = Array(part[start..<min(start + form.count, part.count)])
                    if let failure = post(piece, form, client) { failures.withLock { $0.append(failure) } }
                }
            }
        }
        crew.wait()
        try #require(failures.withLock { $0 } == [])
        let client = PlainClient(port: port, token: token)
        let last = try client.ask(
            "POST", "/v1/signals", headers: ["Content-Type": "application/x-ndjson"], body: Array(end.utf8))
        try #require(last.status == 200, "\(last.text)")
        try #require(service.stop() == 0)
        return Self.bySubject(try place.decisions(arguments: "--store", Self.store))
    }

    /// - Returns: what was not answered as it has to be.
    private func post(_ lines: [Line], _ form: SignalFormsTests.Form, _ client: PlainClient) -> String? {
        do {
            let (headers, body) = try message(of: lines, form)
            let answer = try client.ask("POST", "/v1/signals", headers: headers, body: body)
            return answer.status == 200 ? nil : "\(answer.status) \(answer.text)"
        } catch {
            return "\(error)"
        }
    }

    private func message(of lines: [Line], _ form: SignalFormsTests.Form) throws -> ([String: String], [UInt8]) {
        let texts = lines.map(\.text)
        return switch form {
        case .headers: (Self.headers(of: lines[0].fields), lines[0].fields["data"].map { Array($0.json.utf8) } ?? [])
        case .event: (["Content-Type": "application/cloudevents+json"], Array(texts[0].utf8))
        case .batch:
            (["Content-Type": "application/cloudevents-batch+json"], Array("[\(texts.joined(separator: ","))]".utf8))
        case .lines: (["Content-Type": "application/x-ndjson"], Array(texts.asFile.utf8))
        case .packedLines:
            (["Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"], try Gzip.pack(texts.asFile))
        }
    }

    /// CloudEvents, HTTP protocol binding, binary mode: attributes are headers, percent-encoded.
    private static func headers(of fields: Fields) -> [String: String] {
        var headers: [String: String] = [:]
        for field in fields.entries where field.key != "data" {
            let text = field.value.text ?? field.value.json
            headers["ce-\(field.key)"] = text.utf8.reduce(into: "") { encoded, byte in
                let isPlain = (0x21...0x7E).contains(byte) && ![UInt8(ascii: "%"), UInt8(ascii: "\"")].contains(byte)
                encoded +=
                    isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        if fields["data"] != nil { headers["Content-Type"] = "application/json" }
        return headers
    }

    private static func bySubject(_ lines: [String]) -> [String: [String]] {
        Dictionary(grouping: lines) { Value(json: Array($0.utf8)[...])?.map?["subject"]?.text ?? "" }
    }
}

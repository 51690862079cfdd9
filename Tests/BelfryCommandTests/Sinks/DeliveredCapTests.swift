import Foundation
import Testing

/// `max-per-period` with `counts: delivered`: what a sink gave up gives its place back.
@Suite struct DeliveredCapTests {
    private static func workplace(_ parameters: String) throws -> Workplace {
        try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            chain:
              - { strategy: max-per-period, parameters: { \(parameters) } }
            campaigns:
              - { id: sale, title: Sale }
            """
        ])
    }

    /// A signal at a time of 2 March, or of the day after it with a '+'.
    private static func signal(_ time: String, _ what: String, _ number: Int) -> String {
        let at = time.hasPrefix("+") ? "2026-03-03T\(time.dropFirst())" : "2026-03-02T\(time)"
        let words = what.split(separator: " ")
        let (type, data) =
            words[0] == "request"
            ? ("notification.requested", #""campaign":"sale""#)
            : ("notification.\(words[0])", #""notification":"\#(words[1])","campaign":"sale","sink":"\#(words[2])""#)
        return #"{"id":"s-\#(number)","type":"\#(type)","subject":"ana","time":"\#(at):00Z","data":{\#(data)}}"#
    }

    /// What was decided about each request.
    private func decided(_ place: Workplace, _ signals: (time: String, what: String)...) throws -> [String] {
        let lines = signals.enumerated().map { Self.signal($1.time, $1.what, $0) }
        let result = try place.belfry("run", input: lines.asFile)
        #expect(result.status == 0, "\(result.errors)")
        return try result.lines.map { line in
            let decision = try JSON(line)
            let reason = decision["data"]?.map?["reasons"]?.list?.first?.map?["message"]?.text
            return reason ?? decision["data"]?.map?["notification"]?.text ?? "?"
        }
    }

    @Test(arguments: ["period: 1h", "calendar: day", "lifetime: true"])
    func `one that failed gives its place back, once`(window: String) throws {
        let place = try Self.workplace("max: 1, \(window), counts: delivered")
        let decided = try decided(
            place, ("09:00", "request"), ("09:10", "request"), ("09:20", "failed sale/1 push"), ("09:21", "request"),
            ("09:22", "failed sale/1 mail"), ("09:23", "request"), ("09:24", "delivered sale/2 push"),
            ("09:25", "request"))
        let used = ["period: 1h": "1 of 1 in 1h is used", "calendar: day": "1 of 1 today is used"]
        let full = used[window] ?? "1 of 1 in all is used"
        #expect(decided == ["sale/1", full, "sale/2", full, full])
    }

    @Test func `it comes back although its 'when' does not hold any more`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: "memory:"
            chain:
              - strategy: max-per-period
                parameters: { max: 1, calendar: day, counts: delivered }
                when: { user.vip: { $ne: true } }
            campaigns: [ { id: sale } ]
            """
        ])
        func attributes(_ time: String, _ values: String) -> String {
            #"{"type":"attributes.set","subject":"ana","time":"2026-03-02T\#(time):00Z","data":{"values":\#(values)}}"#
        }
        let result = try place.belfry(
            "run",
            input: [
                Self.signal("09:00", "request", 0), attributes("09:01", #"{"vip":true}"#),
                Self.signal("09:02", "failed sale/1 push", 1), attributes("09:03", "{}"),
                Self.signal("09:04", "request", 2), Self.signal("09:05", "request", 3),
            ].asFile)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try result.lines.map { try JSON($0)["type"]?.text?.split(separator: ".").last } == [
                "created", "created", "suppressed",
            ])
    }

    @Test func `of a lifetime, as many are known as its maximum`() throws {
        let place = try Self.workplace("max: 120, lifetime: true, counts: delivered")
        try place.write(
            try String(contentsOf: place.file("belfry.yaml"), encoding: .utf8) + "\nhistory: { limit: 200 }\n",
            to: "belfry.yaml")
        let requests = (0..<120).map { Self.signal("09:00", "request", $0) }
        let rest = [Self.signal("09:01", "failed sale/1 push", 120), Self.signal("09:02", "request", 121)]
        let result = try place.belfry("run", input: (requests + rest).asFile)
        #expect(result.lines.count == 121 && result.lines.last?.contains("sale/121") == true, "\(result.errors)")
    }

    @Test func `two of one instant are told apart`() throws {
        let place = try Self.workplace("max: 2, period: 1h, counts: delivered")
        let decided = try decided(
            place, ("09:00", "request"), ("09:00", "request"), ("09:01", "failed sale/1 push"),
            ("09:02", "failed sale/1 mail"), ("09:03", "request"), ("09:04", "request"),
            ("09:05", "failed sale/2 push"),
            ("09:06", "request"))
        #expect(decided == ["sale/1", "sale/2", "sale/3", "2 of 2 in 1h are used", "sale/4"])
    }

    @Test func `a place is given back in its own window only`() throws {
        let place = try Self.workplace("max: 1, calendar: day, counts: delivered")
        let decided = try decided(
            place, ("09:00", "request"), ("+09:00", "request"), ("+09:10", "failed sale/1 push"), ("+09:20", "request"))
        #expect(decided == ["sale/1", "sale/2", "1 of 1 today is used"])
    }

    @Test(arguments: ["", ", counts: created"])
    func `what is created counts unless something else is said`(counts: String) throws {
        let place = try Self.workplace("max: 1, period: 1h\(counts)")
        let decided = try decided(
            place, ("09:00", "request"), ("09:20", "failed sale/1 push"), ("09:21", "request"))
        #expect(decided == ["sale/1", "1 of 1 in 1h is used"])
    }

    /// What failed is remembered across runs, and is a fact for another set of parameters too.
    @Test func `explain knows it, and a limit that counts so from now on`() throws {
        let place = try Self.workplace("max: 1, lifetime: true")
        _ = try decided(place, ("09:00", "request"), ("09:20", "failed sale/1 push"))
        #expect(try place.belfry("explain", "--subject", "ana", "--campaign", "sale").output.contains("1 of 1 in all"))
        try place.write(
            try place.text(of: "belfry.yaml").replacing("true }", with: "true, counts: delivered }"), to: "belfry.yaml")
        let explained = try place.belfry("explain", "--subject", "ana", "--campaign", "sale", "--json").output
        #expect(try JSON(explained)["result"] == "created", "\(explained)")
    }

    @Test(arguments: ["fixed", "gcra"])
    func `windows that cannot take one back are refused`(algorithm: String) throws {
        let place = try Self.workplace("max: 1, period: 1h, algorithm: \(algorithm), counts: delivered")
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(result.errors.contains("belfry.yaml:4: chain[0].parameters"), "\(result.errors)")
        #expect(result.errors.contains("'counts: delivered' goes with 'algorithm: rolling', 'calendar' and 'lifetime'"))
    }

    @Test func `a sink that gives one up makes room for the next`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            chain:
              - { strategy: max-per-period, per: campaign, parameters: { max: 1, lifetime: true, counts: delivered } }
            sinks:
              - { id: shell, type: exec, command: [sh, -c, 'while read -r line; do echo drop no such device; done'], when: { campaign.id: hello } }
            campaigns:
              - { id: hello, message: Hello }
              - { id: letter, message: You could not be reached, triggers: [ { on: notification.failed } ] }
            """
        ])
        let run = try LiveRun(in: place, "--clock", "wall")
        func request(_ number: Int) throws {
            try run.send([
                #"{"id":"s-\#(number)","type":"notification.requested","subject":"ana","data":{"campaign":"hello"}}"#
            ])
        }
        try request(1)
        #expect(try JSON(run.nextDecision())["data"]?.map?["notification"] == "hello/1")
        #expect(try JSON(run.nextDecision())["data"]?.map?["notification"] == "letter/1")
        try request(2)
        #expect(try JSON(run.nextDecision())["data"]?.map?["notification"] == "hello/2")
        #expect(try run.end() == 0)
    }
}

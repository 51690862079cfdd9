import BelfryConfiguration
import BelfryModel
import Foundation
import Testing

@testable import BelfryDelivery

/// The built command, stores in files, and real receivers that fail on purpose.
@Suite struct SinkCommandTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private static func workplace(_ sinks: String..., store: String = "sqlite:s.db") throws -> Workplace {
        try Workplace([
            "belfry.yaml": """
            app: shop
            store: \(store)
            campaigns:
              - { id: sale, title: Sale, message: Half price, data: "https://shop.example/sale", tags: [shop] }
              - { id: news, title: News }
            sinks:
            \(sinks.map { "  - \($0)" }.joined(separator: "\n"))
            """
        ])
    }

    private static func requests(_ numbers: Range<Int>, subjects: Int = 1, campaign: String = "sale") -> String {
        numbers.map { number in
            #"{"id":"s-\#(number)","type":"notification.requested","subject":"p\#(number % subjects)","#
                + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"\#(campaign)"}}"#
        }.asFile
    }

    // MARK: Webhooks

    @Test func `a webhook gets the decision's bytes, signed as Standard Webhooks has it`() throws {
        let server = try EventServer()
        let place = try Self.workplace(
            "{ id: crm, type: webhook, url: '\(server.url)?key=1', types: [notification.created], "
                + "when: { campaign.tags: { $elemMatch: { $eq: shop } } }, secret: '${OLD} ${NEW}', "
                + "headers: { X-Team: '${OLD}' }, allow: [127.0.0.1] }")
        let (old, new) = ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Self.secret)
        let input = Self.requests(0..<1) + Self.requests(1..<2, campaign: "news")
        let result = try place.belfry("run", input: input, environment: ["OLD": old, "NEW": new])
        #expect(result.status == 0, "\(result.errors)")
        let post = try #require(server.posts.first)
        #expect(server.posts.count == 1)
        #expect(post.body == result.lines[0])
        #expect(post.headers["webhook-id"] == "p0:1" && post.headers["x-team"] == old)
        #expect(post.headers["content-type"] == "application/cloudevents+json")
        let timestamp = try #require(post.headers["webhook-timestamp"].flatMap { Int64($0) })
        #expect(abs(Double(timestamp) - Date.now.timeIntervalSince1970) < 600)
        let one = WebhookSignature.text(
            try #require(WebhookKeys(old)), id: "p0:1", timestamp: timestamp, body: Array(post.body.utf8))
        #expect(post.headers["webhook-signature"] == "\(one) \(one)")
    }

    @Test func `a webhook may have a body of its own`() throws {
        let server = try EventServer()
        let place = try Self.workplace(
            "{ id: chat, type: webhook, url: '\(server.url)', allow: [127.0.0.1], secret: \(Self.secret), "
                + "body: { text: '*{data.title}* for {subject}: {{{data.nothing}}}', tags: '{campaign.tags}', "
                + "none: '{data.nothing}', at: ['{time}', 7, true] } }")
        _ = try place.belfry("run", input: Self.requests(0..<1))
        let post = try #require(server.posts.first)
        #expect(
            post.body
                == #"{"text":"*Sale* for p0: {}","tags":["shop"],"none":null,"at":["2026-03-02T09:00:00Z",7,true]}"#)
        #expect(post.headers["content-type"] == "application/json")
        let timestamp = try #require(post.headers["webhook-timestamp"].flatMap { Int64($0) })
        #expect(
            post.headers["webhook-signature"]
                == WebhookSignature.text(
                    try #require(WebhookKeys(Self.secret)), id: "p0:1", timestamp: timestamp,
                    body: Array(post.body.utf8)))
    }

    /// The example of the specification's reference libraries.
    @Test func `the signature is that of the reference libraries`() throws {
        let signature = WebhookSignature.text(
            try #require(WebhookKeys(Self.secret)), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `what has not arrived waits for the next run`() throws {
        let server = try EventServer([.status(500)], then: .status(500))
        let place = try Self.workplace("{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.0/8] }")
        let first = try place.belfry("run", input: Self.requests(0..<3, subjects: 3))
        #expect(first.status == 0)
        #expect(
            first.errors.contains(
                """
                warning: 3 decisions were not delivered to sink 'crm'
                  why: answers 500 Internal Server Error
                  effect: they are in the journal, and the next run goes on with them
                """), "\(first.errors)")
        #expect(try place.belfry("sinks", "list").output.contains("crm   webhook  failing  3"))
        server.recover()
        let second = try place.belfry("run", input: Self.requests(3..<4))
        #expect(!second.errors.contains("not delivered"))
        #expect(Set(server.accepted.map { $0.headers["webhook-id"]! }) == ["p0:1", "p1:1", "p2:1", "p0:2"])
        #expect(try place.belfry("sinks", "list").output.contains("crm   webhook  ready  0        4"))
    }

    @Test func `what waits for a sink that the configuration has lost is told of once, and arrives when it is back`()
        throws
    {
        let server = try EventServer(then: .status(500))
        let sink = "{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }"
        let place = try Self.workplace(sink)
        _ = try place.belfry("run", input: Self.requests(0..<3, subjects: 3))
        let configuration = try place.text(of: "belfry.yaml")
        try place.write(
            configuration.replacing(sink, with: "{ id: copy, type: file, path: copy.jsonl }"), to: "belfry.yaml")
        let without = try place.belfry("run", input: Self.requests(3..<4))
        #expect(
            without.errors.contains(
                """
                warning: 3 decisions wait for sink 'crm', which the configuration does not have any more
                  effect: they are not delivered; the journal keeps them no longer than others
                  fix: if they are to arrive, configure 'crm' again soon: it goes on where it was
                """), "\(without.errors)")
        // None at all is no other case.
        try place.write(configuration.replacing("sinks:\n  - \(sink)", with: ""), to: "belfry.yaml")
        let again = try place.belfry("run", input: Self.requests(4..<5))
        #expect(!again.errors.contains("warning"), "\(again.errors)")
        server.recover()
        try place.write(configuration, to: "belfry.yaml")
        let back = try place.belfry("run")
        #expect(!back.errors.contains("warning"), "\(back.errors)")
        #expect(server.accepted.count == 5)
    }

    @Test func `a private address is refused, with what lets it be used`() throws {
        let server = try EventServer()
        let place = try Self.workplace("{ id: crm, type: webhook, url: 'http://localhost:\(server.port)/x' }")
        let result = try place.belfry("run", input: Self.requests(0..<1))
        #expect(server.posts.isEmpty)
        #expect(
            result.errors.contains(/is at (127\.0\.0\.1|::1), which is no address of the open network; 'allow: \[/),
            "\(result.errors)")
    }

    @Test func `a redirect is not followed, and 410 stops`() throws {
        let other = try EventServer()
        let server = try EventServer([.status(302, headers: ["Location: \(other.url)"])], then: .status(410))
        let place = try Self.workplace("{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }")
        let first = try place.belfry("run", input: Self.requests(0..<1))
        #expect(first.errors.contains("sink 'crm' fails: \(server.url) answers 302 Found"), "\(first.errors)")
        let second = try place.belfry("run", input: "")
        #expect(
            second.errors.contains(
                """
                warning: sink 'crm' is stopped: \(server.url) answers 410 Gone
                  fix: 'belfry sinks resume crm' when it wants decisions again
                """), "\(second.errors)")
        #expect(other.posts.isEmpty && server.posts.count == 2)
        _ = try place.belfry("run", input: Self.requests(1..<2))
        #expect(server.posts.count == 2)
        #expect(try place.belfry("sinks", "resume", "crm").status == 0)
        server.recover()
        _ = try place.belfry("run", input: "")
        #expect(server.accepted.count == 2)
    }

    @Test func `one that hangs delays nobody`() throws {
        let (hanging, server) = (try EventServer(then: .hang), try EventServer())
        let place = try Self.workplace(
            "{ id: slow, type: webhook, url: '\(hanging.url)', allow: [127.0.0.1], timeout: 5s }",
            "{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }")
        _ = try place.belfry(["run"], input: Data(Self.requests(0..<200).utf8)) { process in
            #expect(server.wait(for: 200))
            process.interrupt()
        }
        #expect(server.accepted.map { $0.headers["webhook-id"]! } == (1...200).map { "p0:\($0)" })
        #expect(hanging.posts.count == 1)
    }

    // MARK: Others

    @Test func `a webhook that has said 2xx has taken it, however its answer goes on`() throws {
        let server = try EventServer(then: .breakOff)
        let place = try Self.workplace(
            "{ id: crm, type: webhook, url: \(server.url), allow: [127.0.0.0/8], timeout: 1s }")
        let result = try place.belfry("run", input: Self.requests(0..<1, subjects: 1))
        #expect(result.status == 0 && server.posts.count == 1, "\(result.errors)")
        let status = try JSON(try place.belfry("sinks", "show", "crm").output)
        #expect(status["delivered"] == 1 && status["waiting"] == 0)
    }

    @Test func `a program gets a line each, and answers with one`() throws {
        let place = try Self.workplace("{ id: shell, type: exec, command: [./send.sh, '2'] }")
        try place.writeScript(
            """
            while read -r line; do
              echo "$line" >> "got-$1.jsonl"
              case "$line" in *'"p1:1"'*) echo drop no such person;; *'"p2:1"'*) echo retry later;; *) echo ok;; esac
            done
            """, to: "send.sh")
        let result = try place.belfry("run", input: Self.requests(0..<4, subjects: 4))
        #expect(try place.text(of: "got-2.jsonl") == result.output)
        let status = try JSON(try place.belfry("sinks", "show", "shell").output)
        #expect(status["delivered"] == 2 && status["dropped"] == 1 && status["waiting"] == 1)
        #expect(status["why"] == "says: later")
        #expect(status["dead"]?.list?.first?.map?["why"] == "./send.sh says: no such person")
    }

    /// "ok" and a carriage return was another word than "ok".
    @Test func `a program may end its lines with a carriage return, too`() throws {
        let place = try Self.workplace("{ id: shell, type: exec, command: ./send.sh }")
        try place.writeScript(
            """
            while read -r line; do
              case "$line" in *'"p1:1"'*) printf 'drop no such person\\r\\n';; *) printf 'ok\\r\\n';; esac
            done
            """, to: "send.sh")
        let result = try place.belfry("run", input: Self.requests(0..<3, subjects: 3))
        #expect(!result.errors.contains("answered '"), "\(result.errors)")
        let status = try JSON(try place.belfry("sinks", "show", "shell").output)
        #expect(status["delivered"] == 2 && status["dropped"] == 1 && status["waiting"] == 0)
        #expect(status["dead"]?.list?.first?.map?["why"] == "./send.sh says: no such person")
    }

    @Test func `a program that ends, or says something else, is started again`() throws {
        let place = try Self.workplace("{ id: shell, type: exec, command: ./send.sh }")
        try place.writeScript(
            "read -r line; if [ -e second ]; then echo \"$line\" >> got.jsonl; echo ok; else touch second; echo what; fi",
            to: "send.sh")
        let first = try place.belfry("run", input: Self.requests(0..<1))
        #expect(
            first.errors.contains("./send.sh answered 'what'; expected ok, retry WHY, drop WHY, fail WHY or stop WHY"),
            "\(first.errors)")
        let second = try place.belfry("run", input: "")
        #expect(second.status == 0 && !second.errors.contains("warning"), "\(second.errors)")
        #expect(try place.text(of: "got.jsonl") == first.output)
    }

    @Test func `a file gets lines, relative to the configuration`() throws {
        let place = try Self.workplace("{ id: copy, type: file, path: copy.jsonl }")
        try place.write(#"{"specversion":"1.0","id":"p0"#, to: "copy.jsonl")
        let first = try place.belfry("run", input: Self.requests(0..<3))
        let second = try place.belfry("run", input: Self.requests(3..<5))
        #expect(try place.text(of: "copy.jsonl") == first.output + second.output)
    }

    @Test func `what somebody else has written into a file stays there`() throws {
        let place = try Self.workplace("{ id: copy, type: file, path: notes.txt }")
        try place.write("milk\neggs", to: "notes.txt")
        let result = try place.belfry("run", input: Self.requests(0..<2))
        #expect(try place.text(of: "notes.txt") == "milk\neggs\n" + result.output)
    }

    @Test func `a program that answers twice is started again, and no answer is taken for another's`() throws {
        let place = try Self.workplace("{ id: shell, type: exec, command: ./send.sh }")
        try place.writeScript(
            """
            while read -r line; do
              case "$line" in *'"p0:1"'*) printf 'ok\\nok\\n';; *) echo drop bad;; esac
            done
            """, to: "send.sh")
        let first = try place.belfry("run", input: Self.requests(0..<2, subjects: 2))
        #expect(
            first.errors.contains("./send.sh answered more than once; expected one line for each decision"),
            "\(first.errors)")
        _ = try place.belfry("run", input: "")
        let status = try JSON(try place.belfry("sinks", "show", "shell").output)
        #expect(status["delivered"] == 1 && status["dropped"] == 1 && status["waiting"] == 0)
        #expect(status["dead"]?.list?.first?.map?["why"] == "./send.sh says: bad")
    }

    @Test(arguments: [
        ("while printf .; do sleep 0.02; done", "does not answer within 300ms"),
        ("printf '%02000d' 0; read -r line", "answered with a line of more than 1000 bytes"),
    ])
    func `a program whose answer does not end fails`(_ answer: String, _ why: String) throws {
        // So short only where that is what it fails by: a busy machine takes its time to start a process.
        let timeout = why.contains("300ms") ? "300ms" : "30s"
        let place = try Self.workplace("{ id: shell, type: exec, command: ./send.sh, timeout: \(timeout) }")
        try place.writeScript("read -r line\n\(answer)", to: "send.sh")
        let result = try place.belfry("run", input: Self.requests(0..<1))
        #expect(result.errors.contains("sink 'shell' fails: ./send.sh \(why)\n"), "\(result.errors)")
    }

    @Test func `ntfy gets a message for its topic`() throws {
        let server = try EventServer()
        let place = try Self.workplace(
            "{ id: phone, type: ntfy, url: 'http://127.0.0.1:\(server.port)/shop', token: '${TOKEN}', allow: [127.0.0.1] }"
        )
        _ = try place.belfry("run", input: Self.requests(0..<1), environment: ["TOKEN": "tk_1"])
        let post = try #require(server.posts.first)
        #expect(post.headers["authorization"] == "Bearer tk_1")
        #expect(
            post.body
                == #"{"topic":"shop","title":"Sale","message":"Half price","click":"https://shop.example/sale","tags":["sale"]}"#
        )
    }

    // MARK: Mistakes

    @Test func `everything that is wrong is said at once`() throws {
        let place = try Self.workplace(
            "{ id: a b, type: webhook, url: ftp://x, secret: short, allow: [10.0.0.1/8], rate: fast }",
            "{ id: x, type: exec, command: [] }", "{ id: y, type: fax }", "{ id: z, type: file }",
            "{ id: q, type: file, path: q, when: { amount: 3 }, types: [notification.created, noise] }",
            "{ id: q, type: ntfy, url: 'https://ntfy.sh' }",
            "{ id: r, type: webhook, url: 'https://x.example', body: { a: ['{data.x'], b: '{user.name}' } }",
            "{ id: s, type: webhook, url: 'https://x.example', body: hello }",
            "{ id: t, type: web-push, subscription: here, vapid: { subject: me, key: short }, ttl: 30d, topic: '{x}' }",
            "{ id: u, type: web-push, subscription: '{data.data}' }",
            "{ id: v, type: desktop, name: '', urgency: high, visible: 2d, url: 'https://x.example' }")
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        let wanted = [
            (
                "sinks[0].id", "the text 'a b'",
                "a word of letters, digits, '-', '_' and '.', such as crm, and not forward"
            ),
            ("sinks[0].url", "the text 'ftp://x'", "an http or https address, such as https://example.org/events"),
            ("sinks[0].secret", "something else", "a key such as whsec_… in Base64, or two with a space between; "),
            (
                "sinks[0].allow[0]", "the text '10.0.0.1/8'",
                "a range of addresses, such as 127.0.0.0/8 or fd00::/8"
            ),
            ("sinks[0].rate", "the text 'fast'", "a number in a time, such as 500/s, 30/m or 100/h"),
            ("sinks[1].command", "an empty list", "a program and its arguments, such as [./send.sh]"),
            (
                "sinks[2].type", "the unknown type 'fax'",
                "one of webhook, exec, file, ntfy, desktop, web-push, or one that a plugin has: the plugins in "
            ),
            ("sinks[3].path", "no key 'path'", "text that is not empty"),
            ("sinks[4].when.amount", "the property 'amount'", "one that begins with campaign., data., type., "),
            ("sinks[4].types[1]", "the text 'noise'", "one of notification.created, notification.suppressed, "),
            ("sinks[5].url", "the text 'https://ntfy.sh'", "an address that ends with the topic, such as "),
            ("sinks[6].body.a[0]", "'{' without its '}' in '{data.x'", "text with {placeholders}"),
            ("sinks[6].body.b", "the placeholder '{user.name}'", "one that begins with campaign, data, type, "),
            ("sinks[7].body", "the text 'hello'", "a mapping or list, which is sent as JSON"),
            ("sinks[8].subscription", "the text 'here'", "where a decision has it, such as '{data.data.push}'"),
            ("sinks[8].vapid.subject", "the text 'me'", "an address that push services can write to, such as mailto:"),
            ("sinks[8].vapid.key", "something else", "a private key on P-256: 32 bytes in Base64 for URLs; "),
            ("sinks[8].ttl", "the text '30d'", "a duration from 0s to 28d"),
            ("sinks[8].topic", "the placeholder '{x}'", "one that begins with campaign, data, type, "),
            ("sinks[9].vapid", "no key 'vapid'", "a mapping"),
            ("sinks[10].name", "the text ''", "text that is not empty"),
            ("sinks[10].urgency", "the text 'high'", "one of low, normal, critical"),
            ("sinks[10].visible", "the text '2d'", "a duration from 0s to 1d"),
            ("sinks[10].url", "the unknown key 'url'", "one of id, type, name, icon, urgency, visible, types, when, "),
            ("sinks[5].id", "a second sink 'q'", "an id of its own; the first is in belfry.yaml:11"),
        ].map { "\($0)\n  found: \($1)\n  expected: \($2)" }
        for sentence in wanted { #expect(result.errors.contains(sentence), "\(sentence)\n---\n\(result.errors)") }
    }

    @Test func `in memory, what is left at the end is lost, and said to be`() throws {
        let server = try EventServer(then: .status(422))
        let place = try Self.workplace(
            "{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }",
            "{ id: copy, type: file, path: copy.jsonl }", store: "memory")
        let result = try place.belfry("run", input: Self.requests(0..<2))
        #expect(try place.text(of: "copy.jsonl") == result.output && !result.output.isEmpty)
        #expect(result.errors.contains("they are lost: the store is in memory"), "\(result.errors)")
        #expect(try place.belfry("sinks", "pause", "crm").status == 2)
    }

    @Test func `a sink that nobody knows is said to be one`() throws {
        let place = try Self.workplace("{ id: copy, type: file, path: copy.jsonl }")
        _ = try place.belfry("run", input: Self.requests(0..<1))
        let result = try place.belfry("sinks", "pause", "crm")
        #expect(result.status == 2)
        #expect(result.errors == "there is no sink 'crm'\n  why: it has copy\n  fix: 'belfry sinks list' shows them\n")
    }

    @Test func `a run delivers all at the rate that is wanted before it ends`() throws {
        let place = try Self.workplace("{ id: copy, type: file, path: copy.jsonl, rate: 5/s }")
        let result = try place.belfry("run", input: Self.requests(0..<6))
        #expect(result.status == 0 && !result.errors.contains("not delivered"), "\(result.errors)")
        #expect(try place.text(of: "copy.jsonl").split(separator: "\n").count == 6)
    }

    @Test func `after a reload, a sink that is as before knows the campaigns that are new`() async throws {
        let place = try Self.workplace(
            "{ id: copy, type: file, path: copy.jsonl, types: [notification.created], "
                + "when: { campaign.tags: { $elemMatch: { $eq: shop } } } }")
        let service = try LiveService(in: place)
        let campaigns = "campaigns:\n  - { id: fair, title: Fair, tags: [shop] }\n"
        try place.write(
            try place.text(of: "belfry.yaml").replacing("campaigns:\n", with: campaigns), to: "belfry.yaml")
        #expect(try await service.manage("POST", "/-/reload").status == 200)
        let line = #"{"id":"s-1","type":"notification.requested","subject":"p0","data":{"campaign":"fair"}}"#
        #expect(try await service.post(line, as: "application/x-ndjson").status == 200)
        try await service.wait("/v1/sinks/copy", for: #""delivered":1"#)
        #expect(service.stop() == 0)
    }

    @Test func `given up by hand, looked at, and sent again`() throws {
        let server = try EventServer(then: .status(422))
        let place = try Self.workplace("{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }")
        _ = try place.belfry("run", input: Self.requests(0..<3))
        #expect(try place.belfry("sinks", "skip", "crm").errors.contains("sink 'crm': 1 decisions were given up"))
        #expect(try place.belfry("sinks", "skip", "crm", "--all").errors.contains("2 decisions were given up"))
        let status = try JSON(try place.belfry("sinks", "show", "crm").output)
        #expect(status["waiting"] == 0 && status["dropped"] == 3 && status["dead"]?.list?.count == 3)
        server.recover()
        #expect(try place.belfry("sinks", "resend", "crm").status == 0)
        #expect(server.accepted.map { $0.headers["webhook-id"]! } == ["p0:1", "p0:2", "p0:3"])
        #expect(try JSON(try place.belfry("sinks", "show", "crm").output)["dead"]?.list?.isEmpty == true)
    }
}

extension Workplace {
    /// Of the shell, without its first line.
    fileprivate func writeScript(_ text: String, to name: String) throws {
        try write("#!/bin/sh\n\(text)\n", to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file(name).path)
    }
}

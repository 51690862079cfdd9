@testable import BelfryDelivery
import BelfryJournal
import BelfryModel
import BelfryRuntime
import Foundation
import GRDB
import Testing

/// The built command, a store in a file, and a real server that fails on purpose.
@Suite struct ForwardCommandTests {
    private static func workplace(_ url: String, _ options: String = "", store: String = "sqlite:s.db") throws
        -> Workplace
    {
        try Workplace([
            "belfry.yaml": """
            app: shop
            store: \(store)
            forward: { url: "\(url)", timeout: 2s\(options) }
            """
        ])
    }

    private static func purchases(_ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { number in
            #"{"id":"s-\#(number)","type":"purchase","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"number":\#(number)}}"#
        }
    }

    /// What the server took, by the number of the purchase: each item once.
    private static func numbers(_ server: EventServer) -> [Int] {
        var seen: Set<String> = []
        return server.accepted.flatMap { $0.body.matches(of: /"id":"(f-[^"]+)".*?"number":([0-9]+)/) }.filter {
            seen.insert(String($0.1)).inserted
        }.compactMap { Int($0.2) }
    }

    // MARK: What is sent

    @Test func `attribute changes and events arrive as CloudEvents, in order and with their own time`() throws {
        let server = try EventServer()
        let place = try Self.workplace(server.url, ", batch: 3")
        let result = try place.belfry(
            "run", "--summary", "json",
            input: [
                #"{"id":"a","type":"attributes.set","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"values":{"tier":"gold"}}}"#,
                #"{"id":"b","type":"attributes.updated","subject":"ana","channel":"phone","time":"2026-03-02T09:01:00Z","data":{"values":{"n":1}}}"#,
                #"{"id":"c","type":"attributes.deleted","subject":"ana","time":"2026-03-02T09:02:00Z","data":{"scope":"user","keys":["tier"]}}"#,
                #"{"id":"d","type":"session.started","subject":"ana","channel":"phone","time":"2026-03-02T09:03:00Z"}"#,
                #"{"id":"e","type":"purchase","subject":"ana","time":"2026-03-02T09:02:30Z","data":{"sku":"a1"}}"#,
            ].asFile)
        #expect(result.status == 0)
        #expect(
            result.errors.contains(#""forwarding":{"forwarded":5,"waiting":0,"failedAttempts":0}"#), "\(result.errors)")
        let items = server.posts.map { $0.body.replacing(/"f-([0-9]+)-[0-9a-f]{16}"/) { "\"f-\($0.1)\"" } }
        let common = #""source":"shop","type""#
        #expect(
            items == [
                #"[{"specversion":"1.0","id":"f-1",\#(common):"attributes.set","subject":"ana","time":"2026-03-02T09:00:00Z","cause":"a","data":{"scope":"user","values":{"tier":"gold"}}},"#
                    + #"{"specversion":"1.0","id":"f-2",\#(common):"attributes.updated","subject":"ana","channel":"phone","time":"2026-03-02T09:01:00Z","cause":"b","data":{"scope":"channel","values":{"n":1}}},"#
                    + #"{"specversion":"1.0","id":"f-3",\#(common):"attributes.deleted","subject":"ana","time":"2026-03-02T09:02:00Z","cause":"c","data":{"scope":"user","keys":["tier"]}}]"#,
                #"[{"specversion":"1.0","id":"f-4",\#(common):"event.recorded","subject":"ana","channel":"phone","time":"2026-03-02T09:03:00Z","cause":"d","data":{"type":"application","name":"sessionStart","attributes":{}}},"#
                    + #"{"specversion":"1.0","id":"f-5",\#(common):"event.recorded","subject":"ana","time":"2026-03-02T09:02:30Z","cause":"e","data":{"type":"custom","name":"purchase","attributes":{"sku":"a1"}}}]"#,
            ])
        #expect(server.posts.allSatisfy { $0.headers["content-type"] == "application/cloudevents-batch+json" })
        #expect(Set(server.posts.map(\.key)).count == 2)
        #expect(server.sentAt.allSatisfy { $0.wholeMatch(of: /\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/) != nil })
    }

    @Test func `a token comes from the environment`() throws {
        let server = try EventServer()
        let place = try Self.workplace(server.url, #", headers: { Authorization: "Bearer ${SHOP_TOKEN}" }"#)
        let without = try place.belfry("run", input: Self.purchases(1...1).asFile)
        #expect(without.status == 2)
        #expect(
            without.errors == """
                belfry.yaml:3: forward.headers.Authorization
                  found: the variable 'SHOP_TOKEN', which is not set
                  expected: its value in the environment
                  fix: export SHOP_TOKEN=… where belfry runs

                """)
        let with = try place.belfry(
            "run", input: Self.purchases(1...1).asFile, environment: ["SHOP_TOKEN": "s3cret"])
        #expect(with.status == 0 && !with.errors.contains("s3cret"))
        #expect(server.posts.map { $0.headers["authorization"] } == ["Bearer s3cret"])
        #expect(try place.belfry("config", "check").status == 0)
    }

    // MARK: Failures

    @Test func `with the server down everything waits for the next run`() throws {
        let gone = try EventServer()
        gone.stop()
        let place = try Self.workplace(gone.url, ", batch: 2")
        let first = try place.belfry("run", input: Self.purchases(1...3).asFile)
        #expect(first.status == 0)
        #expect(
            first.errors.replacing(/\d+ attempts/, with: "some attempts") == """
                warning: cannot forward: \(gone.url) cannot be reached: Connection refused
                  effect: 3 items are waiting, in order; none is lost, and it is tried again
                warning: 3 items were not forwarded
                  why: \(gone.url) cannot be reached: Connection refused
                  effect: they are in the store, and the next run goes on with them
                3 signals: 3 processed, 0 duplicates, 0 rejected; 0 were late
                  ignored custom signals that no trigger waits for: 3
                decisions: 0
                forwarded: 0 items, 3 are waiting; some attempts failed

                """)
        let server = try EventServer(port: gone.port)
        let second = try place.belfry("run", input: Self.purchases(4...5).asFile)
        #expect(second.errors.contains("forwarded: 5 items, 0 are waiting; 0 attempts failed"), "\(second.errors)")
        #expect(Self.numbers(server) == [1, 2, 3, 4, 5])
    }

    enum Trouble: String, CaseIterable {
        case broken, busy, silent, rude, torn, locked

        var reply: EventServer.Reply {
            switch self {
            case .broken: .status(500)
            case .busy: .status(429, headers: ["Retry-After: 3600"])
            case .silent: .hang
            case .rude: .close
            case .torn: .breakOff
            case .locked: .status(401, body: "who are you?")
            }
        }

        var reason: String {
            switch self {
            case .broken: "answers 500 Internal Server Error"
            case .busy: "answers 429 Too Many Requests"
            case .silent: "does not answer within 2s"
            case .rude, .torn: "closed the connection before it had answered"
            case .locked: "answers 401 Unauthorized\n  why: it says: who are you?"
            }
        }
    }

    @Test(arguments: Trouble.allCases)
    func `when the server fails nothing is lost, and what comes again has the same key`(trouble: Trouble) throws {
        let server = try EventServer([.status(200)], then: trouble.reply)
        let place = try Self.workplace(server.url, ", batch: 2")
        let first = try place.belfry("run", input: Self.purchases(1...5).asFile)
        #expect(first.status == 0)
        #expect(first.errors.contains("cannot forward: \(server.url) \(trouble.reason)"), "\(first.errors)")
        #expect(first.errors.contains("forwarded: 2 items, 3 are waiting"), "\(first.errors)")
        let failed = server.posts.dropFirst()
        #expect(Set(failed).count == 1)
        server.recover()
        let second = try place.belfry("run", input: Self.purchases(6...7).asFile)
        #expect(second.errors.contains("forwarded: 5 items, 0 are waiting; 0 attempts failed"), "\(second.errors)")
        #expect(Self.numbers(server) == Array(1...7))
        #expect(server.accepted.dropFirst().first == failed.first)
        #expect(Set(server.accepted.map(\.key)).count == server.accepted.count)
    }

    @Test func `at its end a run gets over a failure or two`() throws {
        // What closes a connection that it has answered on before is asked again at once.
        let server = try EventServer([.close, .status(500), .status(429, headers: ["Retry-After: 1"])])
        let place = try Self.workplace(server.url)
        let result = try place.belfry("run", input: Self.purchases(1...3).asFile)
        #expect(result.errors.contains("forwarded: 3 items, 0 are waiting; 3 attempts failed"), "\(result.errors)")
        #expect(Self.numbers(server) == [1, 2, 3] && Set(server.posts).count == 1)
    }

    @Test func `a run that goes on tries again by itself`() throws {
        let server = try EventServer([.status(500), .close, .status(429, headers: ["Retry-After: 1"])])
        let place = try Self.workplace(server.url, ", immediate: true")
        let run = try LiveRun(in: place)
        try run.send(Self.purchases(1...3))
        #expect(server.wait(for: 4))
        let (status, errors) = (try run.end(), run.unheard())
        #expect(
            status == 0 && errors.contains("note: forwarding goes on: \(server.url) takes items again"), "\(errors)")
        #expect(Self.numbers(server) == [1, 2, 3])
        #expect(Set(server.posts[..<4]).count == 1)
    }

    /// The threads of the forwarder and of the network must leave the signal to the run.
    @Test func `a run that is stopped ends in good order`() throws {
        let server = try EventServer([.status(200), .status(500)])
        let place = try Self.workplace(server.url, ", immediate: true")
        let run = try LiveRun(in: place)
        try run.send(Self.purchases(1...1))
        #expect(server.wait(for: 1))
        try run.send(Self.purchases(2...2))
        #expect(server.wait(for: 2))
        let (status, errors) = (run.stop(), run.unheard())
        #expect(status == 0 && errors.contains("stopped by SIGTERM"), "\(errors)")
        #expect(Self.numbers(server) == [1] || Self.numbers(server) == [1, 2])
        _ = try place.belfry("run")
        #expect(Self.numbers(server) == [1, 2])
    }

    @Test func `who does not want to wait for the last batch need not, and loses nothing`() throws {
        let server = try EventServer([.hang])
        let place = try Self.workplace(server.url)
        let run = try LiveRun(in: place)
        try run.send(Self.purchases(1...2))
        try run.endInput()
        #expect(server.wait(for: 1))
        #expect(run.stop() == -SIGTERM)
        #expect(try place.belfry("run").status == 0)
        #expect(Self.numbers(server) == [1, 2] && Set(server.posts).count == 1)
    }

    @Test func `an endpoint stays for the whole run`() throws {
        let (server, other) = (try EventServer(), try EventServer())
        let place = try Self.workplace(server.url)
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        let file = try String(contentsOf: place.file("belfry.yaml"), encoding: .utf8)
        try place.write(file.replacing(server.url, with: other.url), to: "belfry.yaml")
        #expect(
            try run.hear("  fix:") == """
                reloaded: settings: 'forward' changed
                warning: 'forward' has changed, and stays for this run as it was at its start
                  fix: stop this run and start it again
                """)
        try run.send(Self.purchases(1...2))
        #expect(try run.end() == 0)
        #expect(Self.numbers(server) == [1, 2] && other.posts.isEmpty)
    }

    @Test func `a redirect is not followed`() throws {
        let other = try EventServer()
        let server = try EventServer([.status(307, headers: ["Location: \(other.url)"])])
        let result = try Self.workplace(server.url).belfry("run", input: Self.purchases(1...1).asFile)
        #expect(result.errors.contains("fix: give 'forward.url' the right address; it names '\(other.url)'"))
        #expect(other.posts.isEmpty && server.posts.count == 1)
    }

    @Test func `in memory, what is left at the end is lost, and said to be`() throws {
        let server = try EventServer([.status(200)], then: .status(503))
        let place = try Self.workplace(server.url, ", batch: 1", store: "memory")
        let result = try place.belfry("run", input: Self.purchases(1...2).asFile)
        #expect(
            result.errors.hasPrefix(
                """
                warning: what is not forwarded when the run ends is lost: the store is in memory
                warning: cannot forward: \(server.url) answers 503 Service Unavailable
                """))
        #expect(
            result.errors.contains(
                """
                warning: 1 items were not forwarded
                  why: \(server.url) answers 503 Service Unavailable
                  effect: they are lost: the store is in memory
                  fix: configure a store that lasts, such as 'store: sqlite:belfry.db'
                """))
        #expect(Self.numbers(server) == [1])
    }

    // MARK: Kills

    @Test func `killed between sending and marking, it sends the same batch again, whatever came after it`() throws {
        let server = try EventServer([.hang])
        let place = try Self.workplace(server.url, ", immediate: true")
        let run = try LiveRun(in: place)
        try run.send(Self.purchases(1...2))
        #expect(server.wait(for: 1))
        // Its decision says that what came with it is committed.
        let session = #"{"id":"s","type":"session.started","subject":"ana","time":"2026-03-02T09:00:00Z"}"#
        try run.send(Self.purchases(3...4) + [session])
        #expect(try run.nextDecision().contains("sessionStart"))
        run.kill()
        let result = try place.belfry("run", input: Self.purchases(5...6).asFile)
        #expect(result.status == 0, "\(result.errors)")
        #expect(server.posts.count > 1 && server.posts[0] == server.posts[1])
        #expect(Self.numbers(server) == [1, 2, 3, 4, 5, 6])
    }

    /// The disk is full when what is forwarded is to be stored.
    @Test func `a signal is processed together with what is forwarded of it, or not at all`() throws {
        let server = try EventServer()
        let place = try Self.workplace(server.url)
        #expect(try place.belfry("run", input: Self.purchases(1...1).asFile).status == 0)
        let full = try Strike(call: 3, how: .full, file: "/s.db-wal").environment
        #expect(try place.belfry("run", input: Self.purchases(2...3).asFile, environment: full).status == 1)
        #expect(Self.numbers(server) == [1])
        #expect(try place.belfry("run", input: Self.purchases(1...4).asFile).status == 0)
        #expect(Self.numbers(server) == [1, 2, 3, 4])
    }

    /// The server has taken a batch, and the process dies at about the moment at which it hears so.
    @Test func `killed again and again, nothing is lost and nothing comes twice by key`() throws {
        let server = try EventServer()
        let place = try Self.workplace(server.url, ", batch: 3, immediate: true")
        let signals = Self.purchases(1...40)
        for kill in 1...6 {
            let run = try LiveRun(in: place)
            try run.send(signals)
            #expect(server.wait(for: kill * 2))
            run.kill()
        }
        let last = try place.belfry("run", input: signals.asFile)
        #expect(last.status == 0, "\(last.errors)")
        #expect(Self.numbers(server) == Array(1...40))
        let byKey = Dictionary(grouping: server.posts) { $0.key }
        #expect(byKey.values.allSatisfy { Set($0).count == 1 }, "a key stands for one batch")
    }

    @Test func `what waits is not forwarded any more for somebody who was erased, and for others it is`() throws {
        let down = try EventServer()
        let url = down.url
        let place = try Self.workplace(url)
        down.stop()
        let signals = Self.purchases(1...4).enumerated().map { index, line in
            index % 2 == 0 ? line : line.replacing(#""subject":"ana""#, with: #""subject":"ben""#)
        }
        #expect(try place.belfry("run", input: signals.asFile).status == 0)
        #expect(try place.belfry("state", "erase", "ben").status == 0)
        let server = try EventServer()
        let text = try place.text(of: "belfry.yaml").replacing(url, with: server.url)
        try place.write(text, to: "belfry.yaml")
        let last = try place.belfry("run")
        #expect(last.errors.contains("forwarded: 2 items, 0 are waiting"), "\(last.errors)")
        #expect(Self.numbers(server) == [1, 3])
    }

    // MARK: Among the sinks

    @Test func `operators see it among the sinks, and pause it, but nothing of it is given up`() throws {
        let server = try EventServer()
        let place = try Self.workplace(server.url)
        #expect(try place.belfry("run", input: Self.purchases(1...1).asFile).status == 0)
        #expect(try place.belfry("sinks", "pause", "forward").status == 0)
        #expect(try place.belfry("run", input: Self.purchases(2...3).asFile).status == 0)
        #expect(Self.numbers(server) == [1])
        let list = try place.belfry("sinks", "list", "--json").output
        #expect(
            list.contains(
                #"{"id":"forward","type":"forward","state":"paused","waiting":2,"delivered":1,"failedAttempts":0,"dropped":0}"#
            ),
            "\(list)")
        let skip = try place.belfry("sinks", "skip", "forward")
        #expect(skip.status == 2)
        #expect(
            skip.errors.contains("why: what is forwarded is never given up, so there is nothing to skip"),
            "\(skip.errors)")
        #expect(try place.belfry("sinks", "resume", "forward").status == 0)
        #expect(try place.belfry("run").status == 0)
        #expect(Self.numbers(server) == [1, 2, 3])
    }

    @Test func `one that fails is shown so when no process is at work, and what it leaves is told of when it is gone`()
        throws
    {
        let server = try EventServer(then: .status(401))
        let place = try Self.workplace(server.url)
        #expect(try place.belfry("run", input: Self.purchases(1...2).asFile).status == 0)
        let status = try JSON(try place.belfry("sinks", "show", "forward").output)
        #expect(status["state"] == "failing" && status["why"]?.text == "\(server.url) answers 401 Unauthorized")
        #expect(status["waiting"] == 2 && status["failedAttempts"] == 1)
        let configuration = try place.text(of: "belfry.yaml")
        try place.write("app: shop\nstore: sqlite:s.db\n", to: "belfry.yaml")
        #expect(
            try place.belfry("run").errors.hasPrefix(
                """
                warning: 2 items wait to be forwarded, and the configuration does not have 'forward' any more
                  effect: they are not sent; the journal keeps them as long as what a sink does not take
                  fix: if they are to arrive, configure 'forward' again before that: it goes on where it was
                """))
        #expect(try !place.belfry("run").errors.contains("warning"))
        server.recover()
        try place.write(configuration, to: "belfry.yaml")
        #expect(try place.belfry("run").status == 0)
        #expect(Self.numbers(server) == [1, 2])
        #expect(try JSON(try place.belfry("sinks", "show", "forward").output)["state"] == "ready")
    }

    @Test func `no sink may have its name`() throws {
        let place = try Workplace([
            "belfry.yaml": "app: shop\nsinks: [{ id: forward, type: file, path: out.jsonl }]\n"
        ])
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(result.errors.contains("such as crm, and not forward"), "\(result.errors)")
    }

    // MARK: The endpoint

    @Test func `the end does not wait for an endpoint that says nothing`() throws {
        let server = try EventServer([.hang])
        let journal = try Journal(.memory, store: "test", checkpoint: 0)
        let forwarder = try Forwarder(
            .init(url: server.url), journal: journal,
            endpoint: HTTPEndpoint(server.url, headers: [], timeout: .minutes(10)), patience: .milliseconds(200)
        ) { _ in }
        var entry = JournalEntry(writtenAt: .distantPast)
        var items = ForwardItems(source: "shop", journal: journal)
        items.append(
            [
                Outgoing(
                    subject: "ana", time: .distantPast, cause: "s",
                    body: .event(type: "custom", name: "e", attributes: [:]))
            ],
            to: &entry)
        try journal.append(entry)
        forwarder.ring()
        let status = forwarder.finish()
        #expect(status.waiting == 1 && status.trouble == "\(server.url) had not answered when its delivery was ended")
    }

    @Test func `an endpoint without TLS is told as such`() throws {
        let server = try EventServer()
        let url = server.url.replacing("http:", with: "https:")
        let result = try Self.workplace(url).belfry("run", input: Self.purchases(1...1).asFile)
        #expect(
            result.errors.contains("\(url) cannot be reached: it does not speak TLS; is it http?"), "\(result.errors)")
    }

    @Test func `a host that is not there is named`() throws {
        let place = try Self.workplace("http://nowhere.invalid/events?key=s3cret")
        let result = try place.belfry("run", input: Self.purchases(1...1).asFile)
        #expect(
            result.errors.hasPrefix(
                "warning: cannot forward: http://nowhere.invalid/events cannot be reached: there is no host 'nowhere.invalid'\n"
            ), "\(result.errors)")
    }
}

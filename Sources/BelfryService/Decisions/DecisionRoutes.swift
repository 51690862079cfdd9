import BelfryJournal
import BelfryModel
import BelfryRuntime
import HTTPTypes
import Hummingbird

/// `/v1/decisions` and what is below it.
struct DecisionRoutes: Sendable {
    let engine: ServiceEngine
    let streams: Streams
    private var readers: DecisionReaders { engine.readers }

    init(engine: ServiceEngine, streams: Streams) { (self.engine, self.streams) = (engine, streams) }

    var routes: [Route] {
        [
            Route(.get, "/v1/decisions", .read, list), Route(.get, "/v1/decisions/stream", .read, stream),
            Route(.get, "/v1/decisions/*", .read, show),
        ]
    }

    // MARK: Pages

    private func list(_ call: Call) async throws -> Response {
        let query = try call.query(only: ["after", "subject", "campaign", "type", "limit", "wait"])
        let limit = try call.limit(query["limit"], default: 1000)
        let deadline = ContinuousClock.now + (try Self.wait(query["wait"]))
        // It may have waited for others until now.
        if engine.isDraining { throw Problem.draining }
        let reader = try readers.reader(of: engine.journal, after: query["after"].map(DecisionReaders.cursor))
        let filter = DecisionFilter(query)
        let place = query["wait"] == nil ? nil : try streams.enter()
        defer { place?.leave() }
        var page = DecisionPage(limit: limit)
        while true {
            let rings = engine.bell.rings
            try fill(&page, from: reader, filter, for: call)
            if !page.isEmpty || .now >= deadline || !engine.isReady(with: reader.journal) { break }
            if try await !waitForMore(reader, past: rings, until: deadline, for: call) { break }
        }
        readers.keep(reader)
        return Response(bytes: page.json(next: reader.cursor.text))
    }

    /// So much at a time is looked at, in bytes, however little is wanted.
    private static let lookedAt = 64 << 20

    /// After so many bytes, it is seen whether the page is still wanted.
    private static let portion = 1 << 20

    /// Reads on until the page is full, or nothing more is there. When the client has gone, or the service ends, the page ends early, and its
    /// `next` says where.
    ///
    /// It does not suspend: so there are never more pages under way than threads for them.
    private func fill(
        _ page: inout DecisionPage, from reader: DecisionReader, _ filter: DecisionFilter, for call: Call
    ) throws {
        var (seen, due) = (0, Self.portion)
        while !page.isFull, seen < Self.lookedAt, let item = try reader.next() {
            if filter.takes(item) { page.add(item.line) }
            seen += item.line.count
            guard seen >= due else { continue }
            due = seen + Self.portion
            if call.hasHungUp() || !engine.isReady(with: reader.journal) { return }
        }
    }

    /// - Returns: whether the client still waits.
    private func waitForMore(
        _ reader: DecisionReader, past rings: UInt64, until deadline: ContinuousClock.Instant, for call: Call
    ) async throws -> Bool {
        // What waits for an action comes without a ring, and so does the end of a connection.
        let most = reader.isBlocked ? Swift.Duration.milliseconds(50) : .seconds(1)
        await engine.bell.wait(past: rings, atMost: min(most, max(.zero, deadline - .now)))
        try Task.checkCancellation()
        return !call.hasHungUp()
    }

    private static func wait(_ text: String?) throws -> Swift.Duration {
        guard let text else { return .zero }
        guard let wait = BelfryModel.Duration(text: text), wait >= .zero, wait <= .seconds(30) else {
            throw Problem.wrong("wait", found: text, expected: "a duration of at most 30s")
        }
        return .milliseconds(wait.milliseconds)
    }

    // MARK: One

    private func show(_ call: Call) async throws -> Response {
        _ = try call.query(only: [])
        let id = call.parameters[0]
        let journal = try engine.journal
        // One after the other: each may read all of it.
        let story = try await engine.lookups.run {
            try await onThread { try DecisionFeed(of: journal).find(id)?.story }
        }
        if let story { return Response(json: .map(story)) }
        throw try isGone(id) ? Self.gone(id) : Self.unknown(id)
    }

    /// Whether a decision of that id was made, and is not kept any more.
    private func isGone(_ id: String) throws -> Bool {
        guard let colon = id.lastIndex(of: ":"), let number = UInt64(id[id.index(after: colon)...]), number > 0,
            id.hasSuffix(":\(number)")
        else { return false }
        return try engine.lastDecision(of: String(id[..<colon])) >= number
    }

    private static func unknown(_ id: String) -> Problem {
        Problem(
            .notFound, "not-found", "there is no such decision", found: id,
            expected: "an id as decisions have it: the subject, a colon and a number", fix: "/v1/decisions lists them")
    }

    private static func gone(_ id: String) -> Problem {
        Problem(
            .gone, "gone", "this decision is not kept any more", found: id,
            fix: "'serve: { keep: 7d }' keeps them longer; in memory, 256 MiB are kept at most")
    }

    // MARK: The stream

    private func stream(_ call: Call) async throws -> Response {
        let filter = DecisionFilter(try call.query(only: ["subject", "campaign", "type"]))
        let last = try call.request.headers[.lastEventID].map(DecisionReaders.cursor)
        let journal = try engine.journal
        let reader = try readers.reader(of: journal, after: last ?? journal.cursor(journal.decisions))
        let place = try streams.enter()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                defer { place.leave() }
                var copy = writer
                try await send(from: reader, filter, to: &copy, for: call)
                try await copy.finish(nil)
            })
    }

    /// A comment so often keeps proxies from closing what is silent.
    private static let silence = Swift.Duration.seconds(10)

    private func send(
        from reader: DecisionReader, _ filter: DecisionFilter, to writer: inout any ResponseBodyWriter, for call: Call
    ) async throws {
        try await writer.write(Self.comment("from here on", at: reader.cursor))
        var (next, admission) = (ContinuousClock.now + Self.silence, StandingAdmission(of: call))
        while engine.isReady(with: reader.journal), admission.holds() {
            let rings = engine.bell.rings
            let (events, isAtEnd) = try events(from: reader, filter)
            if !events.isEmpty {
                try await writer.write(ByteBuffer(bytes: events))
            } else if .now >= next {
                try await writer.write(Self.comment("still here", at: reader.cursor))
            } else {
                if isAtEnd {
                    if try await !waitForMore(reader, past: rings, until: next, for: call) { return }
                } else {
                    if call.hasHungUp() { return }
                    await Task.yield()
                }
                continue
            }
            next = .now + Self.silence
        }
    }

    /// Moves the client's cursor on where nothing that came was for it: an event without data is not dispatched, and its id is kept.
    private static func comment(_ text: String, at cursor: DecisionCursor) -> ByteBuffer {
        ByteBuffer(string: "id: \(cursor.text)\n: \(text)\n\n")
    }

    /// After so many, others have their turn.
    private static let turn = 200

    /// - Returns: also whether nothing more is there.
    private func events(from reader: DecisionReader, _ filter: DecisionFilter) throws -> ([UInt8], isAtEnd: Bool) {
        var events: [UInt8] = []
        for _ in 0..<Self.turn {
            guard events.count < 64 << 10 else { return (events, false) }
            guard let item = try reader.next() else { return (events, true) }
            guard filter.takes(item) else { continue }
            events += Array("id: \(item.cursor.text)\ndata: ".utf8) + item.line + Array("\n\n".utf8)
        }
        return (events, false)
    }
}

extension DecisionFilter {
    fileprivate init(_ query: [String: String]) {
        self.init(subject: query["subject"], campaign: query["campaign"], type: query["type"])
    }
}

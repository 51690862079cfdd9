import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfryStore
import HTTPTypes
import Hummingbird

/// `/v1/subjects` and what is below it, and `/v1/explain`: what is committed.
struct SubjectRoutes: Sendable {
    let engine: ServiceEngine
    let limits: Configuration.Service.Limits

    var routes: [Route] {
        [
            Route(.get, "/v1/subjects", .read, list), Route(.get, "/v1/subjects/*", .read, show),
            Route(.get, "/v1/subjects/*/history", .read, history), Route(.get, "/v1/subjects/*/loaded", .read, loaded),
            Route(.get, "/v1/subjects/*/export", .read, export), Route(.delete, "/v1/subjects/*", .admin, erase),
            Route(.post, "/v1/explain", .read, explain),
        ]
    }

    // MARK: All

    private func list(_ call: Call) async throws -> Response {
        let query = try call.query(only: ["prefix", "after", "limit"])
        let limit = try call.limit(query["limit"], default: 1000)
        let prefix = Array((query["prefix"] ?? "").utf8)
        let names = try engine.withRecords { store in
            try Self.subjects(in: store, prefix: prefix, after: query["after"], limit: limit)
        }
        var fields: Fields = ["subjects": .list(names.map { .text($0) })]
        if names.count == limit { fields["next"] = names.last.map { .text($0) } }
        return Response(json: .map(fields))
    }

    /// In the order of their bytes, so that those with a prefix stand together.
    private static func subjects(
        in store: any RecordStore, prefix: [UInt8], after: String?, limit: Int
    ) throws -> [String] {
        var names: [String] = []
        var last = after
        while names.count < limit {
            let page = try store.subjects(after: last, limit: 1000)
            for name in page where name.utf8.starts(with: prefix) && names.count < limit { names.append(name) }
            guard page.count == 1000, let end = page.last else { break }
            last = end
            if !end.utf8.starts(with: prefix), prefix.lexicographicallyPrecedes(end.utf8) { break }
        }
        return names
    }

    // MARK: One

    private func show(_ call: Call) async throws -> Response {
        Response(json: try record(of: call).value)
    }

    private func history(_ call: Call) async throws -> Response {
        let (notifications, geotriggers) = try record(of: call).history()
        return Response(json: [
            "notifications": .list(notifications.map { .map($0.summary) }),
            "geotriggers": .list(geotriggers.map { .map($0.summary) }),
        ])
    }

    private func loaded(_ call: Call) async throws -> Response {
        _ = try call.query(only: [])
        let name = call.parameters[0]
        return Response(json: try await engine.answer(.loaded, about: name, try bytes(of: name)))
    }

    private func export(_ call: Call) async throws -> Response {
        let name = call.parameters[0]
        let (bytes, quarantined) = try engine.withRecords { store in
            (try store.record(for: name), try store.quarantined(of: name))
        }
        if bytes == nil, quarantined.isEmpty { throw Self.unknown(name) }
        var document: Fields = ["subject": .text(name)]
        if let bytes, let whole = try SubjectRecord(of: name, bytes).value.map { document = whole }
        if !quarantined.isEmpty {
            document["quarantined"] = .list(
                quarantined.map { ["reason": .text($0.reason), "bytes": .text($0.bytes.hexadecimal)] })
        }
        return Response(json: .map(document))
    }

    private func erase(_ call: Call) async throws -> Response {
        _ = try call.query(only: [])
        let name = call.parameters[0]
        guard try await engine.erase(name) else { throw Self.unknown(name) }
        var answer: Fields = ["subject": .text(name), "erased": true]
        if let notice = engine.unfinishedErasure { answer["unfinished"] = .text(notice) }
        return Response(json: .map(answer))
    }

    private func record(of call: Call) throws -> SubjectRecord {
        _ = try call.query(only: [])
        return try record(of: call.parameters[0])
    }

    private func record(of subject: String) throws -> SubjectRecord {
        try SubjectRecord(of: subject, bytes(of: subject))
    }

    private func bytes(of subject: String) throws -> [UInt8] {
        try engine.withRecords { store in
            guard let bytes = try store.record(for: subject) else { throw Self.unknown(subject) }
            return bytes
        }
    }

    private static func unknown(_ name: String) -> Problem {
        Problem(
            .notFound, "unknown-subject", "nothing is known of this subject", found: name,
            expected: "one that a signal has named", fix: "/v1/subjects?prefix= lists them")
    }

    // MARK: Why

    private func explain(_ call: Call) async throws -> Response {
        let question = try ExplainQuestion(try await call.json(atMost: limits.body))
        let bytes = try bytes(of: question.subject)
        let latest = try SubjectRecord(of: question.subject, bytes).latest
        let time = try question.time ?? engine.withRecords(engine.time) ?? latest
        do {
            let explanation = try await engine.answer(
                .explain(
                    Explanation.Question(
                        campaign: question.campaign, trigger: question.trigger, region: question.region,
                        channel: question.channel, time: time)),
                about: question.subject, bytes)
            return Response(json: explanation)
        } catch let error as QuestionRefusal {
            throw Problem(
                .unprocessableContent, "unanswered", error.what, found: error.why, expected: error.expected,
                fix: error.fix)
        }
    }
}

extension ServiceEngine {
    /// When a question is asked that names no time: now; where signals alone let time pass, at the largest of their times, if there is one.
    func time(in store: any RecordStore) throws -> Instant? {
        options.hasWallClock ? .wallClock : try latestTime(in: store)
    }
}

/// The body of `POST /v1/explain`.
private struct ExplainQuestion {
    let subject: String
    let campaign: String
    let trigger: String?
    let region: String?
    let channel: String?
    let time: Instant?

    init(_ fields: Fields) throws {
        let known = ["subject", "campaign", "trigger", "region", "channel", "time"]
        if let other = fields.keys.first(where: { !known.contains($0) }) {
            throw Self.wrong(other, "there is no '\(other)'", expected: known.joined(separator: ", "))
        }
        func text(_ name: String) throws -> String? {
            guard let value = fields[name], value != .null else { return nil }
            guard let text = value.text, !text.isEmpty else {
                throw Self.wrong(name, "'\(name)' is wrong", expected: "text that is not empty")
            }
            return text
        }
        func required(_ name: String) throws -> String {
            guard let text = try text(name) else { throw Self.wrong(name, "'\(name)' is missing", expected: "text") }
            return text
        }
        (subject, campaign) = (try required("subject"), try required("campaign"))
        (trigger, region, channel) = (try text("trigger"), try text("region"), try text("channel"))
        time = try text("time").map { text in
            guard let time = Instant(rfc3339: text) else {
                throw Self.wrong("time", "'time' is wrong", expected: Instant.expectedForm)
            }
            return time
        }
    }

    private static func wrong(_ name: String, _ title: String, expected: String) -> Problem {
        Problem(
            .unprocessableContent, "invalid-question", title, expected: expected, fix: "correct '\(name)'",
            pointer: "/\(name)")
    }
}

import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfryStore
import HTTPTypes
import Hummingbird

/// OpenFeature's remote evaluation protocol (OFREP 0.2): a campaign is a flag that is on when it would ring now. Nothing changes.
struct FlagRoutes: Sendable {
    let engine: ServiceEngine
    let limits: Configuration.Service.Limits

    var routes: [Route] {
        [
            Route(.post, "/ofrep/v1/evaluate/flags/*", .read, one),
            Route(.post, "/ofrep/v1/evaluate/flags", .read, all),
        ]
    }

    private func one(_ call: Call) async throws -> Response {
        let campaign = call.parameters[0]
        guard engine.workspace.configuration.campaigns.contains(where: { $0.id == campaign }) else {
            throw Problem(.notFound, "FLAG_NOT_FOUND", "there is no such campaign", found: campaign)
        }
        return Response(json: try await flag(campaign, try await context(of: call)))
    }

    private func all(_ call: Call) async throws -> Response {
        let context = try await context(of: call)
        var flags: [Value] = []
        for campaign in engine.workspace.configuration.campaigns {
            flags.append(try await flag(campaign.id, context))
        }
        let body = Value.map(["flags": .list(flags)])
        let tag = "\"\(String(stableHash(body.json), radix: 16))\""
        if call.request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: [.eTag: tag]) }
        var response = Response(json: body)
        response.headers[.eTag] = tag
        return response
    }

    /// Whom it is about.
    private struct Context {
        let subject: String
        let record: [UInt8]?
        let time: Instant
        let attributes: Fields
    }

    private func context(of call: Call) async throws -> Context {
        let body = try await call.json(atMost: limits.body)
        guard var fields = body["context"]?.map else {
            throw Problem(.badRequest, "INVALID_CONTEXT", "'context' is missing", expected: "an object")
        }
        guard let subject = fields["targetingKey"]?.text, !subject.isEmpty else {
            throw Problem(
                .badRequest, "TARGETING_KEY_MISSING", "'targetingKey' is missing", expected: "the id of a subject")
        }
        fields["targetingKey"] = nil
        return try engine.withRecords { store in
            let record = try store.record(for: subject)
            // There is none as long as nothing has happened to the subject.
            let latest = try record.map { try SubjectRecord(of: subject, $0).latest }.flatMap {
                $0.isWritable ? $0 : nil
            }
            let time = try engine.time(in: store) ?? latest ?? .wallClock
            return Context(
                subject: subject, record: record, time: max(time, latest ?? time), attributes: fields)
        }
    }

    private func flag(_ campaign: String, _ context: Context) async throws -> Value {
        let question = Explanation.Question(
            campaign: campaign, time: context.time, attributes: context.attributes)
        do {
            return .map(
                Self.flag(campaign, try await engine.answer(.explain(question), about: context.subject, context.record))
            )
        } catch let refusal as QuestionRefusal where refusal.isWrongUse {
            // It is never a candidate: it is not published.
            let message = [refusal.what, refusal.why].compactMap(\.self).joined(separator: ": ")
            let reason = Fields([("code", .text("disabled")), ("message", .text(message))])
            return [
                "key": .text(campaign), "value": false, "variant": "off", "reason": "DISABLED",
                "metadata": .map(reason),
            ]
        }
    }

    private static func flag(_ campaign: String, _ explanation: Value) -> Fields {
        let fields = explanation.map ?? [:]
        let rings = fields["result"] == "created" || fields["result"] == "fired"
        var metadata = Fields()
        if let reason = fields["reasons"]?.list?.first?.map {
            for name in ["code", "message"] { metadata[name] = reason[name] }
        }
        if !rings, let earliest = fields["earliest"], earliest != .null { metadata["until"] = earliest }
        var flag: Fields = [
            "key": .text(campaign), "value": .bool(rings), "variant": .text(rings ? "on" : "off"),
            "reason": metadata["code"] == "disabled" ? "DISABLED" : "TARGETING_MATCH",
        ]
        if !metadata.isEmpty { flag["metadata"] = .map(metadata) }
        return flag
    }
}

extension Problem {
    /// As OFREP says why not.
    func flagFailure(key: String?) -> Value {
        let known = ["FLAG_NOT_FOUND", "TARGETING_KEY_MISSING", "INVALID_CONTEXT"]
        var fields = Fields()
        fields["key"] = key.map { .text($0) }
        fields["errorCode"] = .text(known.contains(code) ? code : code == "invalid-json" ? "PARSE_ERROR" : "GENERAL")
        fields["errorDetails"] = .text([title, found, fix].compactMap(\.self).joined(separator: ": "))
        return .map(fields)
    }
}

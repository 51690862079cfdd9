import BelfryEngine
import BelfryModel

// Silences in the shapes of Alertmanager's API (v2), so that its tools work.

extension Silence {
    enum State: String {
        case active, pending, expired
    }

    func state(at now: Instant) -> State {
        if let until, until <= now { return .expired }
        return isActive(at: now) ? .active : .pending
    }

    /// With what it swallowed; nil: nothing.
    func value(_ suppressed: SilenceCounts.Count?, at now: Instant) -> Value {
        var fields = fields(at: now)
        fields["suppressed"] =
            suppressed.map { ["count": .integer(Int64($0.count)), "last": .text($0.last)] } ?? ["count": 0]
        return .map(fields)
    }

    /// The same where nothing was looked at that knows what it swallowed.
    func fields(at now: Instant) -> Fields {
        [
            "id": .text(id), "status": ["state": .text(state(at: now).rawValue)],
            "updatedAt": .text((updated ?? from ?? Self.always).description), "matchers": .list(matchers.map(\.value)),
            "startsAt": .text((from ?? Self.always).description), "endsAt": .text((until ?? Self.never).description),
            "createdBy": .text(by ?? ""), "comment": .text(comment ?? ""),
        ]
    }

    private static let always = Instant(rfc3339: "1970-01-01T00:00:00Z")!
    private static let never = Instant(rfc3339: "9999-12-31T00:00:00Z")!
}

extension SilenceMatcher {
    var value: Value {
        [
            "name": .text(property.description), "value": .text(text),
            "isRegex": .bool(comparison == .matches || comparison == .doesNotMatch),
            "isEqual": .bool(comparison == .equal || comparison == .matches),
        ]
    }

    /// - Throws: a problem if it makes no sense.
    init(alertmanager value: Value) throws {
        guard let fields = value.map, let name = fields["name"]?.text, let text = fields["value"]?.text else {
            throw Problem(.badRequest, "invalid-silence", "a matcher has no name or no value")
        }
        for name in ["isRegex", "isEqual"] where fields[name] != nil && fields[name]?.bool == nil {
            throw Problem(.badRequest, "invalid-silence", "'\(name)' is wrong", expected: "true or false")
        }
        let (isRegex, isEqual) = (fields["isRegex"]?.bool ?? false, fields["isEqual"]?.bool ?? true)
        let comparison: Comparison =
            isRegex ? (isEqual ? .matches : .doesNotMatch) : (isEqual ? .equal : .notEqual)
        do throws(Fault) {
            try self.init(Property(named: name), comparison, text)
        } catch {
            throw Problem(error)
        }
        // It goes into a file as text, and comes from there.
        guard let same = try? SilenceMatcher(parsing: description), same.property == property,
            same.comparison == comparison, same.text == text
        else {
            throw Problem(
                .badRequest, "invalid-silence", "a matcher cannot be written as text", found: name,
                expected: "a name without =, ! and white space around it")
        }
    }
}

extension Problem {
    init(_ fault: SilenceMatcher.Fault) {
        self.init(
            .badRequest, "invalid-silence", "the silence makes no sense", found: fault.found, expected: fault.expected,
            fix: fault.fix ?? fault.expected)
    }
}

/// What is posted to make a silence, or to change one.
struct SilenceRequest: Sendable {
    /// Of the one to change.
    let id: String?
    private(set) var silence: Silence

    /// - Throws: a problem if it makes no sense.
    init(_ fields: Fields, now: Instant) throws {
        func instant(_ name: String) throws -> Instant {
            guard let instant = fields[name]?.text.flatMap(Instant.init(rfc3339:)) else {
                throw Problem(.badRequest, "invalid-silence", "'\(name)' is wrong", expected: Instant.expectedForm)
            }
            return instant
        }
        func text(_ name: String) throws -> String {
            guard let text = fields[name]?.text else {
                throw Problem(.badRequest, "invalid-silence", "'\(name)' is missing, or no text", expected: "a text")
            }
            return text
        }
        guard let matchers = fields["matchers"]?.list else {
            throw Problem(.badRequest, "invalid-silence", "'matchers' is missing", expected: "a list of matchers")
        }
        let id = fields["id"] == nil ? "" : try text("id")
        self.id = id.isEmpty ? nil : id
        silence = Silence(
            id: "", matchers: try matchers.map(SilenceMatcher.init(alertmanager:)), from: try instant("startsAt"),
            until: try instant("endsAt"))
        (silence.by, silence.comment) = (try text("createdBy"), try text("comment"))
        if let fault = silence.fault { throw Problem(fault) }
        guard silence.until! > now else {
            throw Problem(
                .badRequest, "invalid-silence", "the silence has ended already", found: "endsAt: \(silence.until!)")
        }
    }

    /// As the configuration has it.
    func fields(id: String, at now: Instant) -> Fields {
        var fields: Fields = [
            "id": .text(id), "matchers": .list(silence.matchers.map { .text("\($0)") }),
            "from": .text("\(silence.from!)"), "until": .text("\(silence.until!)"), "updated": .text("\(now)"),
        ]
        fields["by"] = silence.by.map { .text($0) }
        fields["comment"] = silence.comment.map { .text($0) }
        return fields
    }
}

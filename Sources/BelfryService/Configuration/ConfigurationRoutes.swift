import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryModel
import HTTPTypes
import Hummingbird

/// `/v1/strategies`, `/v1/campaigns` and `/v1/config`, as configured. The `ETag` is the generation.
struct ConfigurationRoutes: Sendable {
    let engine: ServiceEngine
    let reload: Reload
    let limits: Configuration.Service.Limits

    var routes: [Route] {
        [
            Route(.get, "/v1/strategies", .read) { _ in answer(chain) },
            Route(.patch, "/v1/strategies", .operate, edit),
            Route(.get, "/v1/campaigns", .read) { _ in
                answer(engine.workspace.document.root["campaigns"]?.value ?? [])
            },
            Route(.get, "/v1/config", .read) { _ in answer(configuration) },
        ]
    }

    /// As configured, and which entries are not called for now.
    private var chain: Value {
        let quarantined = engine.quarantined
        return .list(
            (engine.workspace.chainListing.value.list ?? []).map { entry in
                guard var fields = entry.map, quarantined.contains(fields["entry"]?.text ?? "") else { return entry }
                fields["quarantined"] = .bool(true)
                return .map(fields)
            })
    }

    private func answer(_ value: Value) -> Response {
        var response = Response(json: value)
        response.headers[.eTag] = Self.tag(engine.workspace)
        return response
    }

    private static func tag(_ workspace: Workspace) -> String { "\"\(workspace.fingerprint)\"" }

    private var configuration: Value {
        guard var fields = engine.workspace.document.root.value.map else { return [:] }
        // The one in use, which an option may name.
        fields["store"] = .text("\(engine.location)")
        fields["forward"] = fields["forward"].map(Self.withoutSecrets)
        fields["sinks"] = (fields["sinks"]?.list).map { .list($0.map(Self.withoutSecrets)) }
        return .map(fields)
    }

    /// Keys, tokens and headers are secret. What follows the host of an address, the arguments of a program and what is sent may hold some.
    private static func withoutSecrets(_ value: Value) -> Value {
        guard var fields = value.map else { return value }
        for name in ["headers", "secret", "token", "vapid", "parameters"] { fields[name] = nil }
        for name in ["body", "subscription"] { fields[name] = fields[name].map(withoutTexts) }
        fields["url"] = (fields["url"]?.text).map { .text(withoutPath($0)) }
        fields["command"] = fields["command"].map { $0.list?.first ?? $0 }
        return .map(fields)
    }

    /// The topic of ntfy, and the path of many a webhook, are all that one has to know to write there.
    private static func withoutPath(_ url: String) -> String {
        guard let host = url.firstRange(of: "://")?.upperBound else { return "…" }
        let end = url[host...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        return ["", "/"].contains(url[end...]) ? url : "\(url[..<end])/…"
    }

    /// Texts with placeholders are shown, all others are not.
    private static func withoutTexts(_ value: Value) -> Value {
        switch value {
        case .map(let fields): return .map(Fields(fields.entries.map { ($0.key, withoutTexts($0.value)) }))
        case .list(let items): return .list(items.map(withoutTexts))
        case .text(let text): return (try? Template(text))?.placeholders.isEmpty == false ? value : .text("…")
        default: return value
        }
    }

    // MARK: Edits

    /// Edits the chain in the file, and brings it into force.
    private func edit(_ call: Call) async throws -> Response {
        let wanted = try ChainEdit(try await call.json(atMost: limits.body))
        let tag = call.request.headers[.ifMatch]
        try await engine.changes.run {
            try check(tag)
            // A replica that stands by has a configuration file of its own: an edit there would not reach the one that decides.
            try engine.checkThatItTakes()
            let change = try wanted.apply(to: engine.workspace)
            do { _ = try await reload.now() } catch {
                // A file that was edited again meanwhile stays as it is.
                try? ChainEditor(path: engine.workspace.document.path).takeBack(change)
                // It may be in force all the same.
                _ = try? await reload.now()
                throw error
            }
        }
        return answer(chain)
    }

    private func check(_ tag: String?) throws {
        let workspace = engine.workspace
        guard let tag else {
            throw Problem(
                .preconditionRequired, "precondition-required", "'If-Match' is missing",
                expected: "the ETag of what you have seen", fix: "get /v1/strategies, and send its ETag as If-Match")
        }
        // RFC 9110, section 13.1.1: any, or one of a list.
        let tags = tag.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        guard tags == ["*"] || tags.contains(Self.tag(workspace)) else {
            throw Problem(
                .preconditionFailed, "precondition-failed", "the chain is another one by now", found: tag,
                expected: Self.tag(workspace), fix: "get /v1/strategies again")
        }
        // What is in force was valid: a file that is not has changed.
        let file = try? workspace.workspace(at: workspace.document.path)
        guard file?.fingerprint == workspace.fingerprint else {
            throw Problem(
                .conflict, "changed", "the configuration was changed, and not reloaded",
                fix: "reload it, or take the change back")
        }
    }
}

/// The body of `PATCH /v1/strategies`.
private enum ChainEdit: Sendable {
    case move(String, ChainEditor.Destination)
    case set(String, isEnabled: Bool)

    init(_ fields: Fields) throws {
        func text(_ name: String) -> String? { fields[name]?.text }
        switch Set(fields.keys) {
        case ["enable"]:
            guard let entry = text("enable") else { throw Self.wrong }
            self = .set(entry, isEnabled: true)
        case ["disable"]:
            guard let entry = text("disable") else { throw Self.wrong }
            self = .set(entry, isEnabled: false)
        case ["move", "before"], ["move", "after"]:
            guard let entry = text("move"), let other = text("before") ?? text("after") else { throw Self.wrong }
            self = .move(entry, fields["before"] == nil ? .after(other) : .before(other))
        default: throw Self.wrong
        }
    }

    private static let wrong = Problem(
        .unprocessableContent, "invalid-edit", "this is no edit of the chain",
        expected: #"{"move":ENTRY,"before":ENTRY}, {"enable":ENTRY} or {"disable":ENTRY}"#, fix: "correct the body")

    func apply(to workspace: Workspace) throws -> ChainEditor.Change {
        do {
            switch self {
            case .move(let entry, let destination): return try workspace.move(entry, to: destination)
            case .set(let entry, let isEnabled):
                return try ChainEditor(path: workspace.document.path).setEnabled(entry, isEnabled)
            }
        } catch let error as ChainEditError {
            let status: HTTPResponse.Status = error.code == .unknownEntry ? .unprocessableContent : .conflict
            throw Problem(
                status, "not-edited", error.what, found: error.why, expected: error.code.expected, fix: error.fix)
        } catch let error as OrderRefusal {
            throw Problem(
                .unprocessableContent, "not-edited", error.what, found: error.why, expected: error.expected,
                fix: error.fix)
        }
    }
}

import BelfryConfiguration
import BelfryEngine
import BelfryModel
import BelfryPluginHost
import Foundation
import HTTPTypes
import Hummingbird

/// `/api/v2`: silences as Alertmanager has them (its OpenAPI document, version 2), so that `amtool silence` works.
///
/// What is made here goes into a file that the configuration includes, and is in force at once, whatever else has become of its files.
struct SilenceRoutes: Sendable {
    let engine: ServiceEngine
    let limits: Configuration.Service.Limits
    let startedAt: Instant
    private let counts = SilenceCounts()

    init(engine: ServiceEngine, limits: Configuration.Service.Limits, startedAt: Instant) {
        (self.engine, self.limits, self.startedAt) = (engine, limits, startedAt)
    }

    var routes: [Route] {
        [
            Route(.get, "/api/v2/silences", .operate, list), Route(.post, "/api/v2/silences", .operate, put),
            Route(.get, "/api/v2/silence/*", .operate, show), Route(.delete, "/api/v2/silence/*", .operate, expire),
            Route(.get, "/api/v2/status", .operate) { _ in Response(json: status) },
        ]
    }

    private var silences: [Silence] { engine.workspace.configuration.silences }

    // MARK: Looking

    private func list(_ call: Call) async throws -> Response {
        let wanted = try call.queryItems.filter { $0.name == "filter" }.map(\.value).map { text in
            do throws(SilenceMatcher.Fault) {
                return try SilenceMatcher(parsing: text)
            } catch {
                throw Problem(error)
            }
        }
        let (now, counts) = (Instant.wallClock, try await currentCounts)
        let found = silences.filter { silence in
            wanted.allSatisfy { wanted in
                wanted.holds(for: silence.matchers.filter { $0.property == wanted.property }.map(\.text))
            }
        }
        return Response(json: .list(found.map { $0.value(counts[$0.id], at: now) }))
    }

    private var currentCounts: [String: SilenceCounts.Count] {
        get async throws {
            let (counts, journal) = (counts, try engine.journal)
            return try await onThread { try counts.counts(in: journal) }
        }
    }

    private func show(_ call: Call) async throws -> Response {
        let counts = try await currentCounts
        let silence = try silence(call.parameters[0])
        return Response(json: silence.value(counts[silence.id], at: .wallClock))
    }

    private func silence(_ id: String) throws -> Silence {
        guard let silence = silences.first(where: { $0.id == id }) else {
            throw Problem(.notFound, "unknown-silence", "there is no such silence", found: id)
        }
        return silence
    }

    private var status: Value {
        let version = ["version", "revision", "branch", "buildUser", "buildDate", "goVersion"]
        return [
            "cluster": ["status": "disabled", "peers": []],
            "versionInfo": .map(Fields(version.map { ($0, .text($0 == "version" ? belfryVersion : "")) })),
            "config": ["original": ""], "uptime": .text("\(startedAt)"),
        ]
    }

    // MARK: Changing

    private func put(_ call: Call) async throws -> Response {
        let request = try SilenceRequest(try await call.json(atMost: limits.body), now: .wallClock)
        let former = try request.id.map(silence)
        let stays = former.map { Self.stays($0, request.silence) } ?? false
        let id = stays ? former!.id : UUID().uuidString.lowercased()
        try await edit { silences, now in
            if stays, let former {
                return silences[try SilenceBook.place(of: former, in: silences)] = request.fields(id: id, at: now)
            }
            if let former, former.state(at: now) != .expired {
                try SilenceBook.expire(former, in: &silences, at: now)
            }
            silences.append(request.fields(id: id, at: now))
        }
        return Response(json: ["silenceID": .text(id)])
    }

    /// Whether it stays the one that it is, in Alertmanager's way.
    private static func stays(_ former: Silence, _ next: Silence) -> Bool {
        former.state(at: .wallClock) == .active
            && former.matchers.elementsEqual(next.matchers) { $0.description.isSameText(as: $1.description) }
    }

    private func expire(_ call: Call) async throws -> Response {
        let silence = try silence(call.parameters[0])
        try await edit { silences, now in
            if silence.state(at: now) != .expired { try SilenceBook.expire(silence, in: &silences, at: now) }
        }
        return Response(status: .ok)
    }

    /// Changes the file, and brings it into force here and for other replicas; where that cannot be, the file stays as it was.
    private func edit(_ change: @escaping @Sendable (inout [Fields], Instant) throws -> Void) async throws {
        try await engine.changes.run { try await apply(change) }
    }

    private func apply(_ change: (inout [Fields], Instant) throws -> Void) async throws {
        let path = engine.workspace.document.path
        let (file, now) = (SilenceFile(of: path), Instant.wallClock)
        let (before, after) = try AtomicFile.change(file.path) {
            let before = try file.bytes
            var silences = try SilenceBook(of: path).kept(at: now)
            try change(&silences, now)
            try file.write(silences)
            return (before, try file.bytes)
        }
        do {
            try await takeSilences()
            let shared = SharedSilences(of: path, beside: try engine.journal.location)
            try await onThread { try shared?.share() }
        } catch {
            try file.restore(before, ifStill: after)
            // It may be in force here alone.
            try? await takeSilences()
            throw error
        }
    }

    private func takeSilences() async throws {
        do {
            let (workspace, source) = try await onThread(engine.silenced)
            try await engine.take(workspace, source, isReload: false)
        } catch {
            throw Problem(
                .unprocessableContent, "silence-not-in-force",
                "the silence cannot be brought into force, and is not kept",
                found: "\(error)", fix: "make what it names right, and ask for it again")
        }
    }
}

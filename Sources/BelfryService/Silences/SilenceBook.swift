import BelfryConfiguration
import BelfryEngine
import BelfryModel
import Foundation

/// The silences beside a configuration: what makes, keeps and ends them.
public struct SilenceBook {
    private let file: SilenceFile

    /// - Parameter configuration: the path of its file.
    public init(of configuration: String) { file = SilenceFile(of: configuration) }

    /// What asks for a silence, in Alertmanager's shape.
    ///
    /// - Parameter matchers: such as `campaign=~"promo-.*"`.
    /// - Throws: `SilenceMatcher.Fault`.
    public static func request(
        _ matchers: [String], from: Instant, until: Instant, by: String, comment: String
    ) throws -> Fields {
        let matchers = try matchers.map { try SilenceMatcher(parsing: $0) }
        if let fault = Silence(id: "", matchers: matchers, from: from, until: until).fault { throw fault }
        return [
            "matchers": .list(matchers.map(\.value)), "startsAt": .text("\(from)"), "endsAt": .text("\(until)"),
            "createdBy": .text(by), "comment": .text(comment),
        ]
    }

    /// Silences of a configuration, in Alertmanager's shape; without what they swallowed, which a journal knows.
    public static func list(_ silences: [Silence], at now: Instant) -> Value {
        .list(silences.map { .map($0.fields(at: now)) })
    }

    /// Makes one.
    ///
    /// - Returns: its id.
    public func add(_ request: Fields, at now: Instant) throws -> String {
        let (request, id) = (try SilenceRequest(request, now: now), UUID().uuidString.lowercased())
        try AtomicFile.change(file.path) { try file.write(try kept(at: now) + [request.fields(id: id, at: now)]) }
        return id
    }

    /// Ends one of a configuration.
    public func expire(_ silence: Silence, at now: Instant) throws {
        try AtomicFile.change(file.path) {
            var silences = try kept(at: now)
            if silence.state(at: now) != .expired { try Self.expire(silence, in: &silences, at: now) }
            try file.write(silences)
        }
    }

    /// Those that ended so long ago are not kept, as in Alertmanager.
    private static let retention = BelfryModel.Duration.days(5)

    func kept(at now: Instant) throws -> [Fields] {
        try file.read().filter { silence in
            silence["until"]?.text.flatMap(Instant.init(rfc3339:)).map { $0 > now - Self.retention } ?? true
        }
    }

    /// - Throws: a problem if it is one of the configuration itself.
    static func place(of silence: Silence, in silences: [Fields]) throws -> Int {
        if let place = silences.firstIndex(where: { $0["id"]?.text == silence.id }) { return place }
        throw Problem(
            .badRequest, "configured-silence", "the silence is in the configuration", found: silence.id,
            fix: "change it there, or take it out, and reload")
    }

    static func expire(_ silence: Silence, in silences: inout [Fields], at now: Instant) throws {
        let place = try place(of: silence, in: silences)
        // One that was to come never held.
        if silence.from.map({ $0 >= now }) ?? false {
            silences[place]["from"] = .text("\(now - .milliseconds(1))")
        }
        for key in ["until", "updated"] { silences[place][key] = .text("\(now)") }
    }
}

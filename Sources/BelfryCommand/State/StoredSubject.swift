import ArgumentParser
import BelfryEngine
import BelfryModel
import BelfryStore

/// The subject that a command is about.
struct SubjectArgument: ParsableArguments {
    @Argument(help: "The subject.")
    var subject: String
}

/// What a store has of one subject.
struct StoredSubject {
    let name: String
    /// Nil if there is only what is in quarantine.
    let bytes: [UInt8]?
    let quarantined: [QuarantinedRecord]

    /// Whether there is nothing.
    var isEmpty: Bool { bytes == nil && quarantined.isEmpty }

    /// What there is, which may be nothing.
    init(anythingOf name: String, in store: any RecordStore) throws {
        (self.name, bytes, quarantined) = (name, try store.record(for: name), try store.quarantined(of: name))
    }

    /// Throws if there is nothing.
    init(_ name: String, in store: any RecordStore) throws {
        try self.init(anythingOf: name, in: store)
        if isEmpty { throw try Self.unknown(name, in: store) }
    }

    /// The record that the subject has now.
    static func record(of name: String, in store: any RecordStore) throws -> SubjectRecord {
        guard let bytes = try store.record(for: name) else { throw try unknown(name, in: store) }
        return try SubjectRecord(of: name, bytes)
    }

    /// The same as it is stored.
    static func bytes(of name: String, in store: any RecordStore) throws -> [UInt8] {
        guard let bytes = try store.record(for: name) else { throw try unknown(name, in: store) }
        return bytes
    }

    /// Nil if there is only what is in quarantine.
    func record() throws -> SubjectRecord? {
        guard let bytes else { return nil }
        return try SubjectRecord(of: name, bytes)
    }

    static func unknown(_ name: String, in store: any RecordStore) throws -> CommandFailure {
        let known = try store.subjects(after: nil, limit: 10_000)
        let fix = nearestMatch(to: name, among: known).map { "did you mean '\($0)'?" } ?? "belfry state list names them"
        return CommandFailure(
            status: .failed,
            message: """
                there is no record of subject '\(name)'
                  why: no signal named it, or it was erased
                  fix: \(fix)
                """)
    }
}

import BelfryJournal
import BelfryRuntime
import BelfryStore
import Foundation
import Testing

/// A folder with a configuration, a file of signals and a store, over which `belfry run` is killed and started again.
struct Victim {
    let place: Workplace
    /// Besides those that name files.
    var arguments: [String] = []
    var way = Way.fileToFile
    let store = StoreLocation.sqlite(path: "s.db")
    private let heard = Heard()

    /// How signals come and decisions leave.
    enum Way: CaseIterable {
        case fileToFile
        /// A reader takes the output, and drops decisions that are known by their ids.
        case fileToReader
        /// A sender sends everything again, whenever it is started again.
        case senderToFile

        var arguments: [String] {
            let output = ["--output", "decisions.jsonl"]
            return switch self {
            case .fileToFile: ["--signals", "signals.jsonl"] + output
            case .fileToReader: ["--signals", "signals.jsonl"]
            case .senderToFile: output
            }
        }
    }

    init(_ configuration: String, signals: [String]) throws {
        try self.init(configuration, signals: Data(signals.asFile.utf8))
    }

    init(_ configuration: String, signals: Data) throws {
        place = try Workplace(["belfry.yaml": configuration])
        try signals.write(to: place.file("signals.jsonl"))
    }

    /// Runs on, as a user would start it again, until it ends or is killed.
    @discardableResult
    func live(
        _ strike: Strike? = nil, environment: [String: String] = [:],
        started: (Process) throws -> Void = { _ in }
    ) throws -> Command.Result {
        let life = try place.belfry(
            ["run", "--store", "\(store)", "--rejects", "rejects.jsonl"] + way.arguments + arguments,
            input: way == .senderToFile ? Data(contentsOf: place.file("signals.jsonl")) : Data(),
            environment: try strike?.environment ?? environment, started: started)
        if way == .fileToReader { try hear(life.output) }
        return life
    }

    /// Runs on, and is killed after that time if it has not ended by then.
    @discardableResult
    func live(killedAfter time: Duration) throws -> Command.Result {
        try live { process in
            usleep(UInt32(time / .microseconds(1)))
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
    }

    /// Keeps the whole lines whose decisions are new.
    private func hear(_ output: String) throws {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let new = try lines.filter { try heard.ids.insert(Self.id($0)).inserted }.map(String.init)
        let file = place.file("decisions.jsonl")
        if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
        let end = try FileHandle(forWritingTo: file)
        defer { try? end.close() }
        try end.seekToEnd()
        try end.write(contentsOf: Data(new.asFile.utf8))
    }

    /// After `{"specversion":"1.0","id":"`: an expression to search for takes minutes with all the lines of a thousand lives.
    private static func id(_ decision: Substring) throws -> String {
        let parts = decision.split(separator: "\"", maxSplits: 8)
        try #require(parts.count > 7 && parts[5] == "id", "\(decision)")
        return String(parts[7])
    }

    /// The decisions that were heard so far.
    private final class Heard {
        var ids: Set<String> = []
    }

    /// Everything that a run leaves.
    struct Remains: Equatable {
        var decisions: [String]
        /// Without repeats.
        var rejects: Set<String>
        /// What is stored of each subject, in bytes.
        var records: [String: [UInt8]]
    }

    private func reading<Result>(_ body: (any RecordStore) throws -> Result) throws -> Result {
        let store = try JournaledStore(store.at(place.file(store.path!).path))
        defer { store.close() }
        return try body(store)
    }

    func remains() throws -> Remains {
        let records = try reading { store in
            try store.subjects(after: nil, limit: 1_000_000).map { ($0, try #require(try store.record(for: $0))) }
        }
        return Remains(
            decisions: lines(of: "decisions.jsonl"), rejects: Set(lines(of: "rejects.jsonl")),
            records: Dictionary(uniqueKeysWithValues: records))
    }

    /// Whether all of the file is decided and all decisions are known to be handed out: a run that was killed after it had noted
    /// that is a run that ended.
    var isDone: Bool {
        // Killed early, it may have left no store.
        let isDone = try? reading { store in
            let position = String(decoding: try store.meta("run") ?? [], as: UTF8.self)
            return try position.contains(#""finished":true"#) && !hasLeftovers(position)
        }
        return isDone ?? false
    }

    private func hasLeftovers(_ position: String) throws -> Bool {
        let handedOut = try #require(position.firstMatch(of: /"handedOut":(\d+)/).flatMap { UInt64($0.1) })
        let reader = try JournalReader(.folder(place.file(store.journalPath!).path), after: handedOut)
        while let entry = try reader.next() { if entry.decisions > 0 { return true } }
        return false
    }

    private func lines(of name: String) -> [String] {
        ((try? place.text(of: name)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Runs undisturbed until it ends.
    func remainsUndisturbed() throws -> Remains {
        let life = try live()
        try #require(life.status == 0 || life.status == 3, "\(life.errors)")
        return try remains()
    }
}

/// Reports in what two things differ, line by line and not as two dumps.
func expectSame(_ found: Victim.Remains, _ wanted: Victim.Remains, _ what: String) {
    expectSame(found.decisions, wanted.decisions, what)
    #expect(wanted.rejects.subtracting(found.rejects) == [], "\(what): these rejects are missing")
    #expect(found.rejects.subtracting(wanted.rejects) == [], "\(what): these rejects are too many")
    let subjects = Set(found.records.keys).union(wanted.records.keys).sorted()
    let different = subjects.filter { found.records[$0] != wanted.records[$0] }
    #expect(different == [], "\(what): the records of these are others")
}

func expectSame(_ found: [String], _ wanted: [String], _ what: String) {
    guard found != wanted else { return }
    let line = zip(found, wanted).enumerated().first { $1.0 != $1.1 }
    let place = line.map { "line \($0 + 1) is\n  \($1.0)\nand should be\n  \($1.1)" } ?? "one ends before the other"
    Issue.record("\(what): \(found.count) decisions instead of \(wanted.count); \(place)")
}

extension Command.Result {
    /// What went wrong, without what was noticed before.
    var withoutWarnings: String {
        errors.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("warning: ") }
            .joined(separator: "\n")
    }
}

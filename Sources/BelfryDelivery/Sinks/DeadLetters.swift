import BelfryConfiguration
import BelfryEngine
import BelfryModel
import Foundation

/// Decisions that a sink was not given: a file of lines beside the journal, each with the decision, why, and when it was given up.
struct DeadLetters: Sendable {
    /// Nil where nothing outlives the process.
    let path: String?

    /// - Parameter journal: the folder of the journal; nil for one in memory.
    init(of sink: String, journal: String?) { path = journal.map { "\($0)/dead-\(sink).jsonl" } }

    func append(_ item: SinkItem, why: String, at time: Instant) throws {
        guard let path else { return }
        let letter: Fields = ["at": .text("\(time)"), "why": .text(why), "decision": .map(item.decision)]
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        defer { Foundation.close(descriptor) }
        let line = Array((Value.map(letter).json + "\n").utf8)
        guard descriptor >= 0, write(descriptor, line, line.count) == line.count, fdatasync(descriptor) == 0 else {
            throw TargetFailure(path: path, reason: String(cString: strerror(errno)))
        }
    }

    /// In their order; what is no line of this program's is left out.
    var all: [Fields] {
        guard let path, let data = FileManager.default.contents(atPath: path) else { return [] }
        return data.split(separator: UInt8(ascii: "\n")).compactMap { Value(json: Array($0)[...])?.map }
    }

    /// Keeps those only.
    func keep(_ letters: [Fields]) throws {
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        let text = letters.map { Value.map($0).json + "\n" }.joined()
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    func forget(_ subject: String) throws {
        let letters = all
        let kept = letters.filter { $0["decision"]?.map?["subject"]?.text?.isSameText(as: subject) != true }
        if kept.count < letters.count { try keep(kept) }
    }
}

/// A file that cannot be written.
struct TargetFailure: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "'\(path)' cannot be written: \(reason)" }
}

import BelfryEngine
import BelfryModel
import BelfryStore
import Foundation

// A trace is a file of JSON lines:
//
//     {"trace":1,"belfry":…,"config":…,"app":…,"fingerprint":…}                first of all
//     {"subject":"ana","record":"…"}                     what the store knew of somebody, in base 64, before it is needed
//     {"line":12,"signal":"…"}                           a line of input as it came
//     {"line":13,"rejected":"unknown-region"}            after its signal, where it is one
//     {"decision":{…},"entries":[…]}                     after the signal it comes of; entries as in `belfry explain --json`
//     {"until":"…"}                                      time passed at the end of the input
//     {"end":true,"decisions":4711}                      last of all; missing where the run was ended before its input was
//
// What only a handler can say is not in it: an `action.invoked` has no outcome, `handled` of a geotrigger with one is null.

/// Writes what a run is told and what it decides, each decision with all that the chain said: what can be replayed.
///
/// Batch by batch, each before it is committed: a run that was killed has traced everything it committed, and perhaps a batch more.
public final class TraceWriter {
    public static let version: Int64 = 1

    private let output: ByteOutput
    private let header: Fields
    /// Lines of the batch, each with the number of decisions before it.
    private var lines: [(before: Int, bytes: [UInt8])] = []
    /// What the chain said, by decision.
    private var testimonies: [Int: [UInt8]] = [:]
    private var decisions = 0
    /// Whose records are in the trace, or never were in the store.
    private var known: Set<SubjectKey> = []
    /// Nil if it was empty when the run began.
    private var store: (any RecordStore)?
    private var writer = JSONWriter()

    /// - Parameter name: what to call the configuration.
    public init(_ output: ByteOutput, name: String, _ workspace: Workspace) {
        self.output = output
        header = [
            "trace": .integer(Self.version), "belfry": .text(belfryVersion), "config": .text(name),
            "app": .text(workspace.configuration.app), "fingerprint": .text(workspace.fingerprint),
        ]
    }

    /// Those who have timers may be needed at any time.
    func begin(_ store: any RecordStore) throws {
        try output.append(line(header))
        guard try store.count() > 0 else { return }
        self.store = store
        for (subject, _) in try store.timers() {
            if let record = try record(of: subject) { try output.append(record) }
        }
    }

    /// As a line, the first time.
    private func record(of subject: String) throws -> [UInt8]? {
        guard let store, known.insert(SubjectKey(subject)).inserted, let bytes = try store.record(for: subject) else {
            return nil
        }
        return line(["subject": .text(subject), "record": .text(Data(bytes).base64EncodedString())])
    }

    /// Notes a signal that is about to be processed.
    func note(
        _ signal: Signal, _ bytes: UnsafeBufferPointer<UInt8>, line number: Int, before decisions: Int
    ) throws {
        if let record = try record(of: signal.subject) { lines.append((decisions, record)) }
        let text = String(decoding: bytes, as: UTF8.self)
        lines.append((decisions, line(["line": .integer(Int64(number)), "signal": .text(text)])))
    }

    /// Notes that a line was rejected; one that is a signal was noted before, and stays: others may take it.
    func noteReject(_ reject: SignalReject, line number: Int, before decisions: Int) {
        let line = line(["line": .integer(Int64(number)), "rejected": .text(reject.code.rawValue)])
        lines.append((decisions, line))
    }

    func note(_ testimony: Testimony) {
        writer.write(.list(testimony.entries.map(\.value)))
        testimonies[testimony.decision] = writer.takeBytes()
    }

    func noteEnd(until time: Instant, before decisions: Int) {
        lines.append((decisions, line(["until": .text(time.description)])))
    }

    /// Writes the batch.
    ///
    /// - Parameter first: the number of the first of the decisions.
    func write(_ effects: Effects, first: UInt64, source: String) throws {
        var rest = lines[...]
        for index in 0..<effects.count {
            while let line = rest.first, line.before <= index { try output.append(rest.removeFirst().bytes) }
            var line = Self.beginning(of: effects, index, number: first + UInt64(index), source: source, &writer)
            if let entries = testimonies[index] { line += Array(#","entries":"#.utf8) + entries }
            try output.append(line + [UInt8(ascii: "}"), UInt8(ascii: "\n")])
        }
        for line in rest { try output.append(line.bytes) }
        try output.flush()
        decisions += effects.count
        lines.removeAll(keepingCapacity: true)
        testimonies.removeAll(keepingCapacity: true)
    }

    func end() throws {
        try output.append(line(["end": true, "decisions": .integer(Int64(decisions))]))
        try output.flush()
    }

    /// How the line of a decision begins; what follows is the chain, or the end.
    static func beginning(
        of effects: Effects, _ index: Int, number: UInt64, source: String, _ writer: inout JSONWriter
    ) -> [UInt8] {
        let gap = effects.write(index, to: &writer, number: number, source: source)
        var bytes = Array(writer.takeBytes().dropLast())
        if case .handled(let offset)? = gap { bytes.insert(contentsOf: "null".utf8, at: offset) }
        return Array(#"{"decision":"#.utf8) + bytes
    }

    private func line(_ fields: Fields) -> [UInt8] {
        writer.write(fields)
        writer.endLine()
        return writer.takeBytes()
    }
}

import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryPluginHost
import BelfrySignals
import BelfryStore

/// Writes the trace of a run: what can be replayed.
///
/// Batch by batch, each before it is committed: a run that was killed has traced everything it committed, and perhaps some batches more.
public final class TraceWriter {
    private let output: ByteOutput
    private let header: Fields
    private var decisions = 0

    /// - Parameter name: what to call the configuration.
    public init(_ output: ByteOutput, name: String, _ workspace: Workspace) {
        self.output = output
        header = [
            "trace": .integer(TraceLine.version), "belfry": .text(belfryVersion), "config": .text(name),
            "app": .text(workspace.configuration.app), "fingerprint": .text(workspace.fingerprint),
        ]
    }

    /// Subjects that have timers may be needed at any time.
    ///
    /// - Returns: the subjects whose records are in the trace.
    func begin(_ store: any RecordStore) throws -> Set<SubjectKey> {
        try append(header)
        let subjects = try store.timers().map(\.subject)
        for subject in subjects {
            if let bytes = try store.record(for: subject) { try append(TraceLine.record(of: subject, bytes)) }
        }
        return Set(subjects.map { SubjectKey($0) })
    }

    func append(_ fields: Fields) throws {
        var writer = JSONWriter()
        writer.write(fields)
        writer.endLine()
        try output.append(writer.takeBytes())
    }

    /// Appends what a shard has traced of a piece.
    func append(_ bytes: [UInt8]) throws { try output.append(bytes) }

    /// Ends a batch.
    func flush(decisions count: Int) throws {
        decisions += count
        try output.flush()
    }

    func end() throws {
        try append(["end": true, "decisions": .integer(Int64(decisions))])
        try output.flush()
    }
}

import BelfryCore
import BelfryRuntime
import BelfrySignals
import BelfryStore
import Foundation

/// Decides what comes in through one descriptor and writes the decisions to another, until the input ends.
///
/// Blocks until then, so it wants a thread of its own.
///
/// - Parameter belfry: the command. It looks at plugins in processes of their own, and the bundled ones lie beside it.
func decide(configuration: String, belfry: String, signals: Int32, decisions: Int32) throws -> RunSummary {
    let workspace = try Workspace(path: configuration, executable: belfry) { _, message in note(message) }
    let loaded = try workspace.load()
    let location = try workspace.store()
    let store = try location.open()
    defer { store.close() }
    let runner = try Runner(
        loaded.catalog, providers: loaded.providers, store: store, isDurable: location != .memory,
        decisions: ByteOutput(decisions, name: "the decisions"),
        rejects: ByteOutput(STDERR_FILENO, name: "standard error"), warn: note)
    return try runner.run(SignalInput(signals))
}

private func note(_ message: String) { FileHandle.standardError.write(Data((message + "\n").utf8)) }

import BelfryEngine
import Foundation

@testable import BelfryCore
@testable import BelfryRuntime

/// Has another configuration for a run after its first batch.
final class Reload: RunEvents {
    private let pipe = Pipe()
    private var source: DecisionSource?
    var descriptor: Int32 { pipe.fileHandleForReading.fileDescriptor }

    init(_ catalog: Catalog) { source = .withoutPlugins(catalog) }

    func next() -> RunEvent? { source.take().map(RunEvent.reload) }
}

extension DecisionSource {
    /// Threads that decide by a catalog.
    static func withoutPlugins(_ catalog: Catalog) -> DecisionSource {
        .threads(Workspace.Loaded(providers: Providers(), catalog: catalog))
    }
}

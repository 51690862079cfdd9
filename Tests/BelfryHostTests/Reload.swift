import BelfryEngine
import Foundation

@testable import BelfryCore
@testable import BelfryRuntime

/// Has another configuration for a run after its first batch.
final class Reload: RunEvents {
    private let pipe = Pipe()
    private var loaded: Workspace.Loaded?
    var descriptor: Int32 { pipe.fileHandleForReading.fileDescriptor }

    init(_ catalog: Catalog) { loaded = Workspace.Loaded(plugins: [], providers: Providers(), catalog: catalog) }

    func next() -> RunEvent? { loaded.take().map(RunEvent.reload) }
}

import BelfryEngine

/// Work that decides signals of an input by plugins, and can be watched at it.
package protocol WatchedWork: AnyObject {
    /// Called when lines were read, before any of them is decided.
    var didRead: () throws -> Void { get set }

    /// Gives the engines out; what comes back for each is called before it decides.
    func watch(_ willDecide: (Engine) throws -> (_ subject: String, _ signal: String) throws -> Void) rethrows
}

extension Simulation: WatchedWork {}
extension TraceReplay: WatchedWork {}

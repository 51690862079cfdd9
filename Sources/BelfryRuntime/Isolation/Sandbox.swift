import BelfryCore
import BelfryPluginHost
import CLinux
import Glibc

/// What a process that decides with plugins from elsewhere may still do: decide, read private copies and the rules of time zones, and log.
struct Sandbox {
    private let readable: [String]

    /// Nil where there is no such plugin, and where it is switched off.
    init?(_ workspace: Workspace) {
        guard workspace.configuration.sandbox, !workspace.foreignEntries.isEmpty else { return nil }
        readable = workspace.host.readableFolders
    }

    /// From here on, for good. Where the kernel has less, that much; where it refuses, nothing is decided.
    func enter() {
        var folders = readable.map { UnsafePointer<CChar>(strdup($0)) }
        if belfry_enter_sandbox(&folders, folders.count) < 0 { _exit(1) }
        for folder in folders { free(UnsafeMutablePointer(mutating: folder)) }
    }
}

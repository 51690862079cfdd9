import BelfryPluginHost
import Glibc

extension PluginCheck {
    static let symbols = PluginCheck("symbols", "It exports its entry and nothing else.", needs: ["file"]) { subject in
        let others = try exportedNames(of: subject.path).filter {
            !$0.hasPrefix(PluginKind.entryPrefix) && !linkerNames.contains($0)
        }
        guard !others.isEmpty else { return [] }
        let shown = others.prefix(3).map { "'\($0)'" }
        let names = listed(shown + (others.count > 3 ? ["\(others.count - 3) more"] : []))
        return [
            CheckFinding(
                "it exports more than its entry", why: "\(names) can be seen by everything else in the process",
                fix: "compile with -fvisibility=hidden, or link with a version script: "
                    + "{ global: belfry_plugin_entry_v*; local: *; };")
        ]
    }

    private static func exportedNames(of path: String) throws -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        return try ELFSymbols(descriptor: descriptor, size: Int(status.st_size)).definedNames(prefix: "").sorted()
    }

    /// What some linkers add to every shared object.
    private static let linkerNames: Set = ["_init", "_fini", "_edata", "_end", "__bss_start"]
}

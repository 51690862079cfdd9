import BelfryModel
import Foundation
import Testing

/// The plugin `faulty.c`, compiled once for each sin, and the folders that have it.
enum FaultyPlugin {
    /// As `faulty.c` numbers them.
    enum Sin: Int, CaseIterable, Sendable, CustomTestStringConvertible {
        case crash, trap, exit, abort, overflow, stop, hang, sleep, memory, close, thread, kill, lowExit, quickExit,
            spill

        var testDescription: String { "\(self)" }

        /// How it is told of.
        var cause: String {
            switch self {
            case .crash, .trap, .abort, .overflow, .kill, .spill: "crash"
            case .exit, .close, .thread, .lowExit, .quickExit: "exit"
            case .stop, .hang, .sleep: "timeout"
            case .memory: "memory"
            }
        }

        /// How long a call may take: so short only where that is what it fails by, since a busy machine takes its time.
        var limit: String { cause == "timeout" ? "60ms" : "10s" }
    }

    /// A day of signals with it in the chain, in a folder of its own.
    ///
    /// - Parameters:
    ///   - sin: nil: it answers fault by itself in these calls.
    ///   - rate: one of so many calls of a hook.
    ///   - limit: of a call; nil: that of the sin.
    ///   - status: with which `lowExit` ends the process.
    static func workplace(
        _ sin: Sin?, rate: Int = 12, chain: String = "- { strategy: faulty }", limit: String? = nil,
        status: Int = 0
    ) throws -> Workplace {
        // Handlers of actions get their time, too.
        let limits =
            "actions: { timeout: 1m }\nlimits: { call: \(limit ?? sin?.limit ?? "10s"), memory: \(sin == .memory ? "160MiB" : "2GiB") }\n"
        let configuration =
            limits + BusyDay.configuration(batch: 40).replacing("chain:\n", with: "chain:\n  \(chain)\n")
        let place = try Workplace([
            "belfry.yaml": configuration.replacing(
                "app: shop\n", with: "app: shop\nplugins: { directories: [bundled, plugins] }\n"),
            "signals.jsonl": BusyDay.signals(160, seed: 5).asFile,
        ])
        let definitions = ["RATE=\(rate)", sin.map { "KIND=\($0.rawValue)" } ?? "POLITE"]
        try PluginFiles.compile(
            [PluginFiles.own("faulty")], into: place.file("plugins"), defining: definitions[0], definitions[1],
            "STATUS=\(status)")
        return place
    }

    /// Decisions without what may differ between a plugin that fails and one that says that it failed.
    static func comparable(_ decisions: String) throws -> [String] {
        try decisions.split(separator: "\n").map { line in
            // The others are to be the same bytes.
            line.contains("fault") ? masked(try JSON(String(line)).value).json : String(line)
        }
    }

    private static func masked(_ value: Value) -> Value {
        switch value {
        case .list(let items): return .list(items.map(masked))
        case .map(let fields):
            var fields = Fields(fields.entries.map { ($0.key, masked($0.value)) })
            if fields["cause"] != nil, fields["hook"] != nil { (fields["cause"], fields["message"]) = (nil, nil) }
            if fields["code"] == "fault" { fields["message"] = nil }
            if fields["faults"] != nil { fields["faults"] = nil }
            return .map(fields)
        default: return value
        }
    }
}

import BelfryPlugin
import CBelfry

/// Where a strategy is tested: as the Swift type, or in the plugin that was built from it. A test that takes one runs on both.
///
/// ```swift
/// static let both: [StrategySource] = [.type(Patience.self), .plugin("libPatience.so")]
///
/// @Test(arguments: both) func `nothing after three that were not opened`(source: StrategySource) throws {
///     let test = try StrategyTest(source, parameters: ["limit": 3])
/// ```
public enum StrategySource: Sendable {
    case type(any Strategy.Type)
    /// A shared object: a path, or the name of one that was built beside the tests.
    ///
    /// `strategy` is the name of one that it offers; nil: the only one.
    case plugin(String, strategy: String? = nil)
}

extension StrategySource: CustomStringConvertible {
    public var description: String {
        switch self {
        case .type(let type): "\(type)"
        case .plugin(let file, let strategy): strategy.map { "\($0) in \(file)" } ?? file
        }
    }
}

extension StrategySource {
    /// Its hook for receipts; nil if it has none.
    var receipts: UnsafePointer<belfry_receipt_hook>? {
        get throws(StrategyTest.Failure) {
            switch self {
            case .type(let type): return receiptTable(type)
            case .plugin(let file, let strategy):
                let plugin = try BuiltPlugin(file)
                return plugin.receipts(of: try plugin.strategy(strategy).pointee.name.string ?? "")
            }
        }
    }

    /// Which strategies need not be told of every outcome; nil if all are.
    var outcomes: UnsafePointer<belfry_outcomes>? {
        get throws(StrategyTest.Failure) {
            switch self {
            case .type(let type): outcomesTable([type])
            case .plugin(let file, _): try BuiltPlugin(file).outcomes
            }
        }
    }

    var table: UnsafePointer<belfry_strategy> {
        get throws(StrategyTest.Failure) {
            switch self {
            case .type(let type): return strategyTable(type)
            case .plugin(let file, let strategy): return try BuiltPlugin(file).strategy(strategy)
            }
        }
    }
}

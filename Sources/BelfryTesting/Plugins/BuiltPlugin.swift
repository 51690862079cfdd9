import BelfryEngine
import BelfryModel
import BelfryZones
import CBelfry
import Glibc
import Synchronization

/// A plugin as it is shipped: the shared object that was built, loaded into the process of the tests.
///
/// ```swift
/// let test = try FilterTest(table: BuiltPlugin("libSignature.so").filter())
/// ```
///
/// It is set up once per process and never unloaded, as in production. What `belfry plugins` would refuse it for is not looked
/// for here.
public struct BuiltPlugin: Sendable {
    public typealias Failure = StrategyTest.Failure

    private let file: String
    /// Of an image that stays in the process for ever.
    private let root: Constant<UnsafePointer<belfry_plugin>>

    /// - Parameter file: a path, or a name without a folder: of a file beside the executable of the tests, where `swift build`
    ///   leaves what it builds.
    public init(_ file: String) throws(Failure) {
        self.file = file.contains("/") ? file : Self.folder + "/" + file
        root = Constant(try LoadedRoots.shared.root(of: self.file))
    }

    /// The strategy of that name; nil: the only one.
    public func strategy(_ name: String? = nil) throws(Failure) -> UnsafePointer<belfry_strategy> {
        let offered = extensionTable(BELFRY_EXTENSION_STRATEGY, belfry_strategies.self)?.pointee
        let strategies = (0..<Int(offered?.count ?? 0)).compactMap { offered?.items[$0] }
        return try pick(name, "strategy", from: strategies.map { ($0.pointee.name.string ?? "", $0) })
    }

    /// The filter of that name; nil: the only one.
    public func filter(_ name: String? = nil) throws(Failure) -> UnsafePointer<belfry_filter> {
        let offered = extensionTable(BELFRY_EXTENSION_FILTER, belfry_filters.self)?.pointee
        let filters = (0..<Int(offered?.count ?? 0)).compactMap { offered?.items[$0] }
        return try pick(name, "filter", from: filters.map { ($0.pointee.name.string ?? "", $0) })
    }

    /// Its action handlers, for `ActionTest`.
    public var actions: [UnsafePointer<belfry_action>] {
        let offered = extensionTable(BELFRY_EXTENSION_ACTIONS, belfry_actions.self)?.pointee
        return (0..<Int(offered?.count ?? 0)).compactMap { offered?.items[$0] }
    }

    /// The type of sinks of that name; nil: the only one.
    public func sink(_ name: String? = nil) throws(Failure) -> UnsafePointer<belfry_sink_type> {
        let offered = extensionTable(BELFRY_EXTENSION_SINK, belfry_sink_types.self)?.pointee
        let sinks = (0..<Int(offered?.count ?? 0)).compactMap { offered?.items[$0] }
        return try pick(name, "sink", from: sinks.map { ($0.pointee.name.string ?? "", $0) })
    }

    /// The hook for receipts of the strategy of that name; nil if it has none.
    public func receipts(of strategy: String) -> UnsafePointer<belfry_receipt_hook>? {
        let offered = extensionTable(BELFRY_EXTENSION_RECEIPTS, belfry_receipts.self)?.pointee
        return (0..<Int(offered?.count ?? 0)).lazy.compactMap { offered?.items[$0] }
            .first { $0.pointee.strategy.string == strategy }
    }

    /// Which of its strategies need not be told of every outcome; nil if all are.
    public var outcomes: UnsafePointer<belfry_outcomes>? {
        extensionTable(BELFRY_EXTENSION_OUTCOMES, belfry_outcomes.self)
    }

    private func extensionTable<Table>(_ id: String, _: Table.Type) -> UnsafePointer<Table>? {
        root.pointer.pointee.get_extension(id)?.assumingMemoryBound(to: Table.self)
    }

    private func pick<Table>(
        _ name: String?, _ kind: String, from offered: [(name: String, table: UnsafePointer<Table>)]
    ) throws(Failure) -> UnsafePointer<Table> {
        let found = name.map { name in offered.filter { $0.name == name } } ?? offered
        guard found.count == 1 else { throw .notOffered(file, kind, name, offered: offered.map(\.name)) }
        return found[0].table
    }

    private static let folder: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = max(0, readlink("/proc/self/exe", &path, path.count))
        let executable = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)])
    }()
}

/// Each file once: a plugin is set up once per process.
private final class LoadedRoots: Sendable {
    static let shared = LoadedRoots()

    private let services = HostServices(
        version: "test", zones: ZoneDirectory(folder: systemZoneFolder)
    ) { _ in }
    private let roots = Mutex<[String: UInt]>([:])

    func root(of file: String) throws(StrategyTest.Failure) -> UnsafePointer<belfry_plugin> {
        // Addresses, because pointers do not leave a mutex.
        let address = roots.withLock { roots -> Result<UInt, StrategyTest.Failure> in
            if let known = roots[file] { return .success(known) }
            do throws(StrategyTest.Failure) {
                let address = UInt(bitPattern: try load(file))
                roots[file] = address
                return .success(address)
            } catch {
                return .failure(error)
            }
        }
        return UnsafePointer(bitPattern: try address.get())!  // of a root that was there
    }

    private func load(_ file: String) throws(StrategyTest.Failure) -> UnsafePointer<belfry_plugin> {
        guard let image = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw .notLoadable(
                file, why: dlerror().map { String(cString: $0) } ?? "the system's loader gives no reason")
        }
        guard let symbol = dlsym(image, "belfry_plugin_entry_v1") else {
            throw .notLoadable(file, why: "it does not export 'belfry_plugin_entry_v1'")
        }
        typealias Entry = @convention(c) (UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>?
        var hello = belfry_hello()
        (hello.magic, hello.abi_major, hello.abi_minor) = (BELFRY_MAGIC, BELFRY_ABI_MAJOR, BELFRY_ABI_MINOR)
        hello.host_version = services.pointer.pointee.version
        // The contract gives this name this type.
        guard let root = unsafeBitCast(symbol, to: Entry.self)(&hello), root.pointee.magic == BELFRY_MAGIC,
            root.pointee.abi_major == BELFRY_ABI_MAJOR, root.pointee.size == UInt32(MemoryLayout<belfry_plugin>.size)
        else { throw .notLoadable(file, why: "its entry gives no plugin of ABI \(BELFRY_ABI_MAJOR)") }
        if let initialize = root.pointee.`init` {
            let answer = collectText { initialize(services.pointer, $0) }
            guard answer.result == BELFRY_OK else { throw .notLoadable(file, why: "its init failed: \(answer.text)") }
        }
        return root
    }
}

extension StrategyTest.Failure {
    fileprivate static func notLoadable(_ file: String, why: String) -> Self {
        Self(
            code: .use,
            description: """
                cannot load the plugin '\(file)'
                  why: \(why)
                  fix: build it first ('swift build'), and see what 'belfry plugins' says of it
                """)
    }

    fileprivate static func notOffered(_ file: String, _ kind: String, _ name: String?, offered: [String]) -> Self {
        let list = offered.isEmpty ? "none" : offered.map { "'\($0)'" }.joined(separator: ", ")
        let fix =
            if let first = offered.first {
                kind == "strategy"
                    ? "name one of these: .plugin(\"\(lastComponent(of: file))\", strategy: \"\(first)\")"
                    : "name one of these: .\(kind)(\"\(first)\")"
            } else { "name a plugin that has one" }
        return Self(
            code: .use,
            description: """
                the plugin '\(file)' has no \(name.map { "\(kind) '\($0)'" } ?? "single \(kind)")
                  why: it offers \(list)
                  fix: \(fix)
                """)
    }

    private static func lastComponent(of path: String) -> Substring {
        path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
    }
}

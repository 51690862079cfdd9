import BelfryEngine
import BelfryModel
import BelfryPlugin
import BelfryZones
import CBelfry
import Synchronization

/// Puts notifications through one filter alone.
///
/// ```swift
/// @Test func `everybody is greeted by name`() throws {
///     let test = try FilterTest(Greeting.self)
///     try test.set(user: ["firstName": "Ana"])
///     #expect(try test.request(message: "Welcome").message == "Hello Ana! Welcome")
/// }
/// ```
///
/// It is the real engine with a chain of that one filter, a subject `ana` with the device `phone`, and the campaigns and regions
/// that are given. Each campaign has the triggers `request` and `enter` (any region), and its id for a title.
///
/// The filter is applied twice beforehand: one that edits differently the second time is thrown as a `Failure`. Belongs to no test
/// framework; used by one thread at a time.
public final class FilterTest {
    /// As for strategies.
    public typealias Failure = StrategyTest.Failure

    let name: String
    let watch: WatchedFilter
    let configuration: Configuration
    let engine: Engine
    var record = SubjectRecord(subject: "ana")
    private let log: Log

    /// The hand of the clock.
    public internal(set) var now: Instant
    /// The device of the signals to come; nil: they name none.
    public var channel: String? = "phone"
    /// What the operator was warned of so far, by the filter or by the host, each thing once, as `belfry run` tells it.
    public var warnings: [String] { log.lines.withLock { $0 } }

    /// Tests a filter as a Swift type.
    ///
    /// - Parameters:
    ///   - parameters: as in the configuration; nil: none are given.
    ///   - time: where the clock stands, as RFC 3339.
    ///   - campaigns: the ids of the campaigns; a request without one is for the first.
    ///   - regions: the ids of the regions; the first is entered when none is named.
    ///   - zones: where time zones come from.
    ///   - configure: changes whatever else there is to configure.
    /// - Throws: `Failure`, for example with all that is wrong with the parameters.
    public convenience init(
        _ filter: any Filter.Type, parameters: Value? = nil, at time: String = "2026-03-02T09:00:00Z",
        campaigns: [String] = ["sale"], regions: [String] = ["store"],
        zones: ZoneDirectory = ZoneDirectory(folder: systemZoneFolder),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(Failure) {
        try self.init(
            table: filterTable(filter), parameters: parameters, at: time, campaigns: campaigns, regions: regions,
            zones: zones, configure: configure)
    }

    /// Tests a filter behind its C table, for example that of a loaded plugin. The rest is as for a Swift type.
    ///
    /// - Parameter table: constant and valid until the process ends.
    public init(
        table: UnsafePointer<belfry_filter>, parameters: Value? = nil, at time: String = "2026-03-02T09:00:00Z",
        campaigns: [String] = ["sale"], regions: [String] = ["store"],
        zones: ZoneDirectory = ZoneDirectory(folder: systemZoneFolder),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(Failure) {
        name = table.pointee.name.string ?? ""
        watch = WatchedFilter(table)
        now = try StrategyTest.instant(time)
        var entry = Configuration.Entry(strategy: name)
        entry.parameters = parameters
        var configuration = Configuration(testing: entry, campaigns: campaigns, regions: regions)
        configure(&configuration)
        self.configuration = configuration
        let log = Log()
        self.log = log
        let services = HostServices(version: "test", zones: zones) { message in
            if message.level.rawValue >= HostServices.Level.warning.rawValue { log.add(message.text) }
        }
        engine = try Self.engine(configuration, watch, services)
    }

    private static func engine(
        _ configuration: Configuration, _ watch: WatchedFilter, _ services: HostServices
    ) throws(Failure) -> Engine {
        var providers = Providers()
        providers.add(watch.table, plugin: "test")
        do throws(ConfigurationProblems) {
            return Engine(try Catalog(configuration, providers: providers, services: services))
        } catch {
            throw .refused("filter '\(configuration.chain[0].strategy)'", error)
        }
    }
}

/// Warnings, each once. The host's log may be written to from any thread.
private final class Log: Sendable {
    let lines = Mutex<[String]>([])

    func add(_ line: String) {
        lines.withLock { if !$0.contains(line) { $0.append(line) } }
    }
}

extension FilterTest {
    func note(_ warnings: [String]) {
        for warning in warnings { log.add(warning) }
    }
}

import BelfryEngine
import BelfryModel
import BelfryPlugin
import BelfryZones
import CBelfry

/// Drives one strategy alone, with a clock that is moved by hand.
///
/// ```swift
/// @Test func `nothing more for an hour`() throws {
///     let test = try StrategyTest(Cooldown.self, parameters: ["period": "1h"], at: "2026-03-02T09:00:00Z")
///     #expect(try test.request() == .created)
///     try test.advance(by: .minutes(59))
///     #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
///     try test.saveAndLoad()
///     try test.advance(by: .minutes(1))
///     #expect(try test.request() == .created)
/// }
/// ```
///
/// It is the real engine with a chain of that one strategy, a subject `ana` with the device `phone`, the campaigns and regions
/// that are given, and no limit on current notifications. Each campaign has the triggers `request` and `enter` (any region), and
/// its notifications are put up for deletion by leaving the region. Time stands still except for `advance` and `move`.
///
/// Every check is asked twice on the way: one that changes the state, or answers differently the second time, is thrown as a
/// `Failure`. Belongs to no test framework; used by one thread at a time.
public final class StrategyTest {
    let name: String
    let watch: WatchedStrategy
    let services: HostServices
    var configuration: Configuration
    var engines: Engines
    var record = SubjectRecord(subject: "ana")
    /// Of the subjects whose turn it is not.
    private var otherRecords: [OtherRecord] = []
    private let start: Instant

    /// The hand of the clock. The subject's own time never goes back: what happens earlier than the latest thing happens then.
    public internal(set) var now: Instant
    /// Whose the signals to come are. Each subject is remembered by itself; what was deferred for one is asked about again when it
    /// is its turn.
    public var subject: String {
        get { record.subject }
        set {
            if newValue == subject { return }
            let index = otherRecords.firstIndex { $0.record.subject == newValue }
            let other = index.map { otherRecords.remove(at: $0) } ?? OtherRecord(SubjectRecord(subject: newValue))
            swap(&record, &other.record)
            otherRecords.append(other)
        }
    }
    /// The device of the signals to come; nil: they name none.
    public var channel: String? = "phone"
    /// Puts another strategy behind it, one that denies every creation and deletion: what this one allows does not happen then.
    public var othersDeny = false
    /// Saves and loads the record after every step, as if the process had ended each time.
    public var savesAfterEveryStep = false
    /// Everything that was decided so far, the oldest first.
    public internal(set) var decisions: [Decision] = []
    /// What the strategy itself answered last; nil if it was never asked.
    public var verdict: Verdict? { watch.lastVerdict }

    /// Tests a strategy as a Swift type.
    ///
    /// - Parameters:
    ///   - parameters: as in the configuration; nil: none are given.
    ///   - per: what it counts by, as in the configuration; nil: the strategy's own default.
    ///   - timeZone: of the configuration; `register(timeZone:)` gives the subject one.
    ///   - time: where the clock starts, as RFC 3339.
    ///   - campaigns: the ids of the campaigns; a request without one is for the first.
    ///   - regions: the ids of the regions; a crossing without one is of the first.
    ///   - zones: where time zones come from.
    ///   - configure: changes whatever else there is to configure.
    /// - Throws: `Failure`, for example with all that is wrong with the parameters.
    public convenience init(
        _ strategy: any Strategy.Type, parameters: Value? = nil, per: String? = nil, timeZone: String = "UTC",
        at time: String = "2026-03-02T09:00:00Z", campaigns: [String] = ["sale"], regions: [String] = ["store"],
        zones: ZoneDirectory = ZoneDirectory(folder: systemZoneFolder),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(Failure) {
        try self.init(
            table: strategyTable(strategy), receipts: receiptTable(strategy), outcomes: outcomesTable([strategy]),
            parameters: parameters, per: per, timeZone: timeZone, at: time, campaigns: campaigns, regions: regions,
            zones: zones, configure: configure)
    }

    /// Tests a strategy wherever it is: as a Swift type or in a built plugin. The rest is as for a Swift type.
    ///
    /// - Throws: `Failure` too if there is no such file, plugin or strategy.
    public convenience init(
        _ source: StrategySource, parameters: Value? = nil, per: String? = nil, timeZone: String = "UTC",
        at time: String = "2026-03-02T09:00:00Z", campaigns: [String] = ["sale"], regions: [String] = ["store"],
        zones: ZoneDirectory = ZoneDirectory(folder: systemZoneFolder),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(Failure) {
        try self.init(
            table: source.table, receipts: source.receipts, outcomes: source.outcomes, parameters: parameters,
            per: per, timeZone: timeZone, at: time, campaigns: campaigns, regions: regions, zones: zones,
            configure: configure)
    }

    /// Tests a strategy behind its C table, for example that of a loaded plugin. The rest is as for a Swift type.
    ///
    /// - Parameters:
    ///   - table: constant and valid until the process ends.
    ///   - receipts: its hook for receipts, if it has one.
    ///   - outcomes: whether it need not be told of every outcome.
    public init(
        table: UnsafePointer<belfry_strategy>, receipts: UnsafePointer<belfry_receipt_hook>? = nil,
        outcomes: UnsafePointer<belfry_outcomes>? = nil, parameters: Value? = nil, per: String? = nil,
        timeZone: String = "UTC",
        at time: String = "2026-03-02T09:00:00Z", campaigns: [String] = ["sale"], regions: [String] = ["store"],
        zones: ZoneDirectory = ZoneDirectory(folder: systemZoneFolder),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(Failure) {
        name = table.pointee.name.string ?? ""
        watch = WatchedStrategy(table, receipts: receipts, outcomes: outcomes)
        services = HostServices(version: "test", zones: zones) { _ in }
        start = try Self.instant(time)
        now = start
        configuration = Configuration(
            testing: try Self.entry(name, per: per, parameters), campaigns: campaigns, regions: regions)
        configuration.timeZone = timeZone
        configure(&configuration)
        engines = try Engines(configuration, watch, services)
    }

    /// The same test, before anything happened.
    init(again test: StrategyTest) throws(Failure) {
        name = test.name
        watch = WatchedStrategy(
            test.watch.strategy, receipts: test.watch.receipts, outcomes: test.watch.outcomes)
        services = test.services
        start = test.start
        now = start
        configuration = test.configuration
        engines = try Engines(configuration, watch, services)
    }

    /// A record that arrays can hold.
    private final class OtherRecord {
        var record: SubjectRecord

        init(_ record: consuming SubjectRecord) { self.record = record }
    }

    /// Hooks of the strategy that failed, the first one first.
    public var faults: [Decision.Fault] {
        decisions.compactMap { if case .faulted(let fault) = $0.body { fault } else { nil } }
    }

    /// For messages.
    var what: String { "strategy '\(name)'" }
}

extension StrategyTest {
    /// The strategy alone, and with others behind it.
    struct Engines {
        let alone: Engine
        let withOthers: Engine

        init(_ configuration: Configuration, _ watch: WatchedStrategy, _ services: HostServices) throws(Failure) {
            var providers = Providers()
            providers.add(watch.table, plugin: "test")
            if let receipts = watch.receiptTable { providers.add(receipts) }
            if let outcomes = watch.outcomes { providers.add(outcomes) }
            providers.add(strategyTable(Objection.self), plugin: "test")
            var others = configuration
            others.chain.append(Configuration.Entry(strategy: Objection.name))
            do throws(ConfigurationProblems) {
                alone = Engine(try Catalog(configuration, providers: providers, services: services))
                withOthers = Engine(try Catalog(others, providers: providers, services: services))
            } catch {
                throw .refused("strategy '\(configuration.chain[0].strategy)'", error)
            }
        }
    }

    var engine: Engine { othersDeny ? engines.withOthers : engines.alone }
}

extension StrategyTest {
    static func instant(_ text: String) throws(Failure) -> Instant {
        guard let instant = Instant(rfc3339: text) else { throw .notATime(text) }
        return instant
    }

    private static func entry(_ name: String, per: String?, _ parameters: Value?) throws(Failure) -> Configuration.Entry
    {
        var entry = Configuration.Entry(strategy: name)
        entry.parameters = parameters
        if let per {
            guard let counter = Configuration.Counter(per) else { throw .unknownCounter(per) }
            entry.per = counter
        }
        return entry
    }
}

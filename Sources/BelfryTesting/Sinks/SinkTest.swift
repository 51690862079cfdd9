import BelfryEngine
import BelfryModel
import BelfryPlugin
import BelfryZones
import CBelfry

/// Gives decisions to a sink, as its process does, with the clock in your hand.
///
/// ```swift
/// let test = try SinkTest(Pager.self, parameters: ["number": "112"])
/// #expect(test.deliver("notification.created", to: "ana", data: ["title": "Sale"]) == .taken)
/// ```
public final class SinkTest {
    public typealias Failure = StrategyTest.Failure

    /// The time of day.
    public var now: Instant

    private let table: UnsafePointer<belfry_sink_type>
    private let instance: UnsafeMutableRawPointer
    private var count = 0

    /// - Throws: `Failure`, for example with all that is wrong with the parameters.
    public convenience init(
        _ sink: any Sink.Type, parameters: Value? = nil, at time: String = "2026-03-02T09:00:00Z"
    ) throws(Failure) {
        try self.init(table: sinkTable(sink), parameters: parameters, at: time)
    }

    /// Tests a sink behind its C table, for example that of a loaded plugin. The rest is as for a Swift type.
    ///
    /// - Parameter table: constant and valid until the process ends.
    public init(
        table: UnsafePointer<belfry_sink_type>, parameters: Value? = nil, at time: String = "2026-03-02T09:00:00Z"
    ) throws(Failure) {
        let now = try StrategyTest.instant(time)
        let instance = try Self.instance(of: table, parameters)
        (self.now, self.table, self.instance) = (now, table, instance)
    }

    deinit { table.pointee.destroy(instance) }

    private static func instance(
        of table: UnsafePointer<belfry_sink_type>, _ parameters: Value?
    ) throws(Failure) -> UnsafeMutableRawPointer {
        let (what, schema) = (
            "sink '\(table.pointee.name.string ?? "")'", ParameterSchema(root: table.pointee.parameters)
        )
        let given = parameters ?? .map([:])
        let path = ["parameters"]
        let problems =
            (parameters.map { schema.problems(in: $0, at: path) } ?? []) + schema.missing(in: given, at: path)
        if !problems.isEmpty { throw .refused(what, ConfigurationProblems(problems)) }
        let services = HostServices(version: "test", zones: ZoneDirectory(folder: systemZoneFolder)) { _ in }
        let arena = Arena()
        let value = parameters.map { arena.parameters($0, schema) }
        let (instance, error) = collectText { table.pointee.create(table.pointee.type, services.pointer, value, $0) }
        if let instance { return instance }
        throw Failure(code: .configuration, description: "\(what) cannot begin\n  why: \(error)")
    }

    /// Gives it a decision of that type; each has an id of its own, such as `ana:1`.
    public func deliver(_ type: String, to subject: String, data: Value = [:]) -> Delivered {
        count += 1
        let decision: Value = [
            "specversion": "1.0", "id": .text("\(subject):\(count)"), "source": "test", "type": .text(type),
            "subject": .text(subject), "time": .text("\(now)"), "data": data,
        ]
        let arena = Arena()
        var delivery = arena.delivery(decision, line: Array(decision.json.utf8), now: now, timeout: .seconds(30))
        let (delivered, why) = collectText { table.pointee.deliver(instance, &delivery, $0) }
        return Delivered(delivered, why)
    }
}

extension Delivered {
    fileprivate init(_ delivered: belfry_delivered, _ why: String) {
        switch delivered {
        case BELFRY_DELIVERED: self = .taken
        case BELFRY_DELIVER_LATER: self = .later(why)
        case BELFRY_DELIVER_NEVER: self = .never(why)
        case BELFRY_DELIVERY_STOPPED: self = .stopped(why)
        default: self = .failed(why)
        }
    }
}

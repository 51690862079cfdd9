import BelfryEngine
import BelfryModel
import BelfryPluginHost
import CBelfry

/// What a plugin made to deliver with, in the process that has nothing else.
final class PluginSink {
    private let table: UnsafePointer<belfry_sink_type>
    private let instance: UnsafeMutableRawPointer
    private let timeout: Duration
    private let arena = Arena()

    init(_ greeting: SinkGreeting, _ host: HostServices) throws(PluginSinkFailure) {
        let plugin: String
        (table, plugin) = try Self.load(greeting, host)
        let schema = ParameterSchema(root: table.pointee.parameters)
        let (table, arena) = (table, Arena())
        let parameters = greeting.parameters.map { arena.parameters($0, schema) }
        let (instance, error) = collectText {
            table.pointee.create(table.pointee.type, host.pointer(for: plugin), parameters, $0)
        }
        guard let instance else { throw PluginSinkFailure(why: error.isEmpty ? "it does not say why" : error) }
        (self.instance, timeout) = (instance, greeting.timeout)
    }

    private static func load(
        _ greeting: SinkGreeting, _ host: HostServices
    ) throws(PluginSinkFailure) -> (UnsafePointer<belfry_sink_type>, plugin: String) {
        do throws(PluginRefusal) {
            var roster = PluginRoster()
            let plugin = try PluginLibrary.load(
                copy: greeting.copy, path: greeting.path, HostPointers(host), roster: &roster)
            let sink = plugin.sinks.first { $0.pointee.name.string == greeting.type }
            if let sink { return (sink, plugin.id) }
        } catch {
            throw PluginSinkFailure(why: "\(error)")
        }
        throw PluginSinkFailure(why: "it has no sink '\(greeting.type)' any more")
    }

    /// - Returns: the answer, as a program gives it.
    func deliver(_ line: [UInt8]) -> String {
        arena.reset()
        let decision = Value(json: line[...]) ?? .map([:])
        var delivery = arena.delivery(decision, line: line, now: .wallClock, timeout: timeout)
        let (delivered, why) = collectText { table.pointee.deliver(instance, &delivery, $0) }
        return Self.answer(delivered, why)
    }

    private static func answer(_ delivered: belfry_delivered, _ why: String) -> String {
        switch delivered {
        case BELFRY_DELIVERED: "ok"
        case BELFRY_DELIVER_LATER: "retry \(why)"
        case BELFRY_DELIVER_NEVER: "drop \(why)"
        case BELFRY_DELIVERY_FAILED: "fail \(why)"
        case BELFRY_DELIVERY_STOPPED: "stop \(why)"
        default: "fail its 'deliver' answered \(delivered), which means nothing"
        }
    }

    func destroy() { table.pointee.destroy(instance) }
}

/// Why a plugin cannot begin to deliver.
struct PluginSinkFailure: Error {
    let why: String
}

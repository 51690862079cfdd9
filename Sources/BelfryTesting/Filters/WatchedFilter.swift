import BelfryEngine
import BelfryModel
import CBelfry

/// A filter behind a table of its own that passes every call on, and applies it twice beforehand to find out whether it is pure.
final class WatchedFilter {
    fileprivate let filter: UnsafePointer<belfry_filter>
    /// What the engine gets. Valid until the process ends, as the contract asks of tables.
    let table: UnsafePointer<belfry_filter>
    /// How often it was applied.
    private(set) var calls = 0
    /// The first call that was not pure: what it did.
    private(set) var impurity: String?

    init(_ filter: UnsafePointer<belfry_filter>) {
        self.filter = filter
        let table = UnsafeMutablePointer<belfry_filter>.allocate(capacity: 1)
        table.initialize(to: filter.pointee)
        self.table = UnsafePointer(table)
        table.pointee.type = Unmanaged.passRetained(self).toOpaque()
        table.pointee.passOn()
    }

    fileprivate func watch(
        _ instance: UnsafeMutableRawPointer, _ candidate: UnsafePointer<belfry_candidate>?,
        _ context: UnsafePointer<belfry_context>?
    ) {
        calls += 1
        let first = Doing(of: filter.pointee, instance, candidate, context)
        let second = Doing(of: filter.pointee, instance, candidate, context)
        if first != second, impurity == nil { impurity = "it \(first.text), and asked again it \(second.text)" }
    }
}

/// What a filter does in one call.
private struct Doing: Equatable {
    private let content: Decision.Content
    private let dropped: String?
    /// What the host would take for a fault.
    private let fault: String?

    init(
        of filter: belfry_filter, _ instance: UnsafeMutableRawPointer, _ candidate: UnsafePointer<belfry_candidate>?,
        _ context: UnsafePointer<belfry_context>?
    ) {
        let collector = EditCollector(Decision.Content())
        let outcome = collectText { error in
            collector.withEdits { filter.apply(instance, candidate, context, $0, error) }
        }
        content = collector.content
        dropped = collector.dropped
        fault = outcome.result == BELFRY_OK ? collector.nonsense : outcome.text
    }

    var text: String {
        if let fault { return "failed: \(fault)" }
        if let dropped { return "dropped it: \(dropped)" }
        var edits = Decision.Origin(campaign: "").payload(content)
        edits["campaign"] = nil
        edits["presentation"] = content.presentation
        return "set \(Value.map(edits).json)"
    }
}

private typealias WatchedInstance = Watched<WatchedFilter>

// C functions cannot capture: each finds the filter through the `type` or the instance it is given.
extension belfry_filter {
    fileprivate mutating func passOn() {
        create = { type, host, parameters, error in
            let watch = WatchedInstance.watch(of: type)
            let inner = watch.filter.pointee
            guard let made = inner.create(inner.type, host, parameters, error) else { return nil }
            return WatchedInstance.make(watch, made)
        }
        destroy = { instance in
            let its = WatchedInstance.at(instance)
            its.watched.filter.pointee.destroy(its.instance)
            instance?.deallocate()
        }
        apply = { instance, candidate, context, edits, error in
            let its = WatchedInstance.at(instance)
            its.watched.watch(its.instance, candidate, context)
            return its.watched.filter.pointee.apply(its.instance, candidate, context, edits, error)
        }
    }
}

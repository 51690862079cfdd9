/// The C table of a filter: constant, valid until the process ends. A host in the same process can use it directly.
public func filterTable(_ type: any Filter.Type) -> UnsafePointer<belfry_filter> {
    let arena = Arena(.process)
    var table = describe(type, in: arena)
    table.create = { type, host, parameters, sink in
        let type = type!.assumingMemoryBound(to: FilterType.self)  // the table's own `type`
        do throws(StrategyError) {
            let filter = try type.pointee.create(Host(host!), parameters)  // a host is never null
            return Unmanaged.passRetained(filter).toOpaque()
        } catch {
            sink.write(error.message)
            return nil
        }
    }
    table.destroy = { Unmanaged<FilterInstance>.fromOpaque($0!).release() }
    table.apply = { instance, candidate, context, edits, sink in
        do throws(StrategyError) {
            let filter = Unmanaged<FilterInstance>.fromOpaque(instance!).takeUnretainedValue()
            try filter.apply(candidate!, edits!.pointee, context!)
            return BELFRY_OK
        } catch {
            sink.write(error.message)
            return BELFRY_FAILED
        }
    }
    return arena.copy([table])!  // one element is never empty
}

private func describe<Type: Filter>(_ type: Type.Type, in arena: Arena) -> belfry_filter {
    var table = belfry_filter()
    table.name = arena.text(type.name)
    table.summary = arena.text(type.summary)
    table.parameters = arena.root(Type.Parameters.shape)
    let erased = FilterType { (host, value) throws(StrategyError) in
        FilterInstance(try Type(decodeParameters(value, host: host), host: host), host: host)
    }
    table.type = UnsafeMutableRawPointer(mutating: arena.copy([erased]))
    return table
}

private struct FilterType {
    let create: (Host, UnsafePointer<belfry_value>?) throws(StrategyError) -> FilterInstance
}

/// A filter runs for what will be created only, so an object and an existential are cheap enough here.
private final class FilterInstance {
    private let filter: any Filter
    private let host: UnsafeMutablePointer<Host>

    init(_ filter: any Filter, host: Host) {
        self.filter = filter
        self.host = .allocate(capacity: 1)
        self.host.initialize(to: host)
    }

    deinit { host.deallocate() }

    func apply(
        _ candidate: UnsafePointer<belfry_candidate>, _ edits: belfry_edits, _ context: UnsafePointer<belfry_context>
    ) throws(StrategyError) {
        try filter.apply(Candidate(candidate), edits: Edits(raw: edits), context: Context(context, host: host))
    }
}

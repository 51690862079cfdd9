/// The C table of a type of sinks: constant, valid until the process ends. A host in the same process can use it directly.
public func sinkTable(_ type: any Sink.Type) -> UnsafePointer<belfry_sink_type> {
    let arena = Arena(.process)
    var table = describe(type, in: arena)
    table.create = { type, host, parameters, sink in
        let type = type!.assumingMemoryBound(to: SinkType.self)  // the table's own `type`
        do throws(StrategyError) {
            let instance = try type.pointee.create(Host(host!), parameters)  // a host is never null
            return Unmanaged.passRetained(instance).toOpaque()
        } catch {
            sink.write(error.message)
            return nil
        }
    }
    table.deliver = { instance, delivery, why in
        let sink = Unmanaged<SinkInstance>.fromOpaque(instance!).takeUnretainedValue()
        return sink.sink.deliver(Delivery(delivery!.pointee)).answer(why)  // there is one
    }
    table.destroy = { Unmanaged<SinkInstance>.fromOpaque($0!).takeRetainedValue().sink.close() }
    return arena.copy([table])!  // one element is never empty
}

private func describe<Type: Sink>(_ type: Type.Type, in arena: Arena) -> belfry_sink_type {
    var table = belfry_sink_type()
    table.name = arena.text(type.name)
    table.summary = arena.text(type.summary)
    table.parameters = arena.root(Type.Parameters.shape)
    let erased = SinkType { (host, value) throws(StrategyError) in
        SinkInstance(try Type(decodeParameters(value, host: host), host: host))
    }
    table.type = UnsafeMutableRawPointer(mutating: arena.copy([erased]))
    return table
}

private struct SinkType {
    let create: (Host, UnsafePointer<belfry_value>?) throws(StrategyError) -> SinkInstance
}

/// It delivers over a network, so an object and an existential are cheap enough here.
private final class SinkInstance {
    var sink: any Sink

    init(_ sink: any Sink) { self.sink = sink }
}

extension Delivery {
    fileprivate init(_ raw: belfry_delivery) {
        self.init(
            Value(raw.decision).map ?? [:], line: String(belfry: raw.line) ?? "",
            now: Instant(milliseconds: raw.now), timeout: Duration(milliseconds: raw.timeout))
    }
}

extension Delivered {
    fileprivate func answer(_ sink: UnsafePointer<belfry_sink>?) -> belfry_delivered {
        let (answer, why) =
            switch self {
            case .taken: (BELFRY_DELIVERED, "")
            case .later(let why): (BELFRY_DELIVER_LATER, why)
            case .never(let why): (BELFRY_DELIVER_NEVER, why)
            case .failed(let why): (BELFRY_DELIVERY_FAILED, why)
            case .stopped(let why): (BELFRY_DELIVERY_STOPPED, why)
            }
        if !why.isEmpty { sink.write(why) }
        return answer
    }
}

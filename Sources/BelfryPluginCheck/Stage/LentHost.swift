import BelfryEngine
import CBelfry

/// The host as a plugin sees it when everything that it is lent is watched: values of attributes too.
///
/// Its contexts belong to this class and not to the engine, so every function of the host that takes one is led round here.
final class LentHost {
    let pointer: UnsafePointer<belfry_host>
    private let memory: UnsafeMutablePointer<Memory>

    /// What lies at `pointer`: the host comes first, so that its functions find the rest.
    private struct Memory {
        var host: belfry_host
        let real: UnsafePointer<belfry_host>
        var attributes: belfry_attributes
        var localTime: belfry_local_time
        var conditions: belfry_conditions
        var scratch: belfry_scratch
        var current: belfry_current
        var digest: belfry_digest
    }

    /// A plugin may keep the pointer, so it is valid until the process ends.
    init(_ services: HostServices) {
        let real = services.pointer
        var host = real.pointee
        host.get_extension = { LentHost.table($0, $1) }
        memory = .allocate(capacity: 1)
        memory.initialize(
            to: Memory(
                host: host, real: real,
                attributes: belfry_attributes(value: { LentContext.of($0!).attribute($1, $2) }),
                localTime: real.table(BELFRY_EXTENSION_LOCAL_TIME), conditions: real.table(BELFRY_EXTENSION_CONDITIONS),
                scratch: belfry_scratch(allocate: { LentContext.of($0!).scratch($1) }), current: .lent,
                digest: .lent))
        memory.pointee.localTime.zone_of_subject = { LentContext.of($0!).zone }
        memory.pointee.conditions.holds = { LentContext.of($2!).holds($0, $1) }
        pointer = UnsafeRawPointer(memory).assumingMemoryBound(to: belfry_host.self)
    }

    private static func table(_ host: UnsafePointer<belfry_host>?, _ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
        guard let host, let id else { return nil }
        let memory = UnsafeRawPointer(host)
        func address<Table>(of member: KeyPath<Memory, Table>) -> UnsafeRawPointer? {
            MemoryLayout<Memory>.offset(of: member).map { memory + $0 }
        }
        return switch String(cString: id) {
        case BELFRY_EXTENSION_ATTRIBUTES: address(of: \.attributes)
        case BELFRY_EXTENSION_LOCAL_TIME: address(of: \.localTime)
        case BELFRY_EXTENSION_CONDITIONS: address(of: \.conditions)
        case BELFRY_EXTENSION_SCRATCH: address(of: \.scratch)
        case BELFRY_EXTENSION_CURRENT: address(of: \.current)
        case BELFRY_EXTENSION_DIGEST: address(of: \.digest)
        default: memory.assumingMemoryBound(to: Memory.self).pointee.real.extensionTable(id)
        }
    }
}

/// What stands behind a context that is lent: the engine's own, and where values are lent from.
final class LentContext {
    private let context: UnsafePointer<belfry_context>
    private let lent: LentMemory
    private let host: UnsafePointer<belfry_host>

    init(_ context: UnsafePointer<belfry_context>, _ lent: LentMemory, _ services: HostServices) {
        self.context = context
        self.lent = lent
        host = services.pointer
    }

    /// Lends a context that leads here, for as long as its caller keeps this object.
    func lend() -> UnsafePointer<belfry_context> {
        var copy = context.pointee
        copy.owner = Unmanaged.passUnretained(self).toOpaque()
        return lent.lend(copy)
    }

    fileprivate static func of(_ context: UnsafePointer<belfry_context>) -> LentContext {
        Unmanaged.fromOpaque(context.pointee.owner).takeUnretainedValue()
    }

    fileprivate func attribute(_ path: UnsafePointer<CChar>?, _ length: UInt64) -> UnsafePointer<belfry_value>? {
        let attributes: belfry_attributes = host.table(BELFRY_EXTENSION_ATTRIBUTES)
        return attributes.value(context, path, length).map { lent.lend(value: $0, "an attribute") }
    }

    fileprivate func scratch(_ size: UInt64) -> UnsafeMutableRawPointer? {
        size > 16 << 20 ? nil : lent.room(Int(size), alignment: 16, "memory of belfry.scratch")
    }

    fileprivate var zone: OpaquePointer? {
        let localTime: belfry_local_time = host.table(BELFRY_EXTENSION_LOCAL_TIME)
        return localTime.zone_of_subject(context)
    }

    fileprivate func holds(_ condition: OpaquePointer?, _ candidate: UnsafePointer<belfry_candidate>?) -> belfry_bool {
        let conditions: belfry_conditions = host.table(BELFRY_EXTENSION_CONDITIONS)
        return conditions.holds(condition, candidate, context)
    }
}

extension LentContext {
    /// Calls a function of the host's own table, with the engine's own context.
    fileprivate func ask<Table, Result>(
        _ id: String, _ body: (Table, UnsafePointer<belfry_context>) -> Result
    ) -> Result {
        body(host.table(id), context)
    }

    fileprivate func lend(value: UnsafePointer<belfry_value>, _ what: String) -> UnsafePointer<belfry_value> {
        lent.lend(value: value, what)
    }
}

extension belfry_current {
    fileprivate static var lent: belfry_current {
        belfry_current(
            count: {
                LentContext.of($0!).ask(BELFRY_EXTENSION_CURRENT) { (table: belfry_current, context) in
                    table.count(context)
                }
            },
            holds: { lent, index, condition in
                LentContext.of(lent!).ask(BELFRY_EXTENSION_CURRENT) { (table: belfry_current, context) in
                    table.holds(context, index, condition)
                }
            },
            value: { lent, index, path, length in
                let lent = LentContext.of(lent!)
                return lent.ask(BELFRY_EXTENSION_CURRENT) { (table: belfry_current, context) in
                    table.value(context, index, path, length)
                }.map { lent.lend(value: $0, "a current notification") }
            })
    }
}

extension belfry_digest {
    fileprivate static var lent: belfry_digest {
        belfry_digest(
            open: { lent, digest in
                LentContext.of(lent!).ask(BELFRY_EXTENSION_DIGEST) { (table: belfry_digest, context) in
                    table.open(context, digest)
                }
            },
            count: {
                LentContext.of($0!).ask(BELFRY_EXTENSION_DIGEST) { (table: belfry_digest, context) in
                    table.count(context)
                }
            },
            keep: { lent, items in
                LentContext.of(lent!).ask(BELFRY_EXTENSION_DIGEST) { (table: belfry_digest, context) in
                    table.keep(context, items)
                }
            },
            lead: { lent, closes in
                LentContext.of(lent!).ask(BELFRY_EXTENSION_DIGEST) { (table: belfry_digest, context) in
                    table.lead(context, closes)
                }
            })
    }
}

extension UnsafePointer<belfry_host> {
    fileprivate func extensionTable(_ id: UnsafePointer<CChar>) -> UnsafeRawPointer? { pointee.get_extension(self, id) }

    /// A table that this host is known to have.
    fileprivate func table<Table>(_ id: String) -> Table {
        extensionTable(id)!.assumingMemoryBound(to: Table.self).pointee
    }
}

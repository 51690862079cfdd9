/// The host and what it offers beyond the contract's core.
///
/// Plain pointers to constant tables, looked up once: passing it around costs nothing.
public struct Host: Sendable {
    private let tables: Constant<Tables>

    /// May be called on any thread.
    private struct Tables {
        let raw: UnsafePointer<belfry_host>
        let logging: UnsafePointer<belfry_log>?
        let time: UnsafePointer<belfry_local_time>?
        let conditions: UnsafePointer<belfry_conditions>?
        let attributes: UnsafePointer<belfry_attributes>?
        let scratch: UnsafePointer<belfry_scratch>?
        let current: UnsafePointer<belfry_current>?
        let digest: UnsafePointer<belfry_digest>?
    }

    var raw: UnsafePointer<belfry_host> { tables.pointer.raw }
    var logging: UnsafePointer<belfry_log>? { tables.pointer.logging }
    var time: UnsafePointer<belfry_local_time>? { tables.pointer.time }
    var conditions: UnsafePointer<belfry_conditions>? { tables.pointer.conditions }
    var attributes: UnsafePointer<belfry_attributes>? { tables.pointer.attributes }
    var scratch: UnsafePointer<belfry_scratch>? { tables.pointer.scratch }
    var current: UnsafePointer<belfry_current>? { tables.pointer.current }
    var digest: UnsafePointer<belfry_digest>? { tables.pointer.digest }

    /// `raw` is valid until the process ends.
    public init(_ raw: UnsafePointer<belfry_host>) {
        func table<Table>(_ service: Service) -> UnsafePointer<Table>? {
            raw.pointee.get_extension(raw, service.rawValue)?.assumingMemoryBound(to: Table.self)
        }
        tables = Constant(
            Tables(
                raw: raw, logging: table(.log), time: table(.localTime), conditions: table(.conditions),
                attributes: table(.attributes), scratch: table(.scratch), current: table(.current),
                digest: table(.digest)))
    }

    public var name: String { String(belfry: raw.pointee.name) ?? "the host" }
    public var version: String { String(belfry: raw.pointee.version) ?? "" }

    /// What a host may offer, by the name of the extension.
    public enum Service: String, Sendable {
        case log = "belfry.log/1"
        case localTime = "belfry.local-time/1"
        case conditions = "belfry.conditions/1"
        case attributes = "belfry.attributes/1"
        case scratch = "belfry.scratch/1"
        case current = "belfry.current/1"
        case digest = "belfry.digest/1"
    }

    public func offers(_ service: Service) -> Bool {
        switch service {
        case .log: logging != nil
        case .localTime: time != nil
        case .conditions: conditions != nil
        case .attributes: attributes != nil
        case .scratch: scratch != nil
        case .current: current != nil
        case .digest: digest != nil
        }
    }

    /// Refuses a host without `service`. `purpose` ends the sentence "… is needed for".
    public func require(_ service: Service, for purpose: String) throws(StrategyError) {
        if offers(service) { return }
        throw StrategyError(
            "\(service.rawValue) is needed for \(purpose), but \(name) \(version) does not offer it; run a newer host")
    }

    public enum LogLevel: UInt32, Sendable {
        case debug = 0
        case info, warning, error
    }

    /// Writes a line to the host's log; nothing where the host has none.
    public func log(_ level: LogLevel, _ message: String) {
        guard let logging else { return }
        message.withText { logging.pointee.write(raw, level.rawValue, $0.bytes, $0.length) }
    }

    /// The zone with that IANA name; nil if there is none, or the host has no local time.
    public func zone(named name: String) -> Zone? {
        guard let time else { return nil }
        return name.withText { time.pointee.zone_named(raw, $0.bytes, $0.length) }.map { Zone(table: time, zone: $0) }
    }
}

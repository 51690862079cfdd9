import BelfryModel
import CBelfry
import Synchronization

/// What a host offers to plugins: the `belfry_host` that `init` and `create` get, and the tables behind it.
///
/// A value one makes: many can live in one process. It must outlive every plugin that was given its pointer, so the object
/// keeps itself alive once `pointer` was taken; a plugin may hold on to it until the process ends.
public final class HostServices: Sendable {
    public enum Level: UInt32, Sendable {
        case debug, info, warning, error
    }

    /// A line that a plugin writes to the log.
    public struct Message: Sendable {
        public let level: Level
        /// The id of the plugin; nil where it is not known, as before a plugin has said its id.
        public let plugin: String?
        public let text: String

        public init(_ level: Level, by plugin: String?, _ text: String) {
            (self.level, self.plugin, self.text) = (level, plugin, text)
        }
    }

    /// What takes what plugins have to say, on any thread.
    public typealias Log = @Sendable (Message) -> Void

    /// A call of a plugin in which an instance for an entry of the chain begins or ends.
    public struct LifecycleCall: Sendable {
        public enum Hook: Sendable { case create, destroy }

        public let plugin: String
        public let entry: String
        public let hook: Hook
    }

    public let zones: ZoneDirectory
    /// What records refer to.
    public let states = StateDirectory()
    let log: Log
    /// Told before such a call, and, with nil, behind it: what crashes a process cannot say so itself.
    let noteLifecycle: @Sendable (LifecycleCall?) -> Void
    private let name = CText("belfry")
    private let version: CText
    /// By the id of the plugin; nil is what has none.
    private let hosts = Mutex<[String?: Constant<UnsafePointer<belfry_host>>]>([:])

    public init(
        version: String, zones: ZoneDirectory, log: @escaping Log,
        noteLifecycle: @escaping @Sendable (LifecycleCall?) -> Void = { _ in }
    ) {
        self.zones = zones
        (self.log, self.noteLifecycle) = (log, noteLifecycle)
        self.version = CText(version)
    }

    /// What a plugin gets that is not known yet. Valid until the process ends.
    public var pointer: UnsafePointer<belfry_host> { pointer(for: nil) }

    /// What the plugin with that id gets, so that the log knows which one it was. The same each time; valid until the process ends.
    package func pointer(for plugin: String?) -> UnsafePointer<belfry_host> {
        hosts.withLock { hosts in
            if let known = hosts[plugin] { return known }
            let host = makeHost(HostOwner(services: self, plugin: plugin))
            hosts[plugin] = host
            return host
        }.pointer
    }

    /// Neither the struct nor its owner is ever released: a plugin may keep the pointer.
    private func makeHost(_ owner: HostOwner) -> Constant<UnsafePointer<belfry_host>> {
        let host = UnsafeMutablePointer<belfry_host>.allocate(capacity: 1)
        host.initialize(
            to: belfry_host(
                abi_major: BELFRY_ABI_MAJOR, abi_minor: BELFRY_ABI_MINOR, name: name.c, version: version.c,
                owner: Unmanaged.passRetained(owner).toOpaque(),
                get_extension: { _, id in id.flatMap { HostTables.table(String(cString: $0)) } }))
        return Constant(UnsafePointer(host))
    }
}

/// Where the pointer that a plugin has leads to.
private final class HostOwner: Sendable {
    let services: HostServices
    let plugin: String?

    init(services: HostServices, plugin: String?) { (self.services, self.plugin) = (services, plugin) }

    static func of(_ host: UnsafePointer<belfry_host>) -> HostOwner {
        Unmanaged.fromOpaque(host.pointee.owner).takeUnretainedValue()
    }

    func write(_ level: UInt32, _ text: String) {
        services.log(HostServices.Message(HostServices.Level(rawValue: level) ?? .error, by: plugin, text))
    }
}

/// The extension tables of the host: constant, one set per process, because they hold functions only.
private enum HostTables {
    static func table(_ id: String) -> UnsafeRawPointer? {
        switch id {
        case BELFRY_EXTENSION_LOG: UnsafeRawPointer(log.pointer)
        case BELFRY_EXTENSION_LOCAL_TIME: UnsafeRawPointer(localTime.pointer)
        case BELFRY_EXTENSION_CONDITIONS: UnsafeRawPointer(conditions.pointer)
        case BELFRY_EXTENSION_ATTRIBUTES: UnsafeRawPointer(attributes.pointer)
        case BELFRY_EXTENSION_SCRATCH: UnsafeRawPointer(scratch.pointer)
        case BELFRY_EXTENSION_CURRENT: UnsafeRawPointer(current.pointer)
        case BELFRY_EXTENSION_DIGEST: UnsafeRawPointer(digest.pointer)
        default: nil
        }
    }

    static let log = Constant(
        forEver:
            belfry_log(write: { host, level, message, length in
                HostOwner.of(host!).write(level, string(message, length))
            }))

    static let localTime = Constant(
        forEver:
            belfry_local_time(
                zone_named: { host, name, length in
                    // The directory keeps every zone it has handed out.
                    HostOwner.of(host!).services.zones.zone(named: string(name, length)).map(
                        OpaquePointer.init(unretained:))
                },
                zone_of_subject: { CallScope.with($0!) { OpaquePointer($0.zone.address) } },
                offset: { timeZone, instant in
                    with(timeZone) { (zone: Zone) in zone.offset(at: Instant(milliseconds: instant)) }
                },
                next_transition: { timeZone, instant, next in
                    let transition = with(timeZone) { (zone: Zone) in
                        zone.nextTransition(after: Instant(milliseconds: instant))
                    }
                    guard let transition else { return 0 }
                    next!.pointee = transition.milliseconds
                    return 1
                },
                local_day: { timeZone, instant in
                    with(timeZone) { (zone: Zone) in zone.day(containing: Instant(milliseconds: instant)) }
                },
                start_of_day: { timeZone, day in with(timeZone) { (zone: Zone) in zone.startOfDay(day).milliseconds } })
    )

    static let conditions = Constant(
        forEver:
            belfry_conditions(
                compile: { _, value, sink in
                    do throws(ConditionError) {
                        let condition = try Condition(Value(value!.pointee))
                        return OpaquePointer(Unmanaged.passRetained(CompiledCondition(condition)).toOpaque())
                    } catch {
                        if let sink { error.problems.map(\.sentence).joined(separator: "; ").write(to: sink) }
                        return nil
                    }
                },
                release: { Unmanaged<CompiledCondition>.fromOpaque(UnsafeRawPointer($0!)).release() },
                holds: { condition, candidate, context in
                    let holds = with(condition) { (compiled: CompiledCondition) in
                        CallScope.with(context!) { $0.holds(compiled.root, withCandidate: candidate != nil) }
                    }
                    return holds ? 1 : 0
                }))

    static let attributes = Constant(
        forEver:
            belfry_attributes(value: { context, path, length in
                CallScope.with(context!) { scope in
                    let names = names(in: path, length)
                    return scope.arena.value(names.isEmpty ? nil : scope.segment.value(at: names))
                }
            }))

    static let scratch = Constant(
        forEver:
            belfry_scratch(allocate: { context, size in
                guard size <= 16 << 20 else { return nil }
                return CallScope.with(context!) { $0.arena.allocate(bytes: Int(size), alignment: 16) }
            }))

    static let digest = Constant(forEver: belfry_digest.table)

    static let current = Constant(
        forEver:
            belfry_current(
                count: { CallScope.with($0!) { UInt64($0.current.count) } },
                holds: { context, index, condition in
                    let holds = with(condition) { (compiled: CompiledCondition) in
                        CallScope.with(context!) { $0.current(at: index).map { compiled.root.holds(for: $0) } ?? false }
                    }
                    return holds ? 1 : 0
                },
                value: { context, index, path, length in
                    CallScope.with(context!) { scope in
                        let names = names(in: path, length)
                        return scope.arena.value(
                            names.isEmpty ? nil : scope.current(at: index)?.value(at: names[...]))
                    }
                }))

    /// The names in a path with dots; none where one of them is missing, as nothing is there then.
    private static func names(in path: UnsafePointer<CChar>?, _ length: UInt64) -> [String] {
        let names = string(path, length).split(separator: ".", omittingEmptySubsequences: false)
        return names.contains("") ? [] : names.map(String.init)
    }

    /// What a plugin holds a pointer to. It is kept elsewhere, so no reference is counted.
    @inline(__always)
    private static func with<Object: AnyObject, Result>(
        _ pointer: OpaquePointer?, _ body: (Object) -> Result
    ) -> Result {
        Lent<Object>(at: UnsafeRawPointer(pointer!)).with(body)
    }
}

extension Constant {
    /// A C struct at a fixed address, for ever.
    fileprivate init<Struct>(forEver table: Struct) where Pointer == UnsafePointer<Struct> {
        let memory = UnsafeMutablePointer<Struct>.allocate(capacity: 1)
        memory.initialize(to: table)
        self.init(UnsafePointer(memory))
    }
}

/// A condition behind the opaque pointer that plugins hold.
private final class CompiledCondition {
    let root: Condition.Clause
    init(_ condition: Condition) { root = condition.root }
}

extension OpaquePointer {
    fileprivate init(unretained object: some AnyObject) {
        self.init(Unmanaged.passUnretained(object).toOpaque())
    }
}

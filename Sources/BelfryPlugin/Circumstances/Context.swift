/// The circumstances of one call: all that a plugin may know of the world.
///
/// Borrowed from the host: only good until the hook returns.
public struct Context {
    @usableFromInline let raw: UnsafePointer<belfry_context>
    @usableFromInline let hostPointer: UnsafePointer<Host>

    /// `host` must outlive the context.
    @inlinable
    public init(_ raw: UnsafePointer<belfry_context>, host: UnsafePointer<Host>) {
        self.raw = raw
        self.hostPointer = host
    }

    /// Whether the app of the subject was last seen in front, and when it got into that state.
    public enum App: Sendable, Hashable {
        /// It has given no sign yet.
        case unknown
        case foreground(since: Instant)
        case background(since: Instant)
    }

    /// Event time; there is no other clock.
    @inlinable public var now: Instant { Instant(milliseconds: raw.pointee.now) }
    public var subject: String { String(belfry: raw.pointee.subject) ?? "" }
    /// The device; nil if the signal names none.
    public var channel: String? { String(belfry: raw.pointee.channel) }
    public var host: Host { hostPointer.pointee }

    public var app: App {
        let since = Instant(milliseconds: raw.pointee.app_since)
        return switch raw.pointee.app {
        case BELFRY_APP_FOREGROUND: .foreground(since: since)
        case BELFRY_APP_BACKGROUND: .background(since: since)
        default: .unknown
        }
    }

    /// The zone of the subject: of the channel, else of the channel registered last, else of the user, else of the
    /// configuration. UTC where the host has no local time; `Host.require` refuses such a host early.
    public var zone: Zone {
        guard let time = hostPointer.pointee.time else { return .utc }
        return time.pointee.zone_of_subject(raw).map { Zone(table: time, zone: $0) } ?? .utc
    }

    /// The attribute at a dotted path: `tier`, `user.tier`, `channel.osVersion`, `history.welcome.count`. Nil if there is none.
    public func attribute(_ path: String) -> Value? {
        guard let table = hostPointer.pointee.attributes else { return nil }
        return path.withText { table.pointee.value(raw, $0.bytes, $0.length) }.map { Value($0) }
    }
}

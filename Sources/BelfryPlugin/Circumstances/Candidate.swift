/// A notification that may be created, or a current one that may be deleted, was opened, and so on.
///
/// Borrowed from the host: only good until the hook returns. Each property is read when it is asked for.
public struct Candidate {
    @usableFromInline let raw: UnsafePointer<belfry_candidate>

    @inlinable
    public init(_ raw: UnsafePointer<belfry_candidate>) {
        self.raw = raw
    }

    public enum Kind: Sendable {
        case notification
        /// Shows nothing and fires an action.
        case geotrigger
    }

    public var kind: Kind { raw.pointee.kind == BELFRY_KIND_GEOTRIGGER ? .geotrigger : .notification }
    /// It was deferred before and is asked again now.
    public var isDeferred: Bool { raw.pointee.deferred != 0 }
    /// Of the campaign; larger first.
    public var priority: Int64 { raw.pointee.priority }

    public var campaign: String { String(belfry: raw.pointee.campaign) ?? "" }
    /// The trigger's id.
    public var trigger: String? { String(belfry: raw.pointee.trigger) }
    /// What the trigger is on: `enter`, `exit`, `dwell`, `near`, `away`, `request` or a signal type.
    public var event: String? { String(belfry: raw.pointee.event) }
    public var region: String? { String(belfry: raw.pointee.region) }
    public var regionName: String? { String(belfry: raw.pointee.region_name) }
    /// The fields of the region, all texts; empty without a region.
    public var regionFields: Fields { raw.pointee.region_fields.flatMap { Value($0).map } ?? Fields() }
    /// The id of the notification; nil before it is created.
    public var notification: String? { String(belfry: raw.pointee.notification) }
    /// The key that the state of this call is kept under; nil for `per: subject`.
    public var counter: String? { String(belfry: raw.pointee.counter) }

    public var title: String? { String(belfry: raw.pointee.title) }
    public var message: String? { String(belfry: raw.pointee.message) }
    public var handler: String? { String(belfry: raw.pointee.handler) }
    public var category: String? { String(belfry: raw.pointee.category) }
    /// Of the campaign or of the request.
    public var data: Value? { raw.pointee.data.map { Value($0) } }
    public var presentation: Value? { raw.pointee.presentation.map { Value($0) } }
}

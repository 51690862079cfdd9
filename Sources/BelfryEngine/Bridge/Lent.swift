/// An object that is kept elsewhere for as long as this is used: to hand it on counts no reference.
///
/// What a decision reads of the catalog, it reads through this. The catalog outlives every decision.
struct Lent<Object: AnyObject>: @unchecked Sendable {
    // Unchecked: it is as good as the object, which is immutable where it is shared.
    private let reference: Unmanaged<Object>

    @inline(__always)
    init(_ object: Object) { reference = .passUnretained(object) }

    /// The object at an address that `address` gave.
    @inline(__always)
    init(at address: UnsafeRawPointer) { reference = .fromOpaque(address) }

    @inline(__always)
    var object: Object { reference.takeUnretainedValue() }

    /// For more than one look at it.
    @inline(__always)
    func with<Result>(_ body: (Object) -> Result) -> Result { reference._withUnsafeGuaranteedRef { body($0) } }

    @inline(__always)
    var address: UnsafeRawPointer { UnsafeRawPointer(reference.toOpaque()) }

    @inline(__always)
    static func == (left: Lent, right: Lent) -> Bool { left.address == right.address }
}

/// A record that is lent for the length of one decision.
///
/// Plugins that are called meanwhile may ask the host about it, so it is reached by where it lies.
struct LentRecord {
    private let place: UnsafeMutablePointer<SubjectRecord>

    init(_ place: UnsafeMutablePointer<SubjectRecord>) { self.place = place }

    var record: SubjectRecord {
        @inline(__always) _read { yield place.pointee }
        @inline(__always) nonmutating _modify { yield &place.pointee }
    }
}

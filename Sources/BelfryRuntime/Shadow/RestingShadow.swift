import BelfryStore

/// The shadow of a former run, beside the store of one that has none: what is erased is erased there, too, so that a promotion does not bring
/// it back.
public final class RestingShadow: Outlet {
    private let location: StoreLocation

    /// - Parameter location: of the store of the run.
    public init(beside location: StoreLocation) { self.location = location }

    public func ring() {}

    public var entry: UInt64 { .max }

    public func forget(_ subject: String) { erase(SubjectErasure(subject) { _ in }) }

    public func erase(_ erasure: SubjectErasure) {
        ShadowErasureFailure.translating(erasure).done(
            Result { try Self.erase(erasure.subject, beside: location).hadIt })
    }

    /// Erases a subject from the shadow beside a store, which no run has open.
    ///
    /// - Returns: whether there was anything, and why bytes of it are still in files.
    /// - Throws: `ShadowErasureFailure`.
    public static func erase(
        _ subject: String, beside location: StoreLocation
    ) throws -> (hadIt: Bool, unfinished: String?) {
        guard let place = location.shadow, place.exists else { return (false, nil) }
        do {
            let store = try OpenStore(place, creates: false)
            defer { store.close() }
            return (try store.erase(subject), store.records.unfinishedErasure)
        } catch {
            throw ShadowErasureFailure("\(error)")
        }
    }

    /// Whether there is anything of a subject in the shadow beside a store.
    public static func knows(_ subject: String, beside location: StoreLocation) throws -> Bool {
        guard let place = location.shadow, place.exists else { return false }
        let store = try JournaledStore(place)
        defer { store.close() }
        return try store.record(for: subject) != nil || !store.quarantined(of: subject).isEmpty
    }
}

/// A subject was erased from a store, and the shadow beside it still has it.
public struct ShadowErasureFailure: Error, CustomStringConvertible {
    public let reason: String
    public static let fix = "erase it again; a shadow that fails each time can be removed, with its journal"

    init(_ reason: String) { self.reason = reason }

    public var description: String {
        """
        the subject is erased from the store, and not from its shadow
          why: \(reason.replacing("\n", with: "\n       "))
          fix: \(Self.fix)
        """
    }

    /// The same erasure; where it fails, the answer says that it is the shadow's.
    static func translating(_ erasure: SubjectErasure) -> SubjectErasure {
        SubjectErasure(erasure.subject) { result in
            erasure.done(result.mapError { $0 as? ShadowErasureFailure ?? ShadowErasureFailure("\($0)") })
        }
    }
}

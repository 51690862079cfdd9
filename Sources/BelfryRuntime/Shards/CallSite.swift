import BelfryEngine
import BelfryModel
import CLinux
import Glibc
import Synchronization

/// Where a shard's thread is at work, so that a signal it dies of can be told of in a sentence, and a call that does not return.
package final class CallSite: @unchecked Sendable {
    // Unchecked: the names change between two tasks only, and the thread that watches reads numbers.
    package let note = UnsafeMutablePointer<CallNote>.allocate(capacity: 1)
    let site = UnsafeMutablePointer<belfry_call_site>.allocate(capacity: 1)
    private let limits = Mutex(Configuration.Limits())

    /// The functions of plugins, by number.
    private static let hooks = names(Hook.allCases.map(\.name))

    package init(_ catalog: Catalog) {
        note.initialize(to: CallNote())
        site.initialize(to: belfry_call_site())
        site.pointee.note = UnsafeRawPointer(note).assumingMemoryBound(to: UInt32.self)
        site.pointee.hooks = Self.hooks.pointer
        take(catalog)
    }

    /// What was told before may still be told: its names stay.
    func take(_ catalog: Catalog) {
        site.pointee.entries = Self.names(catalog.entryNames.map(\.entry)).pointer
        site.pointee.plugins = Self.names(catalog.entryNames.map(\.plugin)).pointer
        limits.withLock { $0 = catalog.configuration.limits }
    }

    /// Notes what is decided now.
    package func begin(_ subject: String, _ signal: String) {
        subject.withBytes { subject in
            signal.withBytes { signal in
                belfry_note_signal(
                    site, subject.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }, subject.count,
                    signal.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }, signal.count)
            }
        }
    }

    /// For the thread that works here from now on.
    package func enter() { belfry_enter_site(site) }

    /// For a thread that works at none any more.
    static func leave() { belfry_enter_site(nil) }

    /// Never given back: a handler may need them at any time.
    private static func names(_ names: [String]) -> Constant<UnsafePointer<UnsafePointer<CChar>?>> {
        let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: names.count + 1)
        for (index, name) in names.enumerated() { (list + index).initialize(to: UnsafePointer(strdup(name))) }
        (list + names.count).initialize(to: nil)
        return Constant(UnsafePointer(list))
    }

    // MARK: Calls that do not return

    /// Looks at sites from time to time, on a thread of its own, and ends the process when a call at one does not return in time. It goes on
    /// for as long as one of them exists.
    package static func watch(_ sites: [CallSite]) throws(NoThread) {
        let places = sites.map { Place(site: $0) }
        try startThread {
            var watches = [CallWatch?](repeating: nil, count: places.count)
            while places.contains(where: { $0.site != nil }) {
                usleep(UInt32(CallWatch.everyOfThread) * 1000)
                for (index, place) in places.enumerated() { place.site?.look(by: &watches[index]) }
            }
        }
    }

    private struct Place: Sendable {
        weak let site: CallSite?
    }

    private func look(by watch: inout CallWatch?) {
        // 0 as long as none has begun.
        let place = CallWatch.Place.thread(site.pointee.thread)
        if place == .thread(0) { return }
        let limits = limits.withLock { $0 }
        if watch?.place != place { watch = CallWatch(place, limits) }
        watch?.limits = limits
        guard watch?.look(note.pointee)?.cause == .timeout else { return }
        belfry_end_for_hang(site, limits.call.description)
    }
}

import BelfryModel
import CLinux

/// Looks, for the host, whether a plugin in a zygote comes back from setting up an entry of the chain. The process sees to that itself, by a
/// signal: it cannot where a plugin has stopped it, or blocks that.
struct LifecycleWatch {
    private let page: SharedPage<belfry_lifecycle_note>
    private var count: UInt32 = 0
    private var since = MonotonicTime.now

    /// A second more than the process gives it, so that this one need not speak where that does.
    static let most = Duration.seconds(21)

    init(_ page: SharedPage<belfry_lifecycle_note>) { self.page = page }

    /// Looks once.
    ///
    /// - Returns: why the zygote is to be ended; nil if all is well.
    mutating func look() -> ZygoteRefusal? {
        let note = page.pointer.pointee
        if note.count != count { (count, since) = (note.count, .now) }
        return note.count % 2 == 1 && since + Self.most < .now ? .stuck(note) : nil
    }
}

extension ZygoteRefusal {
    /// As the process says it where it can.
    fileprivate static func stuck(_ note: belfry_lifecycle_note) -> ZygoteRefusal {
        let hook = note.hook == BELFRY_DESTROY.rawValue ? "destroy" : "create"
        return ZygoteRefusal(
            description: """
                plugin '\(text(note.plugin))' did not return within 20s: entry '\(text(note.entry))', hook \(hook)
                  fix: change its parameters, or take it out of 'chain' until the plugin is mended
                """)
    }

    /// Up to the NUL, or, where a plugin wrote over that, all.
    private static func text<Room>(_ room: Room) -> String {
        withUnsafeBytes(of: room) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

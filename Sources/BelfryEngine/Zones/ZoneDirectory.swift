import Synchronization

/// Zones by name, each read once.
///
/// Where the data comes from is the caller's affair: the engine does no I/O. May be used from any thread.
public final class ZoneDirectory: Sendable {
    private let load: @Sendable (String) -> [UInt8]?
    private let zones: Mutex<[String: Zone]>

    /// A directory that asks `load` for the TZif bytes of a zone; nil means that there is no such zone.
    ///
    /// `load` sees only names made of letters, digits, `_`, `+` and `-` in parts joined by single slashes,
    /// so it may append them to a path. It may be called at once from several threads, and again for a name
    /// that had no zone.
    public init(load: @escaping @Sendable (String) -> [UInt8]?) {
        self.load = load
        zones = Mutex(["UTC": .utc, "Etc/UTC": .utc])
    }

    /// The zone of that IANA name, always the same object; nil when there is none, or its data cannot be
    /// read.
    ///
    /// `UTC` and `Etc/UTC` are always known. Names are case-sensitive.
    public func zone(named name: String) -> Zone? {
        if let zone = zones.withLock({ $0[name] }) { return zone }
        // Misses are not kept: names come with signals, and must not fill the memory. Loading is done
        // without the lock; the first thread to finish decides which object stays.
        guard Self.isZoneName(name), let bytes = load(name), let zone = Zone(name: name, tzif: bytes)
        else { return nil }
        return zones.withLock { zones in
            if let earlier = zones[name] { return earlier }
            zones[name] = zone
            return zone
        }
    }

    private static func isZoneName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return name.utf8.count <= 100 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isNameByte) }
    }

    /// No dot: it is in no zone's name, and `..` leads out of the directory.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Notices that were read from records, by their bytes: most of what somebody was told others were told, too. So it lies in memory
/// once, and is not put together anew for each of them.
///
/// Keeps the last one for each place of a table, so it takes the same memory whatever was read. One thread uses it at a time.
package final class NoticeLibrary {
    private let places: UnsafeMutableBufferPointer<SubjectRecord.Notice?>

    package init() {
        places = .allocate(capacity: 1024)
        places.initialize(repeating: nil)
    }

    deinit {
        places.deinitialize()
        places.deallocate()
    }

    /// The notice that is stored as these bytes.
    ///
    /// - Parameter read: makes it if it is not here.
    func notice(
        _ bytes: ArraySlice<UInt8>, _ read: () throws(ByteReader.Damage) -> SubjectRecord.Notice
    ) throws(ByteReader.Damage) -> SubjectRecord.Notice {
        let hash = bytes.withUnsafeBytes { Seal.hash($0) }
        let place = Int(truncatingIfNeeded: hash ^ hash >> 32) & (places.count - 1)
        if let known = places[place], known.isStored(as: bytes) { return known }
        let new = try read()
        // What only one can have been told stays with them.
        guard new.eventData == nil, new.channel == nil else { return new }
        let shared = new.shared
        places[place] = shared
        return shared
    }
}

extension SubjectRecord.Notice {
    fileprivate func isStored(as bytes: ArraySlice<UInt8>) -> Bool {
        guard let stored else { return false }
        return stored.withUnsafeBytes { left in bytes.withUnsafeBytes { left.hasBytes(of: $0) } }
    }
}

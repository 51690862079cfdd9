/// What was committed, as it is read back.
extension LogFile {
    /// What was committed from there on, in order.
    ///
    /// What was being written at the time of a crash is no commit, and nothing comes after it: each one is on the disk before the next
    /// one begins.
    ///
    /// - Parameter limit: the end of a commit, after which nothing is looked at.
    /// - Returns: where the last one ends.
    /// - Throws: `LogFailure`, `LogDamage`, and what `body` throws.
    @discardableResult
    func forEachEntry(
        from start: End = End(), to limit: End? = nil, _ body: (LogEntry, LogPlace) throws -> Void
    ) throws -> End {
        var end = start
        while end != limit {
            if let entries = try entries(at: end) {
                try entries.withUnsafeBytes { try forEachEntry(of: $0, at: end, body) }
                end = end.after(entries.count)
            } else {
                guard try hasCommit(after: end) else { return end }
                // Somebody may have written it meanwhile, and the next one.
                if try self.entries(at: end) == nil { throw LogDamage(offset: end.offset) }
            }
        }
        return end
    }

    /// Those of the commit that begins there.
    func forEachEntry(
        of entries: UnsafeRawBufferPointer, at end: End, _ body: (LogEntry, LogPlace) throws -> Void
    ) throws {
        let base = end.offset + LogFrame.headerSize
        var offset = 0
        while offset < entries.count {
            guard let entry = LogEntry(at: offset, in: entries) else { throw LogDamage(offset: base + offset) }
            try body(entry, LogPlace(offset: base + offset, size: entry.size, hasDue: entry.kind == .timedRecord))
            offset += entry.size
        }
    }

    /// Nil if there is no whole commit.
    private func entries(at end: End) throws(LogFailure) -> [UInt8]? {
        let header = try read(at: end.offset, count: LogFrame.headerSize)
        guard let frame = header.withUnsafeBytes({ LogFrame(header: $0, salt: salt) }), frame.number == end.number,
            try frame.size <= size() - end.offset - LogFrame.headerSize
        else { return nil }
        let entries = try read(at: end.offset + LogFrame.headerSize, count: frame.size)
        return entries.withUnsafeBytes { frame.isOf($0) } ? entries : nil
    }

    /// Whether a later one is whole, so that the one there is not what a crash left.
    private func hasCommit(after end: End) throws(LogFailure) -> Bool {
        let rest = try read(at: end.offset, count: size() - end.offset)
        for place in rest.indices.dropFirst() {
            guard let number = rest.withUnsafeBytes({ $0.numberOfCommit(at: place, salt) }), number > end.number else {
                continue
            }
            if try entries(at: End(offset: end.offset + place, number: number)) != nil { return true }
        }
        return false
    }

    /// The entry at that place. It lives in `body` only.
    func withEntry<Result>(at place: LogPlace, _ body: (LogEntry) throws -> Result) throws -> Result {
        let bytes = try read(at: place.offset, count: place.size ?? sizeOfEntry(at: place))
        return try bytes.withUnsafeBytes { bytes in
            guard let entry = LogEntry(at: 0, in: bytes) else { throw LogDamage(offset: place.offset) }
            return try body(entry)
        }
    }

    private func sizeOfEntry(at place: LogPlace) throws -> Int {
        let header = try read(at: place.offset, count: LogEntry.headerSize)
        guard let size = header.withUnsafeBytes({ LogEntry.size(at: 0, in: $0) }) else {
            throw LogDamage(offset: place.offset)
        }
        return size
    }

    func bytes(at place: LogPlace) throws -> [UInt8] { try withEntry(at: place) { [UInt8]($0.bytes) } }

    /// What follows the parts of that subject's record; nil if it was deleted.
    func record(of subject: String, at place: LogPlace) throws -> [UInt8]? {
        try withEntry(at: place) { entry in
            guard subject.withBytes({ $0.hasBytes(of: entry.name) }) else { throw LogDamage(offset: place.offset) }
            return entry.kind == .deletedRecord ? nil : [UInt8](entry.bytes)
        }
    }
}

extension LogFile.End {
    /// - Parameter entries: how many bytes the commit there has, without its header.
    func after(_ entries: Int) -> LogFile.End {
        LogFile.End(offset: offset + LogFrame.headerSize + entries, number: number + 1)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func numberOfCommit(at place: Int, _ salt: UInt64) -> UInt64? {
        LogFrame(header: UnsafeRawBufferPointer(rebasing: self[place...]), salt: salt)?.number
    }
}

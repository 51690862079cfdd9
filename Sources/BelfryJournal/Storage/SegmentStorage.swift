/// What the segments of a journal are kept in, by their names.
protocol SegmentStorage: Sendable {
    /// For messages.
    var path: String { get }

    /// Makes it if it is not there.
    func create() throws(JournalError)

    /// The names of what is in it; nothing where it is not there.
    func names() throws(JournalError) -> [String]

    /// - Parameter isNew: whether it is made, empty, also in the place of one of that name.
    func open(_ name: String, isNew: Bool, isReadOnly: Bool) throws(JournalError) -> any SegmentFile

    func remove(_ name: String)

    /// Puts one segment in the place of another, all at once.
    func replace(_ name: String, with other: String) throws(JournalError)

    /// Waits until the names are on the disk.
    func sync() throws(JournalError)

    /// Leaves all that is in it where it can be looked at, under another name.
    ///
    /// - Returns: that name.
    func putAside() throws(JournalError) -> String
}

/// The bytes of a segment. One thread at a time.
protocol SegmentFile: AnyObject {
    /// How many bytes it has, also while another process writes to it.
    func size() throws(JournalError) -> Int

    /// Whether it has so many bytes.
    func has(_ end: Int) throws(JournalError) -> Bool

    /// Whether it is the same one, and not another one of its name.
    func isSame(as other: any SegmentFile) throws(JournalError) -> Bool

    /// Writes behind its end, which the caller knows.
    func write(_ bytes: UnsafeRawBufferPointer, at end: Int) throws(JournalError)

    /// Waits until all that was written is on the disk.
    func sync() throws(JournalError)

    /// Writes the bytes that are there once more.
    func writeAnew(from offset: Int, to end: Int) throws(JournalError)

    func cut(to size: Int) throws(JournalError)

    /// Gives back what it took ahead of what was written.
    func release() throws(JournalError)

    /// Fewer than `count` where it ends before.
    func bytes(at offset: Int, count: Int) throws(JournalError) -> [UInt8]
}

extension SegmentStorage {
    /// What the name of a segment ends with while it is written anew.
    var unfinished: String { ".new" }

    /// Removes segments of a rewrite that was killed before it had put them in the place of others.
    func removeUnfinished() throws(JournalError) {
        for name in try names() where name.hasSuffix(unfinished) { remove(name) }
    }

    /// Finds out whether a batch could be written: a disk that was full may be full still.
    func checkRoom() throws(JournalError) {
        let name = "room" + unfinished
        let file = try open(name, isNew: true, isReadOnly: false)
        defer { remove(name) }
        let bytes = [UInt8](repeating: 0, count: 1 << 16)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(JournalError) in try file.write(bytes, at: 0) }
        }
        try written.get()
        try file.sync()
    }

    /// The numbers of the first entries of the segments that there are, ascending.
    func segments() throws(JournalError) -> [UInt64] {
        try names().compactMap { name in
            name.hasSuffix(JournalSegment.suffix) ? UInt64(name.dropLast(JournalSegment.suffix.count)) : nil
        }.sorted()
    }
}

extension SegmentFile {
    func has(_ end: Int) throws(JournalError) -> Bool { try end <= size() }

    func release() {}

    /// What a database says to be committed is.
    func writeAnew(from offset: Int, to end: Int) {}
}

import BelfryModel
import GRDB
import Glibc

/// Every commit goes to the end of a file beside the database, in one piece and onto the disk, and becomes rows later: nearly every
/// record of a batch lies in a page of its own, which would be written anew with each of them. Of all the versions that a record had
/// since then, one is written as a row, in the order of subjects.
extension SQLiteStore {
    /// What whoever writes has; one at a time.
    struct Writer {
        /// Nil as long as nothing was committed since everything is in rows.
        var file: LogFile?
        var end = LogFile.End()
        var isClosed = false
    }

    /// Finds out what is in the log, and makes rows of a small one.
    func takeUp() throws(StoreError) {
        try writer.withLock { writer throws(StoreError) in
            try StoreError.translating(.opening, path) {
                let found = try LogFile.open(logPath, readOnly: false)
                let (salt, rows) = try database.read { try ($0.saltOfLog(), Log(rowsOf: $0)) }
                log.withLock { $0 = rows }
                if let salt {
                    guard let found else { throw StoreError.logIsMissing(path) }
                    guard found.salt == salt else { throw StoreError.logOfAnother(path) }
                    try takeUp(found, &writer)
                } else {
                    // What is left of one is in rows. The next commit begins another one.
                    try found?.remove(waits: false)
                }
            }
            if writer.end.offset <= limits.lasting { try fold(&writer) }
        }
    }

    private func takeUp(_ file: LogFile, _ writer: inout Writer) throws {
        try log.withLock { log in
            log.file = file
            writer.end = try file.forEachEntry { log.index.note($0, at: $1) }
        }
        writer.file = file
        try file.cut(at: writer.end)
    }

    /// Makes a batch durable.
    func append(_ batch: StoreBatch, _ writer: inout Writer) throws {
        let file = try writer.file ?? beginLog(&writer)
        let frame = LogFrame.bytes(
            of: batch, salt: file.salt, number: writer.end.number, lastItem: log.withLock { $0.index.lastItem })
        do {
            try file.append(frame, at: writer.end)
        } catch {
            // The next one is written over what cannot be cut off.
            try? file.cut(at: writer.end)
            throw error
        }
        try frame.withUnsafeBytes { bytes in
            let entries = UnsafeRawBufferPointer(rebasing: bytes[LogFrame.headerSize...])
            try log.withLock { log in try file.forEachEntry(of: entries, at: writer.end) { log.index.note($0, at: $1) }
            }
            writer.end = writer.end.after(entries.count)
        }
    }

    private func beginLog(_ writer: inout Writer) throws -> LogFile {
        let file = try LogFile.create(at: logPath)
        // From here on the store is not whole without it.
        try database.write { try $0.setSaltOfLog(file.salt) }
        (writer.file, writer.end) = (file, LogFile.End())
        log.withLock { $0.file = file }
        return file
    }

    func isFull(_ writer: Writer) -> Bool {
        writer.end.offset > max(limits.bytes, Int(Double(log.withLock { $0.sizeOfRows }) * limits.share))
    }

    /// Makes rows of all that is in the log, for whoever looks at rows.
    func fold() throws(StoreError) {
        if isReadOnly { return }
        try writer.withLock { writer throws(StoreError) in try fold(&writer) }
    }

    /// - Parameter isThorough: whether nobody is to find in the log any more what was there.
    func fold(_ writer: inout Writer, isThorough: Bool = false) throws(StoreError) {
        guard let file = writer.file else { return }
        let index = log.withLock { log in
            // Before there are any: somebody may be reading meanwhile.
            log.mayHaveRows = true
            log.mayHaveParts = log.mayHaveParts || !log.index.parts.isEmpty
            return log.index
        }
        let rows = try StoreError.translating(.writing, path) {
            try database.write { db in
                try db.makeRows(of: index, file)
                return try Log(rowsOf: db)
            }
        }
        log.withLock { $0 = rows }
        (writer.file, writer.end) = (nil, LogFile.End())
        do {
            try file.remove(waits: isThorough)
        } catch  where isThorough {
            throw StoreError.log(error, .writing, path)
        } catch {
            // The database does not name it any more: the next log replaces it.
        }
    }
}

extension Database {
    /// Writes everything that is in a log where it is to be, and lets go of the log.
    fileprivate func makeRows(of index: LogIndex, _ file: LogFile) throws {
        var order = LogOrder()
        try file.forEachEntry { if index.isNewest($0, at: $1) { order.note($0, at: $1) } }
        // In the order in which they lie there: each page is written once.
        for place in order.places() { try apply(file.withEntry(at: place) { $0.change }) }
        for (subject, parts) in index.parts {
            let changed = try parts.places.map { RecordPart(number: $0, bytes: try file.bytes(at: $1)) }
            try apply(changed, of: subject.text, areAll: parts.areAll)
        }
        for (key, value) in index.values { try setMeta(key.text, value) }
        for (name, queue) in index.queues {
            let items = try queue.items.map { QueueItem(number: $0.number, bytes: try file.bytes(at: $0.place)) }
            try apply(items, to: name.text, removedThrough: queue.removedThrough)
        }
        try setLastItem(index.lastItem)
        try setSaltOfLog(nil)
    }

    private static let saltKey = "log"

    /// Of the log that has what is not in rows yet; nil if there is nothing.
    func saltOfLog() throws -> UInt64? {
        guard let bytes = try bytes("SELECT value FROM meta WHERE key = ?", [Self.saltKey]).first, bytes.count == 8
        else { return nil }
        return bytes.withUnsafeBytes { $0.number(at: 0) }
    }

    fileprivate func setSaltOfLog(_ salt: UInt64?) throws {
        guard let salt else { return try execute(sql: "DELETE FROM meta WHERE key = ?", arguments: [Self.saltKey]) }
        var bytes: [UInt8] = []
        bytes.append(number: salt)
        try setMeta(Self.saltKey, bytes)
    }
}

extension LogEntry {
    fileprivate var change: RecordChange {
        RecordChange(
            subject: text, bytes: kind == .deletedRecord ? nil : [UInt8](bytes), nextDue: due, keepsParts: true)
    }
}

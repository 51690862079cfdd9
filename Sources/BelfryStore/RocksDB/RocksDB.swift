import CRocksDB

/// A database of RocksDB, without its own log: what is written is in memory until it is flushed, and comes to the disk in the order in which
/// it was written. Any thread may call.
final class RocksDB: Sendable {
    /// As its user named it.
    private let path: String
    private let functions: RocksDBFunctions
    /// Nil if read-only. RocksDB has a lock of its own, which does not tell who holds it.
    private let lock: FileLock?
    // RocksDB sees to its threads itself.
    nonisolated(unsafe) private let database: OpaquePointer
    nonisolated(unsafe) private let reading: OpaquePointer
    nonisolated(unsafe) private let writing: OpaquePointer

    /// - Parameter place: an existing database, or a folder that does not exist or is empty.
    init(_ place: StorePath, readOnly: Bool) throws(StoreError) {
        path = place.shown
        lock = readOnly ? nil : try FileLock(for: place.absolute, path: path)
        let functions = try RocksDBLibrary.functions(for: path)
        let options = functions.options(creates: !readOnly)
        defer { functions.options_destroy(options) }
        database = try functions.calling(.opening, path) { error in
            readOnly
                ? functions.open_for_read_only(options, place.absolute, 0, &error)
                : functions.open(options, place.absolute, &error)
        }!
        reading = functions.readoptions_create()!
        writing = functions.writeoptions_create()!
        functions.writeoptions_disable_WAL(writing, 1)
        self.functions = functions
    }

    deinit {
        functions.readoptions_destroy(reading)
        functions.writeoptions_destroy(writing)
        functions.close(database)
    }

    func value(of key: [UInt8]) throws(StoreError) -> [UInt8]? {
        let slice = try functions.calling(.reading, path) { error in
            key.withCharacters { functions.get_pinned(database, reading, $0.baseAddress, $0.count, &error) }
        }
        guard let slice else { return nil }
        defer { functions.pinnableslice_destroy(slice) }
        var count = 0
        let start = functions.pinnableslice_value(slice, &count)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Shows keys and values from the first key that is not before `key`, in order of the keys' bytes, as long as `body` wants more.
    func forEach(
        from key: [UInt8], _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        if let words = walk(from: key, body) { throw .rocksDB(words, .reading, path) }
    }

    /// What is wrong with the files, in RocksDB's words; nil if nothing is. Reads all of them.
    func damage() -> String? { walk(from: []) { _, _ in true } }

    /// - Returns: why it could not go on.
    private func walk(
        from key: [UInt8], _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) -> String? {
        let place = functions.create_iterator(database, reading)!
        defer { functions.iter_destroy(place) }
        key.withCharacters { functions.iter_seek(place, $0.baseAddress, $0.count) }
        while functions.iter_valid(place) != 0, body(functions.key(at: place), functions.value(at: place)) {
            functions.iter_next(place)
        }
        return functions.fault { functions.iter_get_error(place, &$0) }.words
    }

    /// Writes all that `body` puts and removes, or nothing.
    func write(_ body: (borrowing RocksDBBatch) -> Void) throws(StoreError) {
        let batch = RocksDBBatch(functions)
        body(batch)
        try functions.calling(.writing, path) { functions.write(database, writing, batch.changes, &$0) }
    }

    /// Waits until all that was written is on the disk.
    func flush() throws(StoreError) {
        let options = functions.flushoptions_create()
        defer { functions.flushoptions_destroy(options) }
        try functions.calling(.writing, path) { functions.flush(database, options, &$0) }
    }

    /// Writes all files anew that may have a key from `first` to `last`, without what was removed from them.
    func rewrite(from first: [UInt8], through last: [UInt8]) throws(StoreError) {
        try flush()
        let options = functions.compactoptions_create()
        defer { functions.compactoptions_destroy(options) }
        let always: UInt8 = 2
        functions.compactoptions_set_bottommost_level_compaction(options, always)
        first.withCharacters { first in
            last.withCharacters { last in
                functions.compact_range_opt(
                    database, options, first.baseAddress, first.count, last.baseAddress, last.count)
            }
        }
    }
}

/// What is written together.
struct RocksDBBatch: ~Copyable {
    private let functions: RocksDBFunctions
    fileprivate let changes: OpaquePointer

    fileprivate init(_ functions: RocksDBFunctions) {
        (self.functions, changes) = (functions, functions.writebatch_create()!)
    }

    deinit { functions.writebatch_destroy(changes) }

    func put(_ key: [UInt8], _ value: [UInt8]) {
        key.withCharacters { key in
            value.withCharacters { value in
                functions.writebatch_put(changes, key.baseAddress, key.count, value.baseAddress, value.count)
            }
        }
    }

    func remove(_ key: [UInt8]) {
        key.withCharacters { functions.writebatch_delete(changes, $0.baseAddress, $0.count) }
    }
}

extension [UInt8] {
    fileprivate func withCharacters<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        withUnsafeBytes { $0.withMemoryRebound(to: CChar.self, body) }
    }
}

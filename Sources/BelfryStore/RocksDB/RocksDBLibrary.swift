import CRocksDB

/// The library of the system, loaded once.
enum RocksDBLibrary {
    private static let found: (functions: RocksDBFunctions?, missing: String) = {
        var functions: RocksDBFunctions?
        let missing = withUnsafeTemporaryAllocation(of: RocksDBFunctions.self, capacity: 1) { place in
            let missing = rocksdb_load(place.baseAddress!)
            if missing == nil { functions = place[0] }
            return missing
        }
        return (functions, missing.map { String(cString: $0) } ?? "")
    }()

    static func functions(for path: String) throws(StoreError) -> RocksDBFunctions {
        guard let functions = found.functions else { throw .noRocksDB(path, missing: found.missing) }
        return functions
    }
}

extension RocksDBFunctions {
    /// For records of some hundred bytes to some kilobytes, which are written by a checkpoint every few seconds.
    func options(creates: Bool) -> OpaquePointer {
        let options = options_create()!
        options_set_create_if_missing(options, creates ? 1 : 0)
        options_increase_parallelism(options, 2)
        options_set_write_buffer_size(options, 64 << 20)
        let lz4: Int32 = 4
        options_set_compression(options, lz4)
        // Its own report of what it does names keys, and so do former lists of its files, which a new one takes the place of.
        let fatal: Int32 = 4
        options_set_info_log_level(options, fatal)
        options_set_keep_log_file_num(options, 1)
        options_set_stats_dump_period_sec(options, 0)
        options_set_max_manifest_file_size(options, 1)
        setTables(of: options)
        return options
    }

    private func setTables(of options: OpaquePointer) {
        let tables = block_based_options_create()
        // It belongs to the tables' options from here on.
        block_based_options_set_filter_policy(tables, filterpolicy_create_bloom_full(10))
        let cache = cache_create_lru(32 << 20)
        block_based_options_set_block_cache(tables, cache)
        options_set_block_based_table_factory(options, tables)
        cache_destroy(cache)
        block_based_options_destroy(tables)
    }

    func key(at place: OpaquePointer) -> UnsafeRawBufferPointer {
        var count = 0
        let start = iter_key(place, &count)
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    func value(at place: OpaquePointer) -> UnsafeRawBufferPointer {
        var count = 0
        let start = iter_value(place, &count)
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Throws what a function leaves as its error.
    func calling<Result>(
        _ attempt: StoreError.Attempt, _ path: String, _ body: (inout UnsafeMutablePointer<CChar>?) -> Result
    ) throws(StoreError) -> Result {
        let (result, words) = fault(body)
        if let words { throw .rocksDB(words, attempt, path) }
        return result
    }

    /// What a function returns, and what it leaves as its error.
    func fault<Result>(
        _ body: (inout UnsafeMutablePointer<CChar>?) -> Result
    ) -> (result: Result, words: String?) {
        var error: UnsafeMutablePointer<CChar>?
        let result = body(&error)
        defer { free(error) }
        return (result, error.map { String(cString: $0) })
    }
}

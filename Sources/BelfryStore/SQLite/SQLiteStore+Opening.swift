import GRDB

extension SQLiteStore {
    /// Opens the connections; for writing, one writer and a few readers that do not wait for it.
    static func open(_ place: StorePath, readOnly: Bool, mayBeEmpty: Bool = true) throws -> any DatabaseWriter {
        let configuration = configuration(for: place, readOnly: readOnly, mayBeEmpty: mayBeEmpty)
        if readOnly { return try DatabaseQueue(path: place.absolute, configuration: configuration) }
        let pool = try DatabasePool(path: place.absolute, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // What is removed is overwritten where that costs nothing more; `erase` sees to the rest.
            try db.execute(sql: "PRAGMA secure_delete = FAST")
            // In pages: more than one version of a page before it is copied.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 8192")
            try db.inTransaction(.immediate) {
                try SQLiteSchema.prepare(db)
                return .commit
            }
        }
        return pool
    }

    /// How long a lock of another program is waited for, in ms.
    static let patience = 5000

    private static func configuration(
        for place: StorePath, readOnly: Bool, mayBeEmpty: Bool
    ) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.label = "BelfryStore"
        // Not for another Belfry, which has been refused by now, but for the operator's database browser.
        configuration.busyMode = .timeout(Double(patience) / 1000)
        // Runs before GRDB turns on the WAL mode, and so before anything is written to another program's file.
        configuration.prepareDatabase { db in
            try SQLiteSchema.check(db, path: place.shown, mayBeEmpty: mayBeEmpty)
            // What is in a store is no business of the folder for temporary files.
            try db.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384")
            // A page that the system has is not copied (https://www.sqlite.org/mmap.html); 2 GiB are the most. A store that is opened
            // for reading is not mapped: see `unmap`.
            if !readOnly { try db.execute(sql: "PRAGMA mmap_size = 2147418112") }
        }
        return configuration
    }
}

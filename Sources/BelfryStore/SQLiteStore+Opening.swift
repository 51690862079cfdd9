import GRDB

extension SQLiteStore {
    /// Opens the connections; for writing, one writer and a few readers that do not wait for it.
    static func open(_ place: StorePath, readOnly: Bool, mayBeEmpty: Bool = true) throws -> any DatabaseWriter {
        let configuration = configuration(for: place, readOnly: readOnly, mayBeEmpty: mayBeEmpty)
        if readOnly { return try DatabaseQueue(path: place.absolute, configuration: configuration) }
        let pool = try DatabasePool(path: place.absolute, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // GRDB has chosen NORMAL, with which a power loss takes the last commits, whose decisions were handed
            // out already (https://www.sqlite.org/pragma.html#pragma_synchronous).
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Who is erased is not to be found in the pages that became free; some builds of SQLite do so anyway.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.inTransaction(.immediate) {
                try SQLiteSchema.prepare(db)
                return .commit
            }
        }
        return pool
    }

    private static func configuration(
        for place: StorePath, readOnly: Bool, mayBeEmpty: Bool
    ) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.label = "BelfryStore"
        // Not for another Belfry, which has been refused by now, but for somebody's database browser.
        configuration.busyMode = .timeout(5)
        // Runs before GRDB turns on the WAL mode, and so before anything is written to somebody else's file.
        configuration.prepareDatabase { db in
            try SQLiteSchema.check(db, path: place.shown, mayBeEmpty: mayBeEmpty)
        }
        return configuration
    }
}

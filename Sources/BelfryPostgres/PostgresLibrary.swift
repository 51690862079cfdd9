import CPostgres

/// The library of the system, loaded once.
enum PostgresLibrary {
    private static let found: (functions: PostgresFunctions?, missing: String) = {
        var functions: PostgresFunctions?
        let missing = withUnsafeTemporaryAllocation(of: PostgresFunctions.self, capacity: 1) { place in
            let missing = postgres_load(place.baseAddress!)
            if missing == nil { functions = place[0] }
            return missing
        }
        return (functions, missing.map { String(cString: $0) } ?? "")
    }()

    static var functions: PostgresFunctions {
        get throws(PostgresError) {
            guard let functions = found.functions else { throw PostgresError(.noLibrary, found.missing) }
            return functions
        }
    }
}

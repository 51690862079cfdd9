/// Why a database could not do what it was asked.
public struct PostgresError: Error, Sendable, Hashable {
    public enum Code: Sendable, Hashable {
        /// The client library is not installed; the detail is what is missing.
        case noLibrary
        /// The address makes no sense.
        case address
        /// There is no answer, or the connection has ended. What was sent may have come true, or may yet.
        case unreachable
        /// Another process has the lease by now; the detail is where it can be reached, or empty.
        case fenced
        /// Another transaction has what is needed, and has not let go of it for 2 s.
        case held
        /// There is no room left on the disk of the database.
        case full
        /// The user may not do that.
        case permission
        /// There is a store in a schema that the user may not look into; the detail says in which.
        case hidden
        /// The server takes no changes: it only follows another one, or is set so.
        case readOnly
        /// What was asked for is not there: a store, a schema, a database.
        case missing
        /// There is a store, and a table or a row that every store has is not in it.
        case damaged
        /// A later belfry made the store; the detail is the version that it has.
        case newer
        /// Anything else.
        case failed
    }

    public let code: Code
    /// In the words of the database, on one line.
    public let detail: String

    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// - Parameter state: the SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html).
    init(state: String, _ detail: String) {
        let code: Code =
            switch state {
            case "53100": .full
            case "55P03": .held
            case "42501", "28000", "28P01": .permission
            case "25006": .readOnly
            case "3D000", "3F000": .missing
            // Nothing is asked of a store before its first table was found (`PostgresSchema.check`): another one is gone.
            case "42P01": .damaged
            case let state where state.hasPrefix("08") || state.hasPrefix("57P"): .unreachable
            default: .failed
            }
        self.init(code, detail)
    }
}

extension PostgresError {
    /// Nothing says which format the store has, and its lease cannot be taken.
    static let noLease = PostgresError(.damaged, "its table 'belfry_lease' has no row")
}

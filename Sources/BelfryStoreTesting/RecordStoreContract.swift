import BelfryModel
import BelfryStore

/// What every `RecordStore` must do, as checks that any test framework can run.
///
/// ```swift
/// let contract = RecordStoreContract(make: { try MyStore(at: freshFolder()) }, reopen: { store in … })
///
/// @Test(arguments: RecordStoreContract.clauses)
/// func `my store keeps the contract`(clause: RecordStoreContract.Clause) throws {
///     try contract.check(clause)
/// }
/// ```
public struct RecordStoreContract: Sendable {
    /// One sentence of the contract, and how to find out whether it is true.
    public struct Clause: Sendable, CustomStringConvertible {
        public let description: String
        let check: @Sendable (RecordStoreContract) throws -> Void

        init(_ description: String, _ check: @escaping @Sendable (RecordStoreContract) throws -> Void) {
            self.description = description
            self.check = check
        }
    }

    /// The first thing a store did otherwise.
    public struct Violation: Error, CustomStringConvertible {
        /// The clause.
        public let clause: String
        /// What was looked at, what was expected and what was found.
        public let detail: String

        public var description: String { "the store does not keep its contract: \(clause)\n  \(detail)" }
    }

    let make: @Sendable () throws -> any RecordStore
    let reopen: (@Sendable (any RecordStore) throws -> any RecordStore)?

    /// - Parameters:
    ///   - make: gives a new, empty store at each call, independent of those given before.
    ///   - reopen: opens again the store that `make` gave, which is closed already; nil for a store that keeps nothing.
    public init(
        make: @escaping @Sendable () throws -> any RecordStore,
        reopen: (@Sendable (any RecordStore) throws -> any RecordStore)? = nil
    ) {
        self.make = make
        self.reopen = reopen
    }

    /// All sentences, each of which can be checked alone.
    public static let clauses =
        recordClauses + subjectClauses + timerClauses + storeClauses + maintenanceClauses

    /// Throws a `Violation` or what the store threw against the contract.
    public func check(_ clause: Clause) throws {
        do {
            try clause.check(self)
        } catch let mismatch as Mismatch {
            throw Violation(clause: clause.description, detail: mismatch.detail)
        } catch {
            throw Violation(clause: clause.description, detail: "an error was thrown: \(error)")
        }
    }

    /// Checks every clause, up to the first violation.
    public func checkAll() throws {
        for clause in Self.clauses { try check(clause) }
    }
}

/// A finding that does not know its clause yet.
private struct Mismatch: Error {
    let detail: String
}

extension RecordStoreContract {
    /// Runs `body` on a new store, and closes it.
    func withStore(_ body: (any RecordStore) throws -> Void) throws {
        let store = try make()
        defer { store.close() }
        try body(store)
    }

    static func expect<Found: Equatable>(_ what: String, _ found: Found, is expected: Found) throws {
        guard found != expected else { return }
        throw Mismatch(detail: "\(what) should be \(brief(expected)) but is \(brief(found))")
    }

    /// Compares texts by their bytes, as `==` would not.
    static func expect(subjects found: [String], are expected: [String], _ what: String = "the subjects") throws {
        try expect(what, found.map { Array($0.utf8) }, is: expected.map { Array($0.utf8) })
    }

    static func expect(timers store: any RecordStore, are expected: [(String, Int64)]) throws {
        let found = try store.timers()
        try expect(subjects: found.map(\.subject), are: expected.map(\.0), "the subjects with timers")
        try expect("their due times", found.map(\.due.milliseconds), is: expected.map(\.1))
    }

    static func expectRefusal(_ what: String, _ code: StoreError.Code, _ body: () throws(StoreError) -> Void)
        throws
    {
        do {
            try body()
        } catch {
            return try expect("the code of the error of \(what)", error.code, is: code)
        }
        throw Mismatch(detail: "\(what) should be refused as '\(code.rawValue)' but was not")
    }

    private static func brief(_ value: some Any) -> String {
        let text = String(describing: value)
        return text.count <= 200 ? text : "\(text.prefix(200))… (\(text.count) characters)"
    }
}

extension RecordStore {
    func commit(_ changes: RecordChange...) throws(StoreError) {
        try commit(StoreBatch(records: changes))
    }
}

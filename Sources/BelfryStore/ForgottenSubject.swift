/// What stays of a subject whose record is gone, so that no id of a decision is given twice. The id of the subject is not in it; with an id
/// at hand, its digest can be compared.
public struct ForgottenSubject: Sendable, Hashable {
    /// The SHA-256 of its id.
    public var digest: [UInt8]
    public var lastDecision: UInt64

    /// - Parameter digest: 32 bytes.
    public init(digest: [UInt8], lastDecision: UInt64) {
        self.digest = digest
        self.lastDecision = lastDecision
    }

    public init(_ subject: String, lastDecision: UInt64) {
        self.init(digest: SubjectDigest(subject).bytes, lastDecision: lastDecision)
    }
}

extension [ForgottenSubject] {
    /// Joins subjects that were erased with those that have records in quarantine; a subject that is both comes once.
    init(erased: [ForgottenSubject], quarantined: [(subject: String, records: UInt64)]) {
        let moved = quarantined.map {
            ForgottenSubject($0.subject, lastDecision: $0.records * QuarantinedRecord.decisions)
        }
        let numbers = Dictionary((erased + moved).map { ($0.digest, $0.lastDecision) }, uniquingKeysWith: +)
        self = numbers.map { ForgottenSubject(digest: $0, lastDecision: $1) }.sorted {
            $0.digest.lexicographicallyPrecedes($1.digest)
        }
    }
}

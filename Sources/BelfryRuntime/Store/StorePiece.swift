import BelfryStore

/// Rows that are committed together: few, and not large ones, so that no transaction takes long.
struct StorePiece {
    private(set) var subjects: [String] = []
    private(set) var changes: [RecordChange] = []
    private(set) var forgotten: [ForgottenSubject] = []
    private var bytes = 0

    var isFull: Bool { changes.count + forgotten.count >= 500 || bytes >= 4 << 20 }

    mutating func add(_ subject: ForgottenSubject) { forgotten.append(subject) }

    mutating func add(_ subject: String, _ change: RecordChange?) {
        subjects.append(subject)
        guard let change else { return }
        changes.append(change)
        bytes += change.bytes?.count ?? 0
    }
}

import BelfryModel

/// Everything that is known of one subject: a block of bytes that is also its stored form (docs/state.md).
///
/// A value that is moved, never copied by accident; `copy()` makes another one. One thread uses it at a time. What nearly every decision
/// reads is read where it lies; lists that change seldom are made and written as a whole.
public struct SubjectRecord: ~Copyable {
    var block: RecordBlock

    public init(subject: String) {
        block = RecordBlock(subject: subject)
        (latest, nextDue) = (.distantPast, nil)
    }

    /// - Parameter lastDecision: the number of the last decision about the subject before it was erased.
    package init(subject: String, lastDecision: UInt64) {
        self.init(subject: subject)
        decisions = lastDecision
    }

    init(_ block: consuming RecordBlock) { self.block = block }

    public func copy() -> SubjectRecord {
        SubjectRecord(RecordBlock(copying: block.bytes))
    }

    /// The number that a section has; the section is made of what comes after `block.range(of:)`.
    typealias Section = RecordBlock.Section
}

extension SubjectRecord {
    public var subject: String { String(checking: block.bytes(of: .subject)) ?? "" }

    /// The subject as UTF-8.
    package func withSubject<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        block.bytes(of: .subject).withUnsafeBytes(body)
    }

    /// Whether it is the record of that subject.
    package func isOf(_ subject: String) -> Bool {
        subject.withBytes { subject in withSubject { $0.hasBytes(of: subject) } }
    }

    /// For tables in memory, as of `stableHash`.
    package var subjectHash: UInt64 { withSubject { stableHash($0) } }

    // For the cache that it is in.

    package var address: UnsafeRawPointer { block.address }

    /// When it was used last, in batches.
    package var lastUse: UInt32 {
        get { block.lastUse }
        set { block.lastUse = newValue }
    }

    /// For the same cache: where its store has it, as `StoredRecord` says.
    package var storePlace: UInt32 {
        get { block.storePlace }
        set { block.storePlace = newValue }
    }

    /// Whether it changed since it was stored.
    package var isDirty: Bool {
        get { block.isDirty }
        set { block.isDirty = newValue }
    }

    /// The subject's time: that of the last of its signals and timers. It never goes back.
    public internal(set) var latest: Instant {
        get { Instant(milliseconds: block[.latest]) }
        set { block[.latest] = newValue.milliseconds }
    }

    /// How many decisions there have been about the subject, ever: what their ids are made of. Not forgotten by a reset.
    public package(set) var decisions: UInt64 {
        get { block[.decisions] }
        set { block[.decisions] = newValue }
    }

    /// When the next timer is due.
    public internal(set) var nextDue: Instant? {
        get {
            let due = block[.nextDue]
            return due == .max ? nil : Instant(milliseconds: due)
        }
        set { block[.nextDue] = newValue?.milliseconds ?? .max }
    }

    public enum AppState: Sendable, Hashable {
        case unknown
        case foreground(since: Instant)
        case background(since: Instant)
    }

    public internal(set) var app: AppState {
        get {
            let since = Instant(milliseconds: block[.appSince])
            return switch flags(.app) {
            case 1: .foreground(since: since)
            case 2: .background(since: since)
            default: .unknown
            }
        }
        set {
            switch newValue {
            case .unknown: (block[.appSince], self[flags: .app]) = (0, 0)
            case .foreground(let since): (block[.appSince], self[flags: .app]) = (since.milliseconds, 1)
            case .background(let since): (block[.appSince], self[flags: .app]) = (since.milliseconds, 2)
            }
        }
    }

    /// Nil: never switched; `enableOnFirstRun` holds.
    public internal(set) var isEnabled: Bool? {
        get { flags(.enabled) == 0 ? nil : flags(.enabled) == 1 }
        set { self[flags: .enabled] = newValue.map { $0 ? 1 : 2 } ?? 0 }
    }

    /// Whether the attributes of the user name a time zone.
    var namesZone: Bool {
        get { flags(.namesZone) == 1 }
        set { self[flags: .namesZone] = newValue ? 1 : 0 }
    }

    /// Two bits of the header each.
    private enum Flags: UInt16 {
        case enabled = 0
        case app = 2
        case namesZone = 4
    }

    /// All that are known.
    static let knownFlags: UInt16 = 0b11_1111

    private func flags(_ flags: Flags) -> UInt16 { block[.flags] >> flags.rawValue & 3 }

    private subscript(flags flags: Flags) -> UInt16 {
        get { self.flags(flags) }
        set { block[.flags] = block[.flags] & ~(3 << flags.rawValue) | newValue << flags.rawValue }
    }

    /// Makes a section anew, with memory that is used again.
    mutating func write(_ section: Section, _ write: (inout ByteWriter) -> Void) {
        var writer = ByteWriter()
        write(&writer)
        writer.withBytes { block.replace(section, with: $0) }
    }

    mutating func empty(_ section: Section) { block.resize(section, block.range(of: section), to: 0) }

    /// A fresh install: everything is forgotten, but for the numbers that ids are made of.
    mutating func reset() {
        for section in Section.allCases { block.willWrite(section) }
        for section in [Section.ids, .requestKeys] { block.former?.pointee.mark(section, at: nil) }
        let (decisions, armed) = (decisions, block[.timersArmed])
        let (former, lastUse, storePlace, isDirty) = (block.former, lastUse, storePlace, isDirty)
        self = SubjectRecord(subject: subject)
        (self.decisions, block[.timersArmed]) = (decisions, armed)
        (block.former, self.lastUse, self.storePlace, self.isDirty) = (former, lastUse, storePlace, isDirty)
    }
}

extension SubjectRecord {
    /// What must be true of a section that was checked when it was read.
    static func sound<Result>(_ section: Section, _ body: () throws(ByteReader.Damage) -> Result) -> Result {
        do throws(ByteReader.Damage) {
            return try body()
        } catch {
            preconditionFailure(
                "section \(section) of a record that was checked makes no sense at byte \(error.offset)")
        }
    }
}

import BelfryModel

// A stored record is the block as it lies in memory, its directory completed, and a checksum of all that in 8 bytes behind it.

/// Why stored bytes cannot be read. They are never guessed at.
public struct RecordDamage: Error, Sendable, Hashable {
    public var reason: String
    /// They are whole, as far as this belfry can tell, and of a format that came after it.
    public var isNewer: Bool

    public init(reason: String, isNewer: Bool = false) {
        self.reason = reason
        self.isNewer = isNewer
    }
}

extension SubjectRecord {
    /// The record as it is stored.
    ///
    /// - Parameter directory: what the process knows of owners and shapes, which the record leaves out in memory.
    public func stored(_ directory: StateDirectory? = nil) -> [UInt8] {
        let directory = storedDirectory(directory)
        return withContent { content in
            let count = content.count + directory.count
            return [UInt8](unsafeUninitializedCapacity: count + 8) { bytes, filled in
                let bytes = UnsafeMutableRawBufferPointer(bytes)
                bytes.copyMemory(from: content)
                UnsafeMutableRawBufferPointer(rebasing: bytes[content.count...]).copyBytes(from: directory)
                let end = RecordBlock.Field.ends.offset + 4 * Section.directory.rawValue
                bytes.storeBytes(of: UInt32(count).littleEndian, toByteOffset: end, as: UInt32.self)
                let checksum = stableHash(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                bytes.storeBytes(of: checksum.littleEndian, toByteOffset: count, as: UInt64.self)
                filled = count + 8
            }
        }
    }

    /// The block as it lies in memory. Of what its states refer to, it has what the process does not know.
    package func withBlock<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try block.bytes.withUnsafeBytes(body)
    }

    /// The stored form of a block as it lay in the memory of another process, which is not trusted: all of it is checked.
    ///
    /// - Parameters:
    ///   - subject: whose it has to be.
    ///   - known: what the other process knew of owners and shapes.
    package static func stored(
        checking block: [UInt8], of subject: String, _ known: StateDirectory
    ) throws(RecordDamage) -> [UInt8] {
        let stored = try sealed(block, known)
        _ = try SubjectRecord(subject: subject, reading: stored, known)
        return stored
    }

    /// What its states refer to is completed; for that, as much of it is checked as is needed.
    private static func sealed(_ block: [UInt8], _ known: StateDirectory) throws(RecordDamage) -> [UInt8] {
        guard block.count >= RecordBlock.headerSize, areSections(block.span.bytes) else {
            throw RecordDamage(reason: "its sections overlap or go beyond its end")
        }
        let record = SubjectRecord(RecordBlock(copying: block.span.bytes))
        // These are read before the rest is checked, which needs them.
        guard areStates(record.block.bytes(of: .states)) else { throw damage(of: .states) }
        guard
            isSound(
                record.block.bytes(of: .directory), { reader throws(ByteReader.Damage) in _ = try reader.directory() })
        else { throw damage(of: .directory) }
        return record.stored(known)
    }

    /// When the next timer is due, by a block that was not checked; nil without one.
    package static func nextDue(in block: UnsafeRawBufferPointer) -> Instant? {
        guard block.count >= RecordBlock.headerSize else { return nil }
        let due = block.loadNumber(at: RecordBlock.Field.nextDue.offset, as: Int64.self)
        return due == .max ? nil : Instant(milliseconds: due)
    }

    /// Reads a stored record from an untrusted source, such as a damaged file or a caller of libbelfry: every section is checked before any
    /// of it is used.
    ///
    /// - Parameters:
    ///   - subject: whose it has to be.
    ///   - directory: what of its own directory is there is left out.
    public init(
        subject: String, reading bytes: [UInt8], _ directory: StateDirectory? = nil
    ) throws(RecordDamage) {
        let record = try Self.read(bytes.span.bytes, directory)
        guard record.isOf(subject) else { throw RecordDamage(reason: "it is the record of '\(record.subject)'") }
        self = record
    }

    private static func read(_ bytes: RawSpan, _ directory: StateDirectory?) throws(RecordDamage) -> SubjectRecord {
        let headerSize = RecordBlock.headerSize
        var reader = ByteReader(bytes)
        guard bytes.byteCount >= headerSize + 8, (try? reader.fixed()) == RecordBlock.magic,
            let version = try? reader.fixed(UInt16.self)
        else { throw RecordDamage(reason: "it does not begin like a record of Belfry") }
        let content = bytes.extracting(0..<bytes.byteCount - 8)
        let checksum = bytes.unsafeLoadUnaligned(fromByteOffset: content.byteCount, as: UInt64.self)
        let isWhole = content.withUnsafeBytes { stableHash($0) } == UInt64(littleEndian: checksum)
        guard version == RecordBlock.version else {
            throw RecordDamage(
                reason: "it has format version \(version); this belfry knows version \(RecordBlock.version)",
                isNewer: isWhole && version > RecordBlock.version)
        }
        guard isWhole else { throw RecordDamage(reason: "its checksum does not match: the bytes have changed") }
        guard areSections(content) else { throw RecordDamage(reason: "its sections overlap or go beyond its end") }
        var record = SubjectRecord(RecordBlock(copying: content))
        guard areStates(record.block.bytes(of: .states)) else { throw damage(of: .states) }
        let known = record.knownDirectory(directory)
        if let section = record.unsoundSection(known) { throw damage(of: section) }
        guard record.isHeaderSound else { throw RecordDamage(reason: "its header makes no sense") }
        if known != nil {
            record.empty(.directory)
        } else if let directory {
            record.forgetKnown(directory)
        }
        return record
    }

    private static func damage(of section: Section) -> RecordDamage {
        RecordDamage(reason: "its section '\(section)' makes no sense")
    }

    /// What its states refer to, if it has the directory that the process would store; nil if that has to be read.
    private func knownDirectory(_ directory: StateDirectory?) -> KnownDirectory? {
        guard let known = references.flatMap({ directory?.directory(of: $0) }) else { return nil }
        let isSame = block.bytes(of: .directory).withUnsafeBytes { own in
            known.bytes.withUnsafeBytes { own.hasBytes(of: $0) }
        }
        return isSame ? known : nil
    }

    private static func areSections(_ content: RawSpan) -> Bool {
        var end = RecordBlock.headerSize
        for section in Section.allCases {
            let place = RecordBlock.Field.ends.offset + 4 * section.rawValue
            let next = Int(UInt32(littleEndian: content.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self)))
            guard next >= end, next <= content.byteCount else { return false }
            end = next
        }
        return end == content.byteCount
    }

    /// The first section that cannot be read; nil if all can. That the states are some is known.
    ///
    /// - Parameter known: the record's directory, if it is known to be sound.
    private func unsoundSection(_ known: KnownDirectory?) -> Section? {
        let campaigns = Self.campaignCount(in: block.bytes(of: .campaigns))
        return Section.allCases.first { section in
            let bytes = block.bytes(of: section)
            if bytes.isEmpty { return false }
            return switch section {
            case .states: !(known.map { areStates(of: $0) } ?? areStatesSound)
            case .subject: !bytes.isUTF8
            case .ids, .requestKeys: !Self.areIDs(bytes)
            case .campaigns: campaigns == nil
            case .notifications: !Self.areEntries(bytes, campaigns: campaigns ?? 0, areNotifications: true)
            case .geotriggers: !Self.areEntries(bytes, campaigns: campaigns ?? 0, areNotifications: false)
            case .attributes: !Self.isSound(bytes) { reader throws(ByteReader.Damage) in try reader.checkFields() }
            case .channels: !Self.isSound(bytes) { reader throws(ByteReader.Damage) in _ = try reader.channels() }
            case .position: bytes.byteCount != 16
            case .presence: !Self.isSound(bytes) { reader throws(ByteReader.Damage) in _ = try reader.whereabouts() }
            case .timers:
                !Self.isSound(bytes, { reader throws(ByteReader.Damage) in _ = try reader.timers() })
                    || !areDigestsSound
            case .directory:
                known == nil
                    && !Self.isSound(bytes) { reader throws(ByteReader.Damage) in _ = try reader.directory() }
            }
        }
    }

    private static func isSound(
        _ bytes: RawSpan, _ read: (inout ByteReader) throws(ByteReader.Damage) -> Void
    ) -> Bool {
        if bytes.isEmpty { return true }
        var reader = ByteReader(bytes)
        do throws(ByteReader.Damage) {
            try read(&reader)
            try reader.end()
            return true
        } catch {
            return false
        }
    }

    /// Whether what each slot holds is of the shape that it says.
    private func areStates(of known: KnownDirectory) -> Bool {
        let count = stateCount
        for index in 0..<count {
            let slot = slot(inIndex: index, count)
            guard known.shape(slot.shape)?.isSound(block.bytes.extracting(slot.content)) == true else { return false }
        }
        return true
    }

    /// The same of a record that has a directory of its own, as it came.
    private var areStatesSound: Bool {
        // Reading the directory takes it to be sound.
        guard
            Self.isSound(
                block.bytes(of: .directory), { reader throws(ByteReader.Damage) in _ = try reader.directory() })
        else { return false }
        let own = ownDirectory
        return slots.allSatisfy { slot in
            guard own.owners.contains(where: { $0.number == slot.owner }) else { return false }
            let shape =
                slot.shape & StateShape.isDeclared == 0
                ? StateShape.saved(version: slot.shape) : own.shapes.first { $0.number == slot.shape }
            guard let shape else { return false }
            return shape.isSound(block.bytes.extracting(slot.content))
        }
    }

    /// Whether the header says what follows from the sections, and numbers that bear to be counted on.
    private var isHeaderSound: Bool {
        block[.flags] & ~Self.knownFlags == 0 && decisions < 1 << 62 && block[.timersArmed] < 1 << 31
            && nextDue == timers.lazy.map(\.due).min() && isCountSound
            && namesZone == (userAttribute(Self.timeZone) != nil)
    }
}

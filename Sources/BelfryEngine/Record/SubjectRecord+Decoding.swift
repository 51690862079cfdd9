import BelfryModel

// Reads what `SubjectRecord+Encoding.swift` writes, and what was written before.

extension SubjectRecord {
    public convenience init(subject: String, decoding bytes: [UInt8]) throws(RecordDamage) {
        try self.init(subject: subject, decoding: bytes, notices: nil)
    }

    /// - Parameter notices: those that other records may share.
    package convenience init(
        subject: String, decoding bytes: [UInt8], notices: NoticeLibrary?
    ) throws(RecordDamage) {
        self.init(subject: subject)
        var rest = bytes[...]
        let body = try PartSeal.body.takeContent(from: &rest)
        let states = try PartSeal.states.takeContent(from: &rest)
        while let page = try PartSeal.page.takeContent(from: &rest) {
            try read(page.bytes) { record, reader throws(ByteReader.Damage) in try record.readPage(from: &reader) }
        }
        let opened = try Seal.record.open(rest)
        try read(opened.content, notices) { record, reader throws(ByteReader.Damage) in
            try record.readAll(from: &reader, opened.version, body, states)
        }
    }

    /// The version of the belfry that stored a record; nil in the first format.
    public static func writer(of bytes: [UInt8]) throws(RecordDamage) -> String? {
        try Seal.record.open(PartSeal.skipAll(bytes)).writer
    }

    /// Whether the bytes of a stored record begin with parts.
    package static func hasParts(_ bytes: [UInt8]) -> Bool { PartSeal.skipAll(bytes).startIndex > 0 }

    private func read(
        _ content: ArraySlice<UInt8>, _ notices: NoticeLibrary? = nil,
        _ body: (SubjectRecord, inout ByteReader) throws(ByteReader.Damage) -> Void
    ) throws(RecordDamage) {
        var reader = ByteReader(content, notices: notices)
        do {
            try body(self, &reader)
            try reader.end()
        } catch {
            throw RecordDamage(reason: "its contents end or make no sense at byte \(error.offset)")
        }
    }

    private func readPage(from reader: inout ByteReader) throws(ByteReader.Damage) {
        try reader.ids(PartSeal.idsOfPage, into: &processed)
        storedParts.pages += 1
    }

    private func readAll(
        from reader: inout ByteReader, _ version: UInt16, _ body: PartSeal.Content?, _ states: PartSeal.Content?
    ) throws(ByteReader.Damage) {
        try readBeginning(from: &reader)
        guard version >= FormerFormat.firstWithParts else { return try readFormerRecord(from: &reader) }
        try readHead(from: &reader)
        let isFormer = version == FormerFormat.firstWithParts
        var (ownBody, slots): (ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        storedParts.body = try read(body, from: &reader, isFormer: isFormer) {
            record, reader, isFormer throws(ByteReader.Damage) in
            let rest = reader.rest
            try isFormer ? record.readFormerBody(from: &reader) : record.readBody(from: &reader)
            record.use.isBodyStored = !isFormer
            ownBody = isFormer || body != nil ? nil : rest.dropLast(reader.rest.count)
        }
        storedParts.states = try read(states, from: &reader, isFormer: isFormer) {
            record, reader, isFormer throws(ByteReader.Damage) in
            if isFormer {
                try record.readFormerStates(from: &reader)
            } else {
                slots = try record.readStates(from: &reader)
            }
        }
        keep(body: ownBody ?? [], slots: slots ?? [])
    }

    /// Who is read is likely to be written with few changes.
    private func keep(body: ArraySlice<UInt8>, slots: ArraySlice<UInt8>) {
        body.withUnsafeBytes { body in slots.withUnsafeBytes { written.keep(body: body, states: $0) } }
    }

    /// Reads what may be a part.
    ///
    /// - Parameter isFormer: whether it is of the former format if it is none.
    /// - Returns: a hash of the part; nil if it is none.
    private func read(
        _ part: PartSeal.Content?, from reader: inout ByteReader, isFormer: Bool,
        _ body: (SubjectRecord, inout ByteReader, Bool) throws(ByteReader.Damage) -> Void
    ) throws(ByteReader.Damage) -> UInt64? {
        guard try reader.bool() == (part == nil) else { throw reader.damage }
        guard let part else {
            try body(self, &reader, isFormer)
            return nil
        }
        var rest = ByteReader(part.bytes, notices: reader.notices)
        try body(self, &rest, part.version == FormerFormat.ofParts)
        try rest.end()
        return part.bytes.withUnsafeBytes(Seal.hash)
    }
}

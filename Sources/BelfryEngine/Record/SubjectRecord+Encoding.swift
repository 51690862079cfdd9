import BelfryModel

// A stored record is its parts, if it has any, and then head, body and states, the latter two if they are no parts. What changes about
// the way they are written needs a new version of the format.

extension Seal {
    /// Of a subject's record. Version 1 had no writer, version 2 another checksum, version 3 no parts, and everything in another order;
    /// version 4 had the ids of notifications, how often every campaign was created, and the owner of each state.
    package static let record = Seal(magic: "BLFR", version: 5, firstNamed: 2, firstByWords: 3, name: "a record")
}

extension SubjectRecord {
    /// The record as it is stored, in one piece. A slot whose strategy has nothing to remember is left out.
    ///
    /// - Parameter writer: the version of the belfry that stores it.
    public func encoded(by writer: String) -> [UInt8] {
        var bytes = ByteWriter()
        var known = StoredParts()
        let change = encode(by: writer, beside: &known, in: &bytes)
        return change.parts.flatMap(\.bytes) + change.bytes
    }

    /// What a store is to write that has all that this said before.
    ///
    /// - Parameter bytes: memory for it; what was in there is lost.
    package func change(by writer: String, in bytes: inout ByteWriter) -> Change {
        var known = storedParts
        var change = encode(by: writer, beside: &known, in: &bytes)
        storedParts = known
        change.keepsParts = !use.hasOtherParts
        (use.hasOtherParts, use.isBodyStored) = (false, true)
        return change
    }

    /// What a store is to write of a record.
    package struct Change {
        /// What comes after the parts.
        package let bytes: [UInt8]
        /// Those that are not in the store yet; no bytes: it is to go.
        package let parts: [Part]
        /// Whether the store keeps the others.
        package fileprivate(set) var keepsParts = true

        package typealias Part = (number: Int, bytes: [UInt8])
    }

    /// A copy of its own, states included.
    func copy() -> SubjectRecord {
        do {
            return try SubjectRecord(subject: subject, decoding: encoded(by: ""))
        } catch {
            preconditionFailure("a record that was just encoded cannot be decoded: \(error.reason)")
        }
    }

    private func encode(by writer: String, beside known: inout StoredParts, in bytes: inout ByteWriter) -> Change {
        bytes.cut(to: 0)
        var parts: [Change.Part] = []
        // Body and states lie before the record, until it is known whether they are parts.
        let body = encodeBody(by: writer, beside: &known.body, in: &bytes, &parts)
        let (slots, all) = writeStates(to: &bytes)
        let states = divide(all, .states, PartSeal.statesNumber, by: writer, beside: &known.states, in: bytes, &parts)
        written.keep(body: bytes.bytes(in: body ?? 0..<0), states: bytes.bytes(in: slots))
        addNewPages(by: writer, beside: &known.pages, to: &parts)
        let start = bytes.count
        Seal.record.close(writer: writer, in: &bytes) { bytes in
            writeHead(to: &bytes)
            bytes.optional(body) { $0.repeat($1) }
            bytes.optional(states) { $0.repeat($1) }
        }
        return Change(bytes: bytes.copy(from: start), parts: parts)
    }

    /// - Returns: where it lies; nil if it is a part.
    private func encodeBody(
        by writer: String, beside known: inout UInt64?, in bytes: inout ByteWriter, _ parts: inout [Change.Part]
    ) -> Range<Int>? {
        // What was not touched since it was stored is not looked at.
        if known != nil, use.isBodyStored { return nil }
        let start = bytes.count
        if use.isBodyStored, let body = written.body { bytes.raw(body) } else { writeBody(to: &bytes) }
        return divide(
            start..<bytes.count, .body, PartSeal.bodyNumber, by: writer, beside: &known, in: bytes, &parts)
    }

    /// Makes a part of what is large.
    ///
    /// - Parameter known: a hash of the part that the store has; nil if it has none.
    /// - Returns: where it lies; nil if it is a part.
    private func divide(
        _ range: Range<Int>, _ part: PartSeal, _ number: Int, by writer: String, beside known: inout UInt64?,
        in bytes: borrowing ByteWriter, _ parts: inout [Change.Part]
    ) -> Range<Int>? {
        let isApart = range.count >= PartSeal.smallest
        let hash = isApart ? Seal.hash(bytes.bytes(in: range)) : nil
        if hash != known {
            known = hash
            parts.append((number, isApart ? part.sealed(bytes.bytes(in: range), by: writer) : []))
        }
        return isApart ? nil : range
    }

    private func addNewPages(by writer: String, beside known: inout Int, to parts: inout [Change.Part]) {
        while (known + 1) * PartSeal.idsOfPage <= processed.count {
            var content = ByteWriter()
            content.ids(processed.all[known * PartSeal.idsOfPage..<(known + 1) * PartSeal.idsOfPage])
            let page = PartSeal.page.sealed(content.bytes(from: 0), by: writer)
            parts.append((PartSeal.firstPageNumber + known, page))
            known += 1
        }
    }
}

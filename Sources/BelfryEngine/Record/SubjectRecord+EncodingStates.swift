import BelfryModel

extension SubjectRecord {
    /// The states that remember something: first how many of whom, then one after the other what they remember.
    ///
    /// - Returns: where what they remember was written, and where all of it lies after that.
    func writeStates(to writer: inout ByteWriter) -> (slots: Range<Int>, all: Range<Int>) {
        let start = writer.count
        var former = written.states
        states.forEachInOrder { slot, mark in writer.slot(slot, mark, &former) }
        let slots = start..<writer.count
        writer.list { writeGroups(to: &$0) }
        writer.repeat(slots)
        return (slots, slots.upperBound..<writer.count)
    }

    /// Those of one owner, which lie next to each other, need to name it once.
    ///
    /// - Returns: how many groups there are.
    private func writeGroups(to writer: inout ByteWriter) -> Int {
        var groups = SlotGroups()
        states.forEachInOrder { slot, mark in
            if mark.pointee.writtenLength > 0 { groups.add(slot, to: &writer) }
        }
        groups.end(in: &writer)
        return groups.count
    }
}

/// Writes the owner of states that follow each other, the version of their strategy, and how many they are.
private struct SlotGroups {
    private(set) var count = 0
    private var last: (slot: UnsafeMutablePointer<Slot>, version: UInt32)?
    private var members = 0
    /// Where their number belongs.
    private var place = 0

    mutating func add(_ slot: UnsafeMutablePointer<Slot>, to writer: inout ByteWriter) {
        if let last, slot.pointee.isOfGroup(of: last.slot, last.version) {
            members += 1
            return
        }
        end(in: &writer)
        let version = slot.pointee.version
        last = (slot, version)
        (count, members) = (count + 1, 1)
        writer.owner(slot.pointee.owner)
        writer.unsigned(UInt64(version))
        place = writer.count
        writer.byte(0)
    }

    func end(in writer: inout ByteWriter) {
        if count > 0 { writer.setLength(members, at: place) }
    }
}

extension Slot {
    fileprivate var version: UInt32 {
        if let saved = owner.saved { return saved.version }
        return owner.table!.pointee.state_version  // whose state is live has the functions
    }

    fileprivate func isOfGroup(of other: UnsafePointer<Slot>, _ version: UInt32) -> Bool {
        if owner === other.pointee.owner { return true }
        return owner.isSame(as: other.pointee.owner) && fingerprint == other.pointee.fingerprint
            && self.version == version
    }
}

extension ByteWriter {
    /// The counter and the values of a state; nothing if it remembers nothing.
    ///
    /// - Parameter former: where it was written last, if that was kept; is moved on.
    fileprivate mutating func slot(
        _ slot: UnsafeMutablePointer<Slot>, _ mark: UnsafeMutablePointer<SlotMark>, _ former: inout UnsafeRawPointer?
    ) {
        let length = mark.pointee.writtenLength
        defer { former = former.map { $0 + length } }
        guard mark.pointee.isTouched || former == nil || length == 0 else {
            return raw(UnsafeRawBufferPointer(start: former, count: length))
        }
        if mark.pointee.isKnownEmpty { return }
        let start = count
        counter(slot.pointee.counter)
        if values(of: slot) == 0 { cut(to: start) }
        mark.pointee.wrote(count - start)
    }

    /// Its length and one, since it may be absent.
    private mutating func counter(_ counter: String?) {
        guard let counter else { return byte(0) }
        counter.withBytes {
            unsigned(UInt64($0.count + 1))
            raw($0)
        }
    }

    /// - Returns: how many there are.
    private mutating func values(of slot: UnsafeMutablePointer<Slot>) -> Int {
        switch slot.pointee.content {
        case .saved(let saved):
            list(saved.values) {
                $0.text($1.key)
                $0.state($1.value)
            }
            return saved.values.count
        case .live(let live): return state(of: live)
        }
    }
}

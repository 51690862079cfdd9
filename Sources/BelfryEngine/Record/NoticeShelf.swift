/// The notices that were written, by number: most of what somebody was sent says what something before it said.
struct NoticeShelf: ~Copyable {
    private let known: UnsafeMutableBufferPointer<Place>
    private var count = 0

    private struct Place {
        let notice: Unmanaged<SubjectRecord.Notice>
        /// Looked at before the notice itself.
        let hash: UInt64
    }

    /// - Parameter capacity: how many will be asked for, at most. They outlive this.
    init(capacity: Int) { known = .allocate(capacity: capacity) }

    deinit { known.deallocate() }

    /// The number of a notice, which it is given if none that is equal came before.
    mutating func number(of notice: SubjectRecord.Notice) -> (number: Int, isNew: Bool) {
        let hash = notice.campaignHash
        for number in 0..<count where known[number].hash == hash {
            if known[number].notice._withUnsafeGuaranteedRef({ $0 == notice }) { return (number, false) }
        }
        precondition(count < known.count)
        known.initializeElement(at: count, to: Place(notice: .passUnretained(notice), hash: hash))
        count += 1
        return (count - 1, true)
    }
}

/// The notices that were written, by number: most of what somebody was sent says what something before it said.
struct NoticeShelf: ~Copyable {
    private var known: UnsafeMutableBufferPointer<Unmanaged<SubjectRecord.Notice>>
    private var count = 0

    /// - Parameter capacity: how many will be asked for, at most. They outlive this.
    init(capacity: Int) { known = .allocate(capacity: capacity) }

    deinit { known.deallocate() }

    /// The number of a notice, which it is given if none that is equal came before.
    mutating func number(of notice: SubjectRecord.Notice) -> (number: Int, isNew: Bool) {
        if let number = index(where: { $0.toOpaque() == Unmanaged.passUnretained(notice).toOpaque() }) {
            return (number, false)
        }
        if let number = index(where: { $0._withUnsafeGuaranteedRef { $0 == notice } }) { return (number, false) }
        known[count] = .passUnretained(notice)
        count += 1
        return (count - 1, true)
    }

    private func index(where isMeant: (Unmanaged<SubjectRecord.Notice>) -> Bool) -> Int? {
        for number in 0..<count where isMeant(known[number]) { return number }
        return nil
    }
}

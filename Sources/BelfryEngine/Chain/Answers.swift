import CBelfry

/// The answers to one question, in memory that is used again for the next one.
struct Answers: RandomAccessCollection {
    private var start = UnsafeMutablePointer<Answer>.allocate(capacity: 16)
    private var capacity = 16
    private(set) var count = 0
    /// From the first to the last that speaks against the candidate: there are few of them, and mostly none.
    private var denied = 0..<0
    private(set) var haveFault = false
    /// Whether an entry denies whose denials are only reported.
    private(set) var haveObserved = false
    /// Whether an optional entry denies, which only counts where no required one has an opinion.
    private(set) var haveOptionalDenial = false

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Answer {
        precondition(index < count)
        return start[index]
    }

    /// Where they lie: to look at one there copies nothing.
    var places: some Sequence<UnsafeMutablePointer<Answer>> { places(in: 0..<count) }

    /// Whether an answer is the one at that index.
    func isPlace(_ answer: UnsafePointer<Answer>, of index: Int) -> Bool {
        index < count && answer == UnsafePointer(start + index)
    }

    /// Among them are all that speak against the candidate.
    var deniedPlaces: some Sequence<UnsafeMutablePointer<Answer>> { places(in: denied) }

    private func places(in range: Range<Int>) -> some Sequence<UnsafeMutablePointer<Answer>> {
        range.lazy.map { [start] in start + $0 }
    }

    /// Shows all that speak against the candidate, in chain order.
    @inline(__always)
    func forEachDenied(_ body: (UnsafeMutablePointer<Answer>) -> Void) {
        var place = denied.lowerBound
        while place < denied.upperBound {
            if start[place].isDenial { body(start + place) }
            place += 1
        }
    }

    /// Whether something speaks against the candidate.
    var haveDenial: Bool { !denied.isEmpty }

    /// Whether some required entry has an opinion.
    var haveOpinion: Bool { places.contains { $0.pointee.control == .required && $0.pointee.kind != .abstain } }

    /// Whether one of them is certain to count, whatever the other entries say.
    var haveCountingDenial: Bool {
        deniedPlaces.contains {
            ($0.pointee.kind == .deny || $0.pointee.isFault) && $0.pointee.control == .required
        }
    }

    /// Adds an abstention.
    ///
    /// - Returns: where it lies until the next one is added. What it becomes is to be noted.
    @inline(__always)
    mutating func add(
        _ step: UnsafePointer<ChainStep>, _ key: UnsafePointer<CounterKey>
    ) -> UnsafeMutablePointer<Answer> {
        if count == capacity { grow(to: capacity * 2) }
        let answer = start + count
        answer.initialize(to: Answer(step, key))
        count += 1
        return answer
    }

    /// Notes that an answer speaks against the candidate, after those before it.
    @inline(never)
    mutating func noteDenial(_ answer: UnsafePointer<Answer>) {
        let index = UnsafePointer(start).distance(to: answer)
        denied = (denied.isEmpty ? index : denied.lowerBound)..<index + 1
        if answer.pointee.isFault { haveFault = true }
        switch answer.pointee.control {
        case .required: break
        case .optional: haveOptionalDenial = true
        case .observer, .sufficient: haveObserved = true
        }
    }

    @inline(__always)
    mutating func removeAll() {
        count = 0
        denied = 0..<0
        (haveFault, haveObserved, haveOptionalDenial) = (false, false, false)
    }

    @inline(never)
    private mutating func grow(to capacity: Int) {
        let larger = UnsafeMutablePointer<Answer>.allocate(capacity: capacity)
        larger.initialize(from: start, count: count)
        start.deallocate()
        (start, self.capacity) = (larger, capacity)
    }

    func deallocate() { start.deallocate() }

    /// Whether an entry, the last one that was asked, allows. One that counts per group does if it does for every group.
    func allow(_ entry: Lent<EntryPlan>) -> Bool {
        let own = reversed().prefix { $0.step.pointee.plan == entry }
        return !own.isEmpty && own.allSatisfy { $0.kind == .allow }
    }
}

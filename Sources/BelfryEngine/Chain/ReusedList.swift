/// Plain values, one after the other, in memory that is used again.
///
/// What an array does, without its care for copies: there are none. To forget all of them is to set a number.
struct ReusedList<Element: BitwiseCopyable>: ~Copyable {
    private var start: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 16) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    subscript(place: Int) -> Element {
        @inline(__always) get {
            precondition(place >= 0 && place < count)
            return start[place]
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (start + count).initialize(to: element)
        count += 1
    }

    mutating func removeAll() { count = 0 }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (larger, capacity * 2)
    }
}

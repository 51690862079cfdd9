/// The offsets of one zone in order of time: the segment `i` lasts from `starts[i]` until `starts[i + 1]`.
///
/// Neighbours differ, so every start but the first is a real change of the wall clock. The first segment has
/// always been; the last never ends.
struct OffsetTable: Sendable {
    /// UTC milliseconds, ascending; the first is `Int64.min`.
    private(set) var starts: [Int64] = [.min]
    /// Milliseconds east of UTC.
    private(set) var offsets: [Int64]

    init(initialOffset: Int64) {
        offsets = [initialOffset]
    }

    var lastStart: Int64 { starts[starts.count - 1] }

    /// Adds a segment at the end. One that starts with the last segment replaces it; one that changes
    /// nothing is left out.
    mutating func append(start: Int64, offset: Int64) {
        if start == lastStart {
            starts.removeLast()
            offsets.removeLast()
        }
        guard offsets.last != offset else { return }
        starts.append(starts.isEmpty ? .min : start)
        offsets.append(offset)
    }

    /// The segment that an instant falls into.
    func index(at instant: Int64) -> Int {
        var low = 0
        var count = starts.count
        while count > 1 {
            let half = count / 2
            if starts[low + half] <= instant { low += half }
            count -= half
        }
        return low
    }

    /// The first instant at or after `earliest` when the wall clock shows `local` or later.
    func firstInstant(reaching local: Int64, from earliest: Int64) -> Int64 {
        var index = index(at: earliest)
        while index + 1 < starts.count {
            let candidate = max(local - offsets[index], starts[index])
            if candidate < starts[index + 1] { return candidate }
            index += 1
        }
        return max(local - offsets[index], starts[index])
    }
}

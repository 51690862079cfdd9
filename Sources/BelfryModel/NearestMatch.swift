/// The candidate that was probably meant by `text`, or nil when none is close.
///
/// Close is at most a third of the longer text in edits (insert, delete, replace, swap of neighbours), and
/// always one edit in texts of two characters or more. Case does not count, so `Cooldown` finds `cooldown`.
/// Of equally close ones the first wins.
public func nearestMatch(to text: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(text.lowercased())
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
        let found = Array(candidate.lowercased())
        let length = max(wanted.count, found.count)
        let limit = length < 2 ? 0 : max(1, length / 3)
        // A difference in length is a lower bound of the distance, and far cheaper.
        guard abs(wanted.count - found.count) <= limit else { continue }
        let distance = editDistance(wanted, found)
        if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
}

/// Edits from one text to the other, a swap of two neighbours counting as one (optimal string alignment).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let same = left[row - 1] == right[column - 1]
            var cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                cost = min(cost, beforeLast[column - 2] + 1)
            }
            current.append(cost)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}

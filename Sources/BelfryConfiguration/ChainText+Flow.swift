// A flow list, `chain: [ {strategy: a}, {strategy: b} ]`, on one line or many. What is between the items (commas, spaces, ends
// of lines) stays; the items change places.

extension ChainText {
    func movingFlow(_ from: Int, to: Int) throws(ChainLayoutProblem) -> String {
        var ranges: [Range<Int>] = []
        for start in starts { ranges.append(try flowItem(at: start)) }
        var order = Array(ranges.indices)
        order.insert(order.remove(at: from), at: to)
        var result: Scalars = []
        var rest = 0
        for (slot, item) in zip(ranges, order) {
            let between = scalars[rest..<slot.lowerBound]
            // Before the first item is the rest of the document, whose comments are no concern here.
            try refuseComments(in: scalars[max(rest, listStart)..<slot.lowerBound])
            result += between + scalars[ranges[item]]
            rest = slot.upperBound
        }
        try refuseComments(in: scalars[rest..<flowEnd(from: rest)])
        return Self.string(result + scalars[rest...])
    }

    /// A comment between two items belongs to one of them, and nothing says to which.
    private func refuseComments(in between: ArraySlice<Unicode.Scalar>) throws(ChainLayoutProblem) {
        guard between.contains("#") else { return }
        throw ChainLayoutProblem(
            why: "the chain is one '[ … ]' with comments between its entries, and whose they are is not clear"
        )
    }

    /// The item that begins there, without what follows it.
    func flowItem(at start: Int) throws(ChainLayoutProblem) -> Range<Int> {
        var end = flowEnd(from: start)
        guard end < scalars.count else { throw ChainLayoutProblem(why: "the end of an entry was not found") }
        while end > start, " \t\r\n".unicodeScalars.contains(scalars[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Where the next `,`, `]` or `}` is that belongs to no bracket, quote or comment opened since `start`.
    func flowEnd(from start: Int) -> Int {
        var index = start
        var depth = 0
        // What a quote has to follow to be one: `it's` has none.
        var opensToken = true
        while index < scalars.count {
            let scalar = scalars[index]
            switch scalar {
            case "]" where depth == 0, "}" where depth == 0, "," where depth == 0: return index
            case "[", "{": depth += 1
            case "]", "}": depth -= 1
            case "\"" where opensToken, "'" where opensToken: index = quoteEnd(from: index)
            case "#" where index > 0 && " \t\n".unicodeScalars.contains(scalars[index - 1]):
                index = scalars[index...].firstIndex(of: "\n") ?? scalars.count
            default: break
            }
            if !" \t\r\n".unicodeScalars.contains(scalar) {
                opensToken = "[{,:".unicodeScalars.contains(scalar)
            }
            index += 1
        }
        return scalars.count
    }

    /// The closing quote of the one at `start`.
    private func quoteEnd(from start: Int) -> Int {
        let quote = scalars[start]
        var index = start + 1
        while index < scalars.count {
            if scalars[index] == "\\", quote == "\"" {
                index += 1
            } else if scalars[index] == quote {
                guard quote == "'", index + 1 < scalars.count, scalars[index + 1] == "'" else { return index }
                index += 1
            }
            index += 1
        }
        return scalars.count
    }
}

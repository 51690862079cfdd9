// A block list, line by line:
//
//     # comment lines directly above an item, no deeper than its dash     lead   } move
//     - strategy: cooldown                                                body   } together
//       per: campaign   # and deeper comment lines after it                      }
//                                                                         gap: blank lines and comments apart from any item
//     - strategy: once                                                    stay between the same positions

extension ChainText {
    /// The lines of one item, and the gap after it.
    private struct Block {
        var lead: Range<Int>
        var body: Range<Int>
        var gap: Range<Int>
    }

    func movingBlock(_ from: Int, to: Int) throws(ChainLayoutProblem) -> String {
        let blocks = try blocks()
        var order = Array(blocks.indices)
        order.insert(order.remove(at: from), at: to)
        var lines = Array(0..<blocks[0].lead.lowerBound)
        for (position, index) in order.enumerated() {
            lines += blocks[index].lead
            lines += blocks[index].body
            // Gaps belong to positions.
            lines += blocks[position].gap
        }
        lines += blocks[blocks.count - 1].gap.upperBound..<lineCount
        return text(of: lines)
    }

    /// The lines in that order. The file ends as it did: with or without an end of its last line.
    private func text(of lines: [Int]) -> String {
        let hasEnd = scalars.last == "\n"
        var result: Scalars = []
        for (position, index) in lines.enumerated() {
            var line = scalars[lineStarts[index]..<lineStarts[index + 1]]
            if position == lines.count - 1, !hasEnd { line = self.line(index) }
            result += line
            if position < lines.count - 1, line.last != "\n" { result += lineEnd }
        }
        return Self.string(result)
    }

    private func blocks() throws(ChainLayoutProblem) -> [Block] {
        let dashes = try dashes()
        guard let first = dashes.first else { throw ChainLayoutProblem(why: "the chain is empty") }
        let column = line(first).indentation
        var blocks: [Block] = []
        var lead = leadStart(above: first, column: column, from: firstLine)
        for (index, dash) in dashes.enumerated() {
            let isLast = index == dashes.count - 1
            let next = isLast ? endLine : leadStart(above: dashes[index + 1], column: column, from: dash + 1)
            let end = bodyEnd(from: dash, to: next, column: column)
            blocks.append(Block(lead: lead..<dash, body: dash..<end, gap: end..<next))
            lead = next
        }
        return blocks
    }

    /// The lines of the dashes.
    func dashes() throws(ChainLayoutProblem) -> [Int] {
        var dashes: [Int] = []
        for start in starts {
            var index = start - 1
            // Between a dash and its item may be spaces, ends of lines and comments.
            while index >= 0, " \r\n\t".unicodeScalars.contains(scalars[index]) || isInComment(index) {
                index -= 1
            }
            guard index >= 0, scalars[index] == "-",
                line(line(of: index)).prefix(index - lineStarts[line(of: index)]).isBlank
            else {
                throw ChainLayoutProblem(why: "an entry does not begin with '- ' on a line of its own")
            }
            dashes.append(line(of: index))
        }
        guard Set(dashes).count == dashes.count else {
            throw ChainLayoutProblem(why: "two entries share a line")
        }
        return dashes
    }

    /// Whether the scalar is in a comment after a dash that has the rest of its line to itself.
    private func isInComment(_ index: Int) -> Bool {
        let text = line(line(of: index))
        let rest = text.drop { " \t-".unicodeScalars.contains($0) }
        return rest.first == "#" && index >= rest.startIndex
    }

    /// Where the comment lines directly above a dash begin, not before `limit`.
    private func leadStart(above dash: Int, column: Int, from limit: Int) -> Int {
        var start = dash
        while start > limit, line(start - 1).isComment, line(start - 1).indentation <= column { start -= 1 }
        return start
    }

    /// Where an item ends: before the blank lines and the shallow comments that follow it.
    private func bodyEnd(from dash: Int, to next: Int, column: Int) -> Int {
        var end = next
        while end > dash + 1 {
            let text = line(end - 1)
            let isDeepComment = text.isComment && text.indentation > column
            guard text.isBlank || (text.isComment && !isDeepComment) || isMarker(text) else { break }
            end -= 1
        }
        return end
    }

    /// The end of a document.
    private func isMarker(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
        line.starts(with: "...".unicodeScalars) || line.starts(with: "---".unicodeScalars)
    }
}

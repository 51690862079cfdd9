import Yams

/// The items of the chain, found in the text of one file.
///
/// The text is an array of Unicode scalars, because that is how the parser counts columns, and because `\r\n` is one
/// character to Swift but a carriage return that has to survive here.
struct ChainText {
    typealias Scalars = [Unicode.Scalar]

    let scalars: Scalars
    /// Where each line begins, and the end of the text last.
    let lineStarts: [Int]
    /// The nodes of the items, as the parser has them.
    let items: [Node]
    /// Where each item begins: at its first key, or at its brace.
    let starts: [Int]
    /// Where the list begins: at its first dash, or at its bracket.
    let listStart: Int
    /// The line after the one with the key `chain`.
    let firstLine: Int
    /// The line of the next key of the document, or one past the last line.
    let endLine: Int

    init(_ text: String) throws(ChainLayoutProblem) {
        let text = text.withoutSurrogatePairs
        scalars = Array(text.unicodeScalars)
        var starts = [0]
        for index in scalars.indices where scalars[index].isBreak {
            if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { continue }
            starts.append(index + 1)
        }
        // A last line without an end is a line; nothing after the last end is none.
        if starts.last != scalars.count { starts.append(scalars.count) }
        lineStarts = starts
        let root = (try? Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()) ?? nil
        guard let members = root?.mapping,
            let chain = members.first(where: { $0.key.scalar?.string == "chain" }),
            let sequence = chain.value.sequence
        else { throw ChainLayoutProblem(why: "the text of the chain was not found") }
        items = Array(sequence)
        func offset(_ mark: Mark?) -> Int { Self.offset(mark, starts) }
        listStart = offset(sequence.mark)
        self.starts = items.map { offset($0.mark) }
        firstLine = chain.key.mark?.line ?? 0
        let ends = members.compactMap { $0.key.mark?.line }.filter { $0 > (sequence.mark?.line ?? 0) }
        endLine = ends.min().map { $0 - 1 } ?? starts.count - 1
        guard zip(self.starts, self.starts.dropFirst()).allSatisfy(<),
            self.starts.first.map({ $0 >= listStart }) ?? true
        else {
            throw ChainLayoutProblem(why: "an entry of the chain is an alias")
        }
    }

    /// Whether the list is written in brackets.
    var isFlow: Bool { scalars.indices.contains(listStart) && scalars[listStart] == "[" }

    /// The text with one item taken out and put in again where it then has the position `to`.
    func moving(_ from: Int, to: Int) throws(ChainLayoutProblem) -> String {
        isFlow ? try movingFlow(from, to: to) : try movingBlock(from, to: to)
    }

    // MARK: Lines

    var lineCount: Int { lineStarts.count - 1 }

    func line(of offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// The line without its end.
    func line(_ index: Int) -> ArraySlice<Unicode.Scalar> {
        var line = scalars[lineStarts[index]..<lineStarts[index + 1]]
        while line.last?.isBreak == true { line.removeLast() }
        return line
    }

    /// Where a mark of the parser is in a text with these lines.
    static func offset(_ mark: Mark?, _ lineStarts: [Int]) -> Int {
        guard let mark, lineStarts.indices.contains(mark.line - 1) else { return 0 }
        return min(lineStarts[mark.line - 1] + mark.column - 1, lineStarts[lineStarts.count - 1])
    }

    /// How lines end here: as the first one does.
    var lineEnd: Scalars {
        guard let end = scalars.firstIndex(of: "\n") else { return ["\n"] }
        return end > 0 && scalars[end - 1] == "\r" ? ["\r", "\n"] : ["\n"]
    }

    static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

extension Unicode.Scalar {
    /// What ends a line for the parser, which numbers them: more than what does in YAML 1.2.
    var isBreak: Bool { "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains(self) }
}

extension Collection<Unicode.Scalar> {
    var isBlank: Bool { allSatisfy { $0 == " " || $0 == "\t" } }
    var indentation: Int { prefix { $0 == " " }.count }
    var isComment: Bool { first { $0 != " " && $0 != "\t" } == "#" }
}

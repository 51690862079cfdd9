import BelfrySignals

/// What the latest signals got.
///
/// Hardly any signal comes twice. So blocks are kept as they are, and only when one is asked for are their signals put into a table.
struct RecentAnswers {
    private let limit: Int
    /// Those that are not in the table yet. All of them are later than what is.
    private var blocks = FirstInFirstOut<(block: SignalBlock, results: [SignalResult])>()
    private var lines: [SignalName: ArraySlice<UInt8>] = [:]
    private var order = FirstInFirstOut<SignalName>()
    private var bytes = 0
    /// Whether the oldest had to go.
    private(set) var hasForgotten = false
    private let heads = SignalHeadReader()

    /// - Parameter limit: in bytes.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ block: SignalBlock, _ results: [SignalResult]) {
        blocks.append((block, results))
        bytes += Self.size(of: block, results)
        shrink()
    }

    mutating func append(_ name: SignalName, _ lines: ArraySlice<UInt8>) {
        // A subject that was reset may have decided it anew.
        if let former = self.lines.updateValue(lines, forKey: name) {
            bytes -= Self.size(of: former)
        } else {
            order.append(name)
        }
        bytes += Self.size(of: lines)
        shrink()
    }

    /// Nil for one that is not known.
    mutating func lines(of name: SignalName) -> ArraySlice<UInt8>? {
        fillTable()
        return lines[name]
    }

    /// Leaves nothing of what a subject got.
    mutating func forget(_ subject: String) {
        fillTable()
        for name in lines.keys where name.subject.isSameText(as: subject) { remove(name) }
    }

    private mutating func remove(_ name: SignalName) {
        if let removed = lines.removeValue(forKey: name) { bytes -= Self.size(of: removed) }
    }

    private mutating func fillTable() {
        while let (block, results) = blocks.popFirst() {
            bytes -= Self.size(of: block, results)
            for (index, result) in results.enumerated() {
                guard case .decided(let lines) = result, let name = SignalName(block.withLine(index, heads.read)) else {
                    continue
                }
                append(name, lines)
            }
        }
    }

    private mutating func shrink() {
        while bytes > limit {
            hasForgotten = true
            if let name = order.popFirst() {
                remove(name)
            } else if let (block, results) = blocks.popFirst() {
                bytes -= Self.size(of: block, results)
            } else {
                return
            }
        }
    }

    /// With about what a name takes.
    private static func size(of lines: ArraySlice<UInt8>) -> Int { lines.count + 160 }

    private static func size(of block: SignalBlock, _ results: [SignalResult]) -> Int {
        results.reduce(block.size + 160) { size, result in
            if case .decided(let lines) = result { size + lines.count } else { size }
        }
    }
}

/// A queue that lets go of what has left it from time to time.
private struct FirstInFirstOut<Element> {
    private var elements: [Element?] = []
    private var first = 0

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        defer {
            elements[first] = nil
            first += 1
            if first > 1000, first > elements.count / 2 {
                elements.removeFirst(first)
                first = 0
            }
        }
        return elements[first]
    }
}

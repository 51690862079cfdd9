/// Lines up a name and numbers in columns, as wide as their widest cell; what comes after the numbers is text.
struct NumberTable {
    private var rows: [[String]]
    private let numbers: ClosedRange<Int>

    /// - Parameter numbers: the columns that are lined up at the right.
    init(_ header: [String], numbers: ClosedRange<Int>) {
        rows = [header.map { $0.uppercased() }]
        self.numbers = numbers
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Self.oneLine)) }

    var isEmpty: Bool { rows.count == 1 }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                let blank = String(repeating: " ", count: widths[column] - row[column].count)
                return numbers.contains(column) ? blank + row[column] : row[column] + blank
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    /// Of bearable length: what comes from outside may have any characters.
    private static func oneLine(_ cell: String) -> String {
        let text = cell.map { $0.isNewline || $0 == "\t" || $0 == "\u{1B}" ? " " : $0 }
        return text.count > 60 ? String(text.prefix(59)) + "…" : String(text)
    }
}

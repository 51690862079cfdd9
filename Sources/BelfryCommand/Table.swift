import BelfryModel

/// Lines up cells in columns, as wide as their widest cell.
struct Table {
    private var rows: [[String]]

    init(_ header: String...) { rows = [header.map { $0.uppercased() }] }

    mutating func add(_ cells: String...) { rows.append(cells) }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}

extension String? {
    /// On one line of bearable length: what comes from outside may have any characters. Empty for nil.
    var cell: String {
        let text = (self ?? "").onOneLine
        return text.count > 40 ? text.prefix(39) + "…" : text
    }
}

extension String {
    /// Without what would begin another line, or steer how text is shown.
    var onOneLine: String { String(map { $0.isNewline || $0.isControl ? " " : $0 }) }
}

extension Value? {
    var cell: String { (self?.text ?? self?.json).cell }
}

extension Character {
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

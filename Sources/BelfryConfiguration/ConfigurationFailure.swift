/// Why a configuration cannot be used: everything that is wrong with it, in file order.
public struct ConfigurationFailure: Error, Sendable, CustomStringConvertible {
    public var reports: [Report]

    public init(reports: [Report]) {
        self.reports = reports
    }

    /// One thing that is wrong.
    public struct Report: Sendable, Hashable {
        public var file: String
        /// From 1; nil when the file could not be read at all.
        public var line: Int?
        public var column: Int?
        /// The keys that lead to it, as for display; empty for the file as a whole.
        public var path: String
        public var found: String
        public var expected: String
        /// What to do, when there is more to say than "write what is expected".
        public var fix: String?

        /// - Parameter path: the keys that lead to it.
        package init(
            file: String, line: Int? = nil, column: Int? = nil, path: String, found: String, expected: String,
            fix: String? = nil
        ) {
            (self.file, self.line, self.column, self.path) = (file, line, column, path)
            (self.found, self.expected, self.fix) = (found, expected, fix)
        }
    }

    public var description: String {
        reports.map(\.description).joined(separator: "\n\n")
    }

    /// Both, in file order; what is wrong in one place already is not told a second time.
    package func joined(with other: ConfigurationFailure) -> ConfigurationFailure {
        let new = other.reports.filter { report in
            !reports.contains { ($0.file, $0.line, $0.path) == (report.file, report.line, report.path) }
        }
        let files = (reports + new).reduce(into: [String]()) { if !$0.contains($1.file) { $0.append($1.file) } }
        func order(_ report: Report) -> (Int, Int, Int) {
            (files.firstIndex(of: report.file) ?? 0, report.line ?? 0, report.column ?? 0)
        }
        return ConfigurationFailure(reports: (reports + new).sorted { order($0) < order($1) })
    }
}

extension ConfigurationFailure.Report: CustomStringConvertible {
    public var description: String {
        var text = "\(position)\n  found: \(found)\n  expected: \(expected)"
        if let fix { text += "\n  fix: \(fix)" }
        return text
    }

    /// The column is shown only where no path says it better.
    private var position: String {
        guard let line else { return file }
        guard path.isEmpty else { return "\(file):\(line): \(path)" }
        return column.map { "\(file):\(line):\($0)" } ?? "\(file):\(line)"
    }
}

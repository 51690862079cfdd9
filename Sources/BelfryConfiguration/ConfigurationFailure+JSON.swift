import BelfryModel

// What is wrong, as `belfry config check --json` and a service tell it.

extension ConfigurationFailure {
    /// All that is wrong, as a list.
    package var value: Value { .list(reports.map(\.value)) }

    /// Reads what `value` gives; nil if that is something else.
    package init?(json value: Value?) {
        guard let list = value?.list, !list.isEmpty else { return nil }
        let reports = list.compactMap(Report.init)
        guard reports.count == list.count else { return nil }
        self.reports = reports
    }
}

extension ConfigurationFailure.Report {
    fileprivate var value: Value {
        var fields = Fields([("file", .text(file))])
        fields["line"] = line.map { .integer(Int64($0)) }
        fields["column"] = column.map { .integer(Int64($0)) }
        fields["path"] = .text(path)
        fields["found"] = .text(found)
        fields["expected"] = .text(expected)
        fields["fix"] = fix.map { .text($0) }
        return .map(fields)
    }

    fileprivate init?(_ value: Value) {
        guard let fields = value.map, let file = fields["file"]?.text, let path = fields["path"]?.text,
            let found = fields["found"]?.text, let expected = fields["expected"]?.text
        else { return nil }
        self.init(
            file: file, line: fields["line"]?.integer.map { Int($0) },
            column: fields["column"]?.integer.map { Int($0) },
            path: path, found: found, expected: expected, fix: fields["fix"]?.text)
    }
}

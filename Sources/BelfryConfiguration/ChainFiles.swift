import BelfryModel

/// The chain as it lies in the files of a configuration, for one attempt to edit it.
struct ChainFiles {
    /// One entry: its id, its file and its place in that file's list.
    struct Entry {
        let id: String
        let part: ConfigurationFiles.Part
        let index: Int
    }

    let attempt: String
    let entries: [Entry]

    init(path: String, attempt: String) throws(ChainEditError) {
        let files = ConfigurationFiles(path: path)
        self.attempt = attempt
        // Wrong parameters do not stand in the way of an edit; unreadable files do.
        guard files.isComplete, files.reports.isEmpty else {
            throw ChainEditError(
                code: .unreadable, attempt: attempt,
                why: "the configuration cannot be read:\n\n\(files.reports.failure)\n",
                fix: "correct it first; 'belfry config check' tells whether it is")
        }
        entries = files.parts.flatMap { part in
            (part.root?["chain"]?.items ?? []).enumerated().map { index, item in
                Entry(id: (item["id"] ?? item["strategy"])?.value.text ?? "", part: part, index: index)
            }
        }
    }

    func position(of id: String) throws(ChainEditError) -> Int {
        let positions = entries.indices.filter { entries[$0].id == id }
        switch positions.count {
        case 1: return positions[0]
        case 0:
            let ids = entries.map(\.id)
            throw error(
                .unknownEntry,
                why: ids.isEmpty
                    ? "the configuration has no chain"
                    : "the chain has \(ids.joined(separator: ", ")), but no '\(id)'",
                fix: nearestMatch(to: id, among: ids).map { "did you mean '\($0)'?" }
                    ?? "name one of its entries, or add '\(id)' to the file")
        default:
            throw error(
                .ambiguousEntry, why: "the chain has \(positions.count) entries '\(id)'",
                fix: "give all but one of them another 'id'")
        }
    }

    /// Moves one entry within its file.
    func rearrange(from: Int, to: Int) throws(ChainEditError) -> ChainEditor.Change.Texts {
        let (source, target) = (entries[from], entries[to])
        guard source.part.file.order == target.part.file.order else {
            throw error(
                .otherFile,
                why:
                    "'\(source.id)' is in \(source.part.file.path), the place it would take in \(target.part.file.path)",
                fix: "move the lines by hand; files are joined in the order of 'include'")
        }
        var expected = try list(of: source)
        expected.insert(expected.remove(at: source.index), at: target.index)
        let text = try edit(source) { chain throws(ChainLayoutProblem) in
            try chain.moving(source.index, to: target.index)
        }
        return try write(text, of: source.part, chain: expected)
    }

    /// - Returns: nil when it was so already.
    func setEnabled(at position: Int, _ isEnabled: Bool) throws(ChainEditError) -> ChainEditor.Change.Texts? {
        let entry = entries[position]
        var expected = try list(of: entry)
        guard var fields = expected[entry.index].map else {
            throw error(.unsupportedLayout, why: "the entry is no mapping", fix: "correct it first")
        }
        guard (fields["enabled"] ?? true) != .bool(isEnabled) else { return nil }
        fields["enabled"] = .bool(isEnabled)
        expected[entry.index] = .map(fields)
        let text = try edit(entry) { chain throws(ChainLayoutProblem) in
            try chain.settingEnabled(entry.index, isEnabled)
        }
        return try write(text, of: entry.part, chain: expected)
    }

    private func list(of entry: Entry) throws(ChainEditError) -> [Value] {
        (entry.part.root?["chain"]?.items ?? []).map(\.value)
    }

    private func edit(
        _ entry: Entry, _ body: (ChainText) throws(ChainLayoutProblem) -> String
    ) throws(ChainEditError) -> String {
        do throws(ChainLayoutProblem) {
            let text = entry.part.text ?? ""
            let plain = text.withoutByteOrderMark
            return (plain.unicodeScalars.count < text.unicodeScalars.count ? "\u{FEFF}" : "")
                + (try body(ChainText(plain)))
        } catch {
            throw self.error(.unsupportedLayout, why: error.why, fix: error.fix)
        }
    }

    private func error(_ code: ChainEditError.Code, why: String, fix: String) -> ChainEditError {
        ChainEditError(code: code, attempt: attempt, why: why, fix: fix)
    }

    // MARK: Writing

    /// Writes the text when it says what was meant: this chain, and everything else as before.
    private func write(
        _ text: String, of part: ConfigurationFiles.Part, chain: [Value]
    ) throws(ChainEditError) -> ChainEditor.Change.Texts {
        var meant = part.root?.value.map ?? Fields()
        meant["chain"] = .list(chain)
        let read = ConfigurationNode.compose(text, file: part.file, reports: ConfigurationReports())
        guard read?.value == .map(meant) else {
            throw error(
                .unsupportedLayout,
                why: "the changed text of \(part.file.path) would say something else as well",
                fix: "edit the file by hand; an anchor, an alias or an unusual layout is in the way")
        }
        do {
            try AtomicFile.replace(part.file.path, with: text, ifStill: part.text ?? "")
            return ChainEditor.Change.Texts(before: part.text ?? "", now: text)
        } catch {
            throw self.error(
                .notWritable, why: "\(part.file.path) cannot be replaced: \(error)", fix: error.fix)
        }
    }
}

/// Why the layout of a list does not allow an edit.
struct ChainLayoutProblem: Error {
    var why: String
    var fix = "edit the file by hand, or write the chain with one '- ' per entry"
}

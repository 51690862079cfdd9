/// Edits the chain in the text of the configuration: the order of its entries, and which of them are enabled.
///
/// The text is changed, not written anew: comments, blank lines and layout stay. Comment lines directly above an entry move with
/// it. An edit is written only after the changed text has been read again and says exactly what was meant, and otherwise
/// nothing is; the file is replaced in one step.
///
///     ChainText          the items of the list, found in the text of one file
///     +Block, +Flow      the two ways YAML writes a list, and how items change places in each
///     +Enabled           how `enabled` is changed or added
public struct ChainEditor {
    /// The file named on the command line; the chain may be in one it includes.
    public let path: String

    public init(path: String) {
        self.path = path
    }

    /// Where an entry is to go.
    public enum Destination: Sendable, Hashable {
        case before(String)
        case after(String)
        case first
        case last
    }

    /// What an edit did. Positions count from 1, through the chain of all files.
    public struct Change: Sendable, Hashable, CustomStringConvertible {
        public var entry: String
        public var oldPosition: Int
        public var newPosition: Int
        /// For `setEnabled`: whether the entry is enabled now.
        public var isEnabled: Bool?
        /// False when everything was already as wanted; then the file was not written.
        public var isChanged: Bool
        /// The file that has the entry.
        public var file: String
        /// What the file said before, and says now; nil when it was not written.
        package var texts: Texts?

        package struct Texts: Sendable, Hashable {
            let before: String
            let now: String
        }

        public var description: String {
            let state = isEnabled.map { $0 ? "enabled" : "disabled" }
            switch (state, isChanged) {
            case (let state?, true): return "'\(entry)' is now \(state)"
            case (let state?, false): return "'\(entry)' was already \(state)"
            case (nil, true): return "'\(entry)' moved from position \(oldPosition) to \(newPosition)"
            case (nil, false): return "'\(entry)' is already at position \(oldPosition)"
            }
        }
    }

    /// Moves the entry `id`.
    public func move(_ id: String, to destination: Destination) throws(ChainEditError) -> Change {
        let attempt = "move '\(id)' \(destination.text)"
        let chain = try ChainFiles(path: path, attempt: attempt)
        let from = try chain.position(of: id)
        let to = try target(destination, from: from, in: chain)
        return Change(
            entry: id, oldPosition: from + 1, newPosition: to + 1, isEnabled: nil, isChanged: from != to,
            file: chain.entries[from].part.file.path,
            texts: from == to ? nil : try chain.rearrange(from: from, to: to))
    }

    /// Enables or disables the entry `id`.
    public func setEnabled(_ id: String, _ isEnabled: Bool) throws(ChainEditError) -> Change {
        let chain = try ChainFiles(path: path, attempt: "\(isEnabled ? "enable" : "disable") '\(id)'")
        let position = try chain.position(of: id)
        let texts = try chain.setEnabled(at: position, isEnabled)
        return Change(
            entry: id, oldPosition: position + 1, newPosition: position + 1, isEnabled: isEnabled,
            isChanged: texts != nil, file: chain.entries[position].part.file.path, texts: texts)
    }

    /// Takes an edit back.
    ///
    /// - Throws: if the file cannot be written, or was edited again since.
    package func takeBack(_ change: Change) throws {
        guard let texts = change.texts else { return }
        try AtomicFile.replace(change.file, with: texts.before, ifStill: texts.now)
    }

    /// The position the entry will have when it has been taken out and put in again.
    private func target(
        _ destination: Destination, from: Int, in chain: ChainFiles
    ) throws(ChainEditError) -> Int {
        switch destination {
        case .first: return 0
        case .last: return chain.entries.count - 1
        case .before(let other):
            let position = try chain.position(of: other)
            return position > from ? position - 1 : position
        case .after(let other):
            let position = try chain.position(of: other)
            return position < from ? position + 1 : position
        }
    }
}

extension ChainEditor.Destination {
    package var text: String {
        switch self {
        case .before(let id): "before '\(id)'"
        case .after(let id): "after '\(id)'"
        case .first: "to the front"
        case .last: "to the end"
        }
    }
}

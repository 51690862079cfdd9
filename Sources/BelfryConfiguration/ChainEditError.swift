/// Why the chain was not edited. The files are as they were.
public struct ChainEditError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case unreadable, unknownEntry, ambiguousEntry, otherFile, unsupportedLayout, notWritable

        /// The service answers with it; a sentence says enough without.
        public var expected: String {
            switch self {
            case .unreadable: "a configuration that can be read"
            case .unknownEntry: "an entry of the chain"
            case .ambiguousEntry: "an id that one entry alone has"
            case .otherFile: "a place in the file of the entry"
            case .unsupportedLayout: "a text that can be changed safely"
            case .notWritable: "a file that can be replaced"
            }
        }
    }

    public var code: Code
    /// What was tried: `move 'a' before 'b'`.
    public var attempt: String
    public var why: String
    public var fix: String

    public var what: String { "cannot \(attempt)" }
    public var description: String { "\(what)\n  why: \(why)\n  fix: \(fix)" }
}

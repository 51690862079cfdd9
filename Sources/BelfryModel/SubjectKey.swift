/// The id of a subject as a key: equal and in order byte by byte.
///
/// Swift's `==` takes é as one scalar and e with an accent for the same text. Senders do not, and neither does a database: two
/// spellings are two subjects everywhere.
public struct SubjectKey: Hashable, Comparable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static func == (left: SubjectKey, right: SubjectKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    public static func < (left: SubjectKey, right: SubjectKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: $0) }
    }
}

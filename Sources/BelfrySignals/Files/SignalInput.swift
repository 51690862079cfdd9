import BelfryModel
import Glibc

/// Where signals come from.
public struct SignalInput {
    package let descriptor: Int32
    /// As its user named it; nil for what cannot be read again, such as a pipe.
    package let file: String?
    /// The store whose journal it is, if it is one: the number of a line says which one of which entry, and its end is 0 if the entry ends with it.
    private let journal: String?
    /// The hash of the first 64 KiB, once so much was decided: it is asked for with each commit.
    private var beginning: UInt64?

    /// - Parameter file: the name of a regular file; then a run that was interrupted goes on where it stopped.
    public init(_ descriptor: Int32, file: String? = nil) {
        self.descriptor = descriptor
        self.file = file
        journal = nil
    }

    /// - Parameters:
    ///   - descriptor: readable when the journal may have grown.
    ///   - store: what tells the store of the journal from others.
    package init(_ descriptor: Int32, journalOf store: String) {
        self.descriptor = descriptor
        file = nil
        journal = store
    }

    /// Where in the file or the journal a run has come to; nil for what is neither.
    package mutating func position(offset: Int, line: Int, isFinished: Bool) throws -> InputPosition? {
        if let journal {
            return InputPosition(name: journal, offset: offset, line: line, isFinished: isFinished, fingerprint: 0)
        }
        if file != nil, beginning == nil, offset >= Self.head { beginning = try hash(0..<Self.head) }
        return try file.map {
            InputPosition(
                name: $0, offset: offset, line: line, isFinished: isFinished,
                fingerprint: try fingerprint(upTo: offset))
        }
    }

    /// Tells this beginning of a file from others: by its first 64 KiB and its last 4 KiB.
    private func fingerprint(upTo offset: Int) throws -> UInt64 {
        try hash(max(0, offset - Self.tail)..<offset, after: beginning ?? hash(0..<min(offset, Self.head)))
    }

    private static let (head, tail) = (64 << 10, 4 << 10)

    /// Of a piece of the file, which is shorter where the file ends before.
    private func hash(_ range: Range<Int>, after start: UInt64 = 0) throws -> UInt64 {
        do {
            return stableHash(try readBytes(of: descriptor, at: range.lowerBound, count: range.count), seed: start)
        } catch {
            throw InputFailure(reason: error.reason)
        }
    }

    /// Whether the file holds what was read then, as far as that went.
    package func begins(like position: InputPosition) throws -> Bool {
        try fingerprint(upTo: position.offset) == position.fingerprint
    }

    /// Goes to where the last run stopped.
    ///
    /// - Throws: `InputMismatch` if this is another file.
    package func resume(at position: InputPosition) throws {
        guard let file else { return }
        guard try begins(like: position) else { throw InputMismatch(file: file, position: position) }
        guard lseek(descriptor, off_t(position.offset), SEEK_SET) >= 0 else {
            throw InputFailure(reason: String(cString: strerror(errno)))
        }
    }
}

/// How much of a file has been decided: committed with what was decided.
package struct InputPosition: Equatable {
    /// The file as it was named then.
    package var name: String
    /// In bytes.
    package var offset: Int
    /// How many lines that are.
    package var line: Int
    /// Whether that was all of it.
    package var isFinished: Bool
    package var fingerprint: UInt64

    package init(name: String, offset: Int, line: Int, isFinished: Bool, fingerprint: UInt64) {
        (self.name, self.offset, self.line) = (name, offset, line)
        (self.isFinished, self.fingerprint) = (isFinished, fingerprint)
    }
}

/// The last run stopped within a file, and this is not it.
public struct InputMismatch: Error, CustomStringConvertible {
    let file: String
    let position: InputPosition

    public var description: String {
        """
        cannot go on with '\(file)'
          why: the last run with this store stopped in '\(position.name)' after line \(position.line), and this file does not begin like it
          fix: name that file to finish it, or add --from-start to read this one from its beginning and leave the rest of the other
        """
    }
}

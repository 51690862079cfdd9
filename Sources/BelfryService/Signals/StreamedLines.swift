import BelfryRuntime
import Hummingbird

/// The lines of a body, as far as they are wanted.
actor StreamedLines {
    private var iterator: RequestBody.AsyncIterator
    /// Nil if the body is not packed.
    private let gunzip: Gunzip?
    /// So many bytes come together, if there are more.
    private let piece: Int
    private var lines = LineBlocks()
    private var ready: [SignalBlock] = []
    private var (isRead, isAtEnd) = (false, false)
    /// What was read and is not unpacked yet.
    private var packed: ArraySlice<UInt8> = []
    /// So many bytes are unpacked before lines of them are decided: they may become a thousand times as many.
    private static let unpackedAtOnce = 8 << 10
    /// Since the last line that there is something to decide of.
    private var unpackedWithoutLine = 0
    /// Blank lines, and one that does not end, make no caller wait for a decision, so the work of unpacking them needs a bound of its own.
    static let limitWithoutLine = 8 << 20

    /// More than the limit was unpacked without a line that there is something to decide of.
    struct Excess: Error {}

    /// - Parameter hasLength: whether the request has a Content-Length. Such a client has the whole body, and does not wait for an answer
    ///   before it sends the rest: so lines are gathered into large blocks, which wait in the queue less often.
    init(_ body: RequestBody, hasLength: Bool, unpackedBy gunzip: sending Gunzip?) {
        (iterator, self.gunzip, piece) = (body.makeAsyncIterator(), gunzip, hasLength ? 256 << 10 : 1)
    }

    /// The next lines; nil at the end.
    ///
    /// - Throws: `Gunzip.Failure`, `Excess`.
    func next() async throws -> SignalBlock? {
        while ready.isEmpty, !isAtEnd {
            if unpackedWithoutLine > Self.limitWithoutLine { throw Excess() }
            try await readMore()
        }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    private func readMore() async throws {
        if !packed.isEmpty { return try unpack() }
        let bytes = try await readPiece()
        if bytes.isEmpty {
            isAtEnd = true
            try gunzip?.end()
            take(lines.end())
        } else if gunzip == nil {
            take(lines.take(bytes))
        } else {
            packed = bytes[...]
            try unpack()
        }
    }

    private func unpack() throws {
        let piece = Array(packed.prefix(Self.unpackedAtOnce))
        packed = packed.dropFirst(piece.count)
        try gunzip?.take(piece) { bytes in
            let block = lines.take(bytes)
            unpackedWithoutLine = block == nil ? unpackedWithoutLine + bytes.count : 0
            take(block)
        }
    }

    private func readPiece() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while !isRead, bytes.count < piece {
            var iterator = iterator
            let part = try await iterator.next(isolation: self)
            self.iterator = iterator
            if let part { bytes += part.readableBytesView } else { isRead = true }
        }
        return bytes
    }

    private func take(_ block: SignalBlock?) { if let block { ready.append(block) } }
}

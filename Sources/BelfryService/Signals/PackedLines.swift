import BelfryRuntime
import Hummingbird

/// The lines of a body that is packed, as far as they are wanted: whether its beginning is gzip is known before an answer begins.
actor PackedLines {
    private var iterator: RequestBody.AsyncIterator
    private let gunzip = Gunzip()
    private var lines = LineBlocks()
    private var ready: [SignalBlock] = []
    private var isAtEnd = false

    init(_ body: RequestBody) { iterator = body.makeAsyncIterator() }

    /// The next lines; nil at the end.
    ///
    /// - Throws: `Gunzip.Failure`.
    func next() async throws -> SignalBlock? {
        while ready.isEmpty, !isAtEnd { try await readMore() }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    private func readMore() async throws {
        var iterator = iterator
        let part = try await iterator.next(isolation: self)
        self.iterator = iterator
        guard let part else {
            isAtEnd = true
            try gunzip.end()
            if let block = lines.end() { ready.append(block) }
            return
        }
        try gunzip.take(Array(part.readableBytesView)) { piece in
            if let block = lines.take(piece) { ready.append(block) }
        }
    }
}

import BelfryRuntime
import Hummingbird

/// The lines of a body, as far as they are wanted.
actor StreamedLines {
    private var iterator: RequestBody.AsyncIterator
    /// Nil if the body is not packed.
    private let gunzip: Gunzip?
    private var lines = LineBlocks()
    private var ready: [SignalBlock] = []
    private var isAtEnd = false

    init(_ body: RequestBody, unpackedBy gunzip: sending Gunzip?) {
        (iterator, self.gunzip) = (body.makeAsyncIterator(), gunzip)
    }

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
            try gunzip?.end()
            return take(lines.end())
        }
        guard let gunzip else { return take(lines.take(part.readableBytesView)) }
        try gunzip.take(Array(part.readableBytesView)) { take(lines.take($0)) }
    }

    private func take(_ block: SignalBlock?) { if let block { ready.append(block) } }
}

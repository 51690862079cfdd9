import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfrySignals
import HTTPTypes
import Hummingbird

/// `POST /v1/signals`.
struct SignalRoutes: Sendable {
    let engine: ServiceEngine
    let metrics: Metrics
    let limits: Configuration.Service.Limits
    private var keys: IdempotencyKeys { engine.keys }

    var routes: [Route] { [Route(.post, "/v1/signals", .submit, take)] }

    private func take(_ call: Call) async throws -> Response {
        // Whether it comes too late was seen to with its head, by `BoundedSignalHandler`.
        if !engine.isDraining, let refusal { throw refusal }
        if let text = call.request.headers[.idempotencyKey] {
            return try await takeOnce(call, try IdempotencyKeys.key(text, of: call.caller ?? ""))
        }
        if call.hasLines, call.prefersMinimal { return try await takeLines(of: call) }
        if call.hasLines { return try await stream(call) }
        let body = try await body(of: call)
        return Response(try await answer([try block(body, of: call)], isMinimal: call.prefersMinimal, hasLines: false))
    }

    /// Why no signals are taken now, whatever they are; nil: they are.
    var refusal: Problem? {
        do {
            try engine.checkThatItTakes()
            return try engine.intake.isFull ? Problem.full : nil
        } catch {
            return error as? Problem ?? Problem.failing
        }
    }

    // MARK: Without a task

    /// Has the signals of a body decided that has come as a whole, and has no lines.
    ///
    /// - Throws: a problem if they cannot be.
    func begin(_ body: [UInt8], of call: Call) throws -> PendingResults {
        try engine.begin(try block(body, of: call), waitsForRoom: false)
    }

    /// The answer to them.
    ///
    /// - Throws: a problem if they were not decided.
    func reply(_ results: [SignalResult]?, of pending: PendingResults, to call: Call) throws -> Reply {
        var answer = SignalAnswer()
        let isMinimal = call.prefersMinimal
        let items = try answer.take(
            results.orThrow(engine.closed), of: pending.block, engine.answers, metrics,
            separator: isMinimal ? nil : .comma)
        return answer.reply(items, isMinimal: isMinimal, hasLines: false)
    }

    // MARK: Requests that are done once

    /// A request with a key: it is done once, and then its answer is given again.
    private func takeOnce(_ call: Call, _ key: IdempotencyKeys.Key) async throws -> Response {
        if let kept = try keys.begin(key) {
            let digest = call.digest(of: try await body(of: call))
            guard digest == kept.digest else { throw IdempotencyKeys.otherBody(key.text) }
            metrics.add(1, to: Metrics.replays)
            return kept.response
        }
        do {
            let (kept, isReplay) = try await take(call, key)
            keys.end(key, kept)
            if isReplay { metrics.add(1, to: Metrics.replays) }
            return isReplay ? kept.response : Response(kept.reply)
        } catch {
            keys.end(key, nil)
            throw error
        }
    }

    /// Does what the journal does not have of a request.
    ///
    /// - Returns: the answer, and whether it had all of it.
    private func take(_ call: Call, _ key: IdempotencyKeys.Key) async throws -> (IdempotencyKeys.Kept, Bool) {
        let body = try await body(of: call)
        let digest = call.digest(of: body)
        let former = try engine.parts.requests.find(key.digest, since: IdempotencyKeys.beginning)
        if let former, former.mark.body != digest { throw IdempotencyKeys.otherBody(key.text) }
        if former?.isWaiting == true { throw IdempotencyKeys.underWay(key.text) }
        let blocks = try blocks(body, of: call)
        let mark = RequestMark(
            key: key.digest, body: digest, isMinimal: former?.mark.isMinimal ?? call.prefersMinimal,
            count: blocks.reduce(0) { $0 + $1.count })
        let known = try former.map { try results(of: $0, to: blocks) } ?? []
        let reply = try await answer(blocks, isMinimal: mark.isMinimal, hasLines: call.hasLines, mark, known: known)
        let isWhole = known.count == mark.count && !known.contains { $0 == nil }
        return (IdempotencyKeys.kept(reply, digest: digest), former != nil && isWhole)
    }

    /// What became of the first signals of a request; nil for those that were erased since.
    private func results(of former: RequestLog.Found, to blocks: [SignalBlock]) throws -> [SignalResult?] {
        guard former.hasErased else { return former.results }
        let heads = SignalHeadReader()
        let names = blocks.flatMap { block in
            (0..<block.count).map { SignalName(block.withLine($0, heads.read)) }
        }
        // Where nothing was decided, nothing is blank: the journal does not have the name any more.
        let kept = try engine.answers.find(Set(names.compactMap(\.self)))
        return zip(former.results, names).map { result, name -> SignalResult? in
            guard case .decided(let lines)? = result, lines.isEmpty, let name, kept[name] == nil else { return result }
            return nil
        }
    }

    // MARK: Bounded requests

    /// - Parameters:
    ///   - mark: of a request that is to be done once.
    ///   - known: what became of its first signals; nil for those that are to be decided.
    private func answer(
        _ blocks: [SignalBlock], isMinimal: Bool, hasLines: Bool, _ mark: RequestMark? = nil,
        known: [SignalResult?] = []
    ) async throws -> Reply {
        var answer = SignalAnswer()
        var items: [UInt8] = []
        var known = known[...]
        let separator: SignalAnswer.Separator? = isMinimal ? nil : hasLines ? .newline : .comma
        for block in blocks {
            var block = block
            block.request = mark.map { ($0, answer.counts.signals) }
            let former = Array(known.prefix(block.count))
            known = known.dropFirst(former.count)
            let results = try await complete(former, of: block)
            items += try answer.take(results, of: block, engine.answers, metrics, separator: separator, former: former)
        }
        return answer.reply(items, isMinimal: isMinimal, hasLines: hasLines)
    }

    /// Has those of a block decided of which nothing is known.
    private func complete(_ known: [SignalResult?], of block: SignalBlock) async throws -> [SignalResult] {
        var results: [SignalResult] = []
        while results.count < block.count {
            let rest = known.dropFirst(results.count)
            if case let result?? = rest.first {
                results.append(result)
            } else {
                let end = rest.firstIndex { $0 != nil } ?? block.count
                results += try await engine.decide(block.part(results.count..<end))
            }
        }
        return results
    }

    private func blocks(_ body: [UInt8], of call: Call) throws -> [SignalBlock] {
        guard call.hasLines else { return [try block(body, of: call)] }
        var lines = LineBlocks()
        return [lines.take(body), lines.end()].compactMap(\.self)
    }

    private func block(_ body: [UInt8], of call: Call) throws -> SignalBlock {
        if call.isBinary { return try SignalBody.binary(call.request.head, body, type: call.contentType) }
        try call.checkType()
        return try call.hasBatch ? SignalBody.batch(body) : SignalBody.structured(body)
    }

    // MARK: NDJSON

    /// Lines in, one answer out.
    private func takeLines(of call: Call) async throws -> Response {
        var answer = SignalAnswer()
        do {
            let lines = try StreamedLines(call.openBody(), hasLength: call.hasLength, unpackedBy: call.gunzip)
            try await forEachBlock(of: lines, after: begin(lines), for: call) { block, results in
                _ = try answer.take(results, of: block, engine.answers, metrics, separator: nil)
            }
        } catch {
            throw Self.problem(of: error) ?? error
        }
        return Response(answer.reply([], isMinimal: true, hasLines: true))
    }

    /// Lines in, lines out, while they come.
    ///
    /// A body that finds no room, or is damaged at its beginning, is refused; of damage further on, the last line of the answer tells.
    /// A client may wait for the answer to begin before it sends a body without a length: so, unless it is packed, nothing is read before.
    private func stream(_ call: Call) async throws -> Response {
        let gunzip = try call.gunzip
        let mayWait = !call.hasLength && gunzip == nil
        let lines = StreamedLines(call.openBody(), hasLength: call.hasLength, unpackedBy: gunzip)
        let first: PendingResults?
        do { first = mayWait ? nil : try await begin(lines) } catch { throw Self.problem(of: error) ?? error }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                var (answer, copy) = (SignalAnswer(), writer)
                do {
                    try await forEachBlock(of: lines, after: first, for: call) { block, results in
                        let lines = try answer.take(results, of: block, engine.answers, metrics, separator: .newline)
                        try await copy.write(ByteBuffer(bytes: lines))
                    }
                } catch {
                    guard let problem = Self.problem(of: error) else { throw error }
                    try await copy.write(ByteBuffer(string: problem.value.json + "\n"))
                }
                try await copy.finish(nil)
            })
    }

    /// Has the first lines decided, if there is room.
    private func begin(_ lines: StreamedLines) async throws -> PendingResults? {
        try await lines.next().map { try engine.begin($0, waitsForRoom: false) }
    }

    /// Has the next lines decided, as soon as there is room.
    private func goOn(_ lines: StreamedLines) async throws -> PendingResults? {
        try await lines.next().map { try engine.begin($0, waitsForRoom: true) }
    }

    /// The next lines are read, and their turn comes, while those before are decided and answered.
    ///
    /// - Parameter first: nil: nothing was read yet.
    private func forEachBlock(
        of lines: StreamedLines, after first: PendingResults?, for call: Call,
        _ body: (SignalBlock, [SignalResult]) async throws -> Void
    ) async throws {
        var pending = if let first { first } else { try await goOn(lines) }
        var admission = StandingAdmission(of: call)
        while let current = pending {
            async let next = goOn(lines)
            try await body(current.block, engine.results(of: current))
            pending = try await next
            if !admission.holds() { throw NotAllowed() }
        }
    }

    /// What ends lines before their end, and is to be told; nil for anything else.
    private static func problem(of error: any Error) -> Problem? {
        switch error {
        case is Gunzip.Failure: SignalBody.notGzip
        case is StreamedLines.Excess: SignalBody.withoutLines
        case is NotAllowed: notAllowed
        default: nil
        }
    }

    private struct NotAllowed: Error {}

    private static let notAllowed = Problem(
        .unauthorized, "unauthorized", "the token has expired, or is not known any more; what came before is decided",
        fix: "send the rest with another one")

    private func body(of call: Call) async throws -> [UInt8] {
        // What the head is refused for is not asked for.
        try call.checkType()
        let gunzip = try call.gunzip
        let bytes = try await call.body(atMost: limits.body)
        guard let gunzip else { return bytes }
        var unpacked: [UInt8] = []
        try unpacking {
            try gunzip.take(bytes) { piece in
                guard unpacked.count + piece.count <= limits.body else { throw Problem.tooLarge(limits.body) }
                unpacked += piece
            }
            try gunzip.end()
        }
        return unpacked
    }

    private func unpacking(_ body: () throws -> Void) throws {
        do { try body() } catch is Gunzip.Failure { throw SignalBody.notGzip }
    }
}

extension SignalBlock {
    /// Some of its lines alone.
    fileprivate func part(_ range: Range<Int>) -> SignalBlock {
        if range.upperBound == count { return dropFirst(range.lowerBound) }
        var (bytes, lines): ([UInt8], [Line]) = ([], [])
        for index in range {
            let start = bytes.count
            withLine(index) { bytes.append(contentsOf: $0) }
            lines.append(Line(start..<bytes.count, number: self.lines[index].number))
        }
        var part = bytes.withUnsafeBytes { SignalBlock($0, lines: lines) }
        part.request = request.map { ($0.mark, $0.first + range.lowerBound) }
        return part
    }
}

extension Call {
    fileprivate func digest(of body: [UInt8]) -> String {
        IdempotencyKeys.digest(of: body, request.head, type: contentType)
    }

    /// Whether the attributes of an event are in headers. CloudEvents HTTP binding, section 3: a type of CloudEvents goes before those.
    fileprivate var isBinary: Bool {
        contentType?.hasPrefix("application/cloudevents") != true
            && request.headers.contains { $0.name.canonicalName.hasPrefix("ce-") }
    }

    fileprivate var hasLength: Bool { request.headers[.contentLength] != nil }

    fileprivate var hasLines: Bool { !isBinary && contentType == "application/x-ndjson" }

    fileprivate var hasBatch: Bool { contentType == "application/cloudevents-batch+json" }

    /// - Throws: a problem if signals do not come as that.
    fileprivate func checkType() throws {
        if isBinary || hasLines || hasBatch || contentType == "application/cloudevents+json" { return }
        throw SignalBody.unsupported(contentType)
    }

    /// RFC 7240, section 2: the answer may be left out.
    fileprivate var prefersMinimal: Bool {
        request.headers.contains(.prefer)
            && request.headers[values: .prefer].joined(separator: ",").split(separator: ",").contains {
                // Its value may be in quotes, and parameters may follow.
                $0.prefix { $0 != ";" }.filter { !" \t\"".contains($0) }.lowercased() == "return=minimal"
            }
    }

    /// Unpacks the body; nil if it is not packed.
    fileprivate var gunzip: Gunzip? {
        get throws {
            switch request.headers[.contentEncoding]?.lowercased() {
            case nil, "identity": return nil
            case "gzip", "x-gzip": return Gunzip()
            case let other?:
                throw Problem(
                    .unsupportedMediaType, "unsupported-encoding", "the body is packed in another way", found: other,
                    expected: "gzip or identity", fix: "pack it with gzip, or not at all"
                ).with(.acceptEncoding, "gzip")
            }
        }
    }
}

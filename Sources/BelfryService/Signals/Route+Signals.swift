import BelfryEngine
import BelfryModel
import BelfryRuntime
import HTTPTypes
import Hummingbird

/// `POST /v1/signals`.
struct SignalRoutes: Sendable {
    let engine: ServiceEngine
    let metrics: Metrics
    let limits: Configuration.Service.Limits

    var routes: [Route] { [Route(.post, "/v1/signals", .submit, take)] }

    private func take(_ call: Call) async throws -> Response {
        try engine.checkThatItTakes()
        if try engine.intake.isFull { throw Problem.full }
        let isMinimal = call.prefersMinimal
        let isBinary = call.request.headers.contains { $0.name.canonicalName.hasPrefix("ce-") }
        if !isBinary, call.contentType == "application/x-ndjson" {
            return isMinimal ? try await takeLines(of: call) : stream(call)
        }
        let bytes = try await body(of: call)
        let block =
            switch call.contentType {
            case _ where isBinary: try SignalBody.binary(call.request.head, bytes, type: call.contentType)
            case "application/cloudevents+json": try SignalBody.structured(bytes)
            case "application/cloudevents-batch+json": try SignalBody.batch(bytes)
            case let type: throw SignalBody.unsupported(type)
            }
        return try await answer(block, isMinimal: isMinimal)
    }

    private func answer(_ block: SignalBlock, isMinimal: Bool) async throws -> Response {
        var answer = SignalAnswer()
        let results = try await engine.decide(block, waitsForRoom: false)
        let items = try answer.take(results, of: block, engine.answers, metrics, isMinimal: isMinimal)
        if isMinimal { return Response(json: ["counts": answer.counts.value]) }
        var json = Array(#"{"results":["#.utf8)
        json += items.joined(separator: [UInt8(ascii: ",")])
        json += Array(#"],"counts":\#(answer.counts.value.json)}"#.utf8)
        return Response(bytes: json)
    }

    // MARK: NDJSON

    /// Lines in, one answer out.
    private func takeLines(of call: Call) async throws -> Response {
        var answer = SignalAnswer()
        try await forEachBlock(of: call) { block in
            let results = try await engine.decide(block, waitsForRoom: true)
            _ = try answer.take(results, of: block, engine.answers, metrics, isMinimal: true)
        }
        return Response(json: ["counts": answer.counts.value])
    }

    /// Lines in, lines out, while they come.
    private func stream(_ call: Call) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                var answer = SignalAnswer()
                var copy = writer
                try await forEachBlock(of: call) { block in
                    let results = try await engine.decide(block, waitsForRoom: true)
                    let lines = try answer.take(results, of: block, engine.answers, metrics, isMinimal: false)
                    try await copy.write(ByteBuffer(bytes: Array(lines.map { $0 + [UInt8(ascii: "\n")] }.joined())))
                }
                try await copy.finish(nil)
            })
    }

    private func forEachBlock(of call: Call, _ body: (SignalBlock) async throws -> Void) async throws {
        var lines = LineBlocks()
        let gunzip = try call.gunzip
        for try await part in call.request.body {
            var pieces = [Array(part.readableBytesView)]
            if let gunzip {
                let packed = pieces[0]
                pieces = []
                try unpacking { try gunzip.take(packed) { pieces.append($0) } }
            }
            for piece in pieces { if let block = lines.take(piece) { try await body(block) } }
        }
        if let gunzip { try unpacking { try gunzip.end() } }
        if let block = lines.end() { try await body(block) }
    }

    // MARK: Bounded bodies

    private func body(of call: Call) async throws -> [UInt8] {
        let bytes = try await call.body(atMost: limits.body)
        guard let gunzip = try call.gunzip else { return bytes }
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

extension Call {
    /// RFC 7240: the answer may be left out.
    fileprivate var prefersMinimal: Bool {
        request.headers[values: HTTPField.Name("Prefer")!].joined(separator: ",").split(separator: ",").contains {
            $0.filter { $0 != " " }.lowercased().hasPrefix("return=minimal")
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

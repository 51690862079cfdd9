import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import BelfryService

/// Requests that come too slowly, and connections that nothing comes of, whose time is moved by hand.
@Suite struct RequestWatchTests {
    private let channel = EmbeddedChannel()
    private let metrics = Metrics()
    private let connections = Connections(limit: 2)

    init() throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (16 << 10, 16 << 10, 100)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try channel.pipeline.syncOperations.addHandler(ConnectionWatch(connections, idle: .seconds(60), metrics))
        try channel.pipeline.syncOperations.addHandler(ContinueHandler())
        try channel.pipeline.syncOperations.addHandler(RequestWatch(idle: .seconds(60), metrics))
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    private func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    private var answer: String {
        get throws {
            var text = ""
            while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
            return text
        }
    }

    @Test func `a head has ten seconds`() throws {
        pass(30)
        try send("GET / HTTP/1.1\r\nHo")
        pass(9)
        try send("st: x")
        #expect(channel.isActive)
        pass(1)
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(answer)")
        #expect(answer.contains(#""code":"slow-head""#))
        #expect(!channel.isActive)
        #expect(metrics.text([]).contains(#"belfry_http_requests_total{method="other",status="408"} 1"#))
        #expect(metrics.text([]).contains(#"belfry_limits_total{limit="slow-head"} 1"#))
    }

    private static let waiting =
        "POST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"

    @Test func `a client that waits for it is told to send its body when that is wanted`() throws {
        try send(Self.waiting)
        #expect(try answer == "")
        try write(.head(HTTPResponse(status: .continue)))
        #expect(try answer == "HTTP/1.1 100 Continue\r\n\r\n")
        try send("hello")
        try write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])), .end(nil))
        #expect(try answer.hasPrefix("HTTP/1.1 200") && channel.isActive)
        // One that has gone on by itself is not told so.
        try send(Self.waiting + "hello")
        try write(.head(HTTPResponse(status: .continue)))
        #expect(try answer == "")
    }

    @Test func `a body that was told to come, and does not, is too slow`() throws {
        try send(Self.waiting)
        try write(.head(HTTPResponse(status: .continue)))
        pass(30)
        #expect(try answer.contains(#""code":"slow-body""#))
    }

    @Test func `a client that is answered while it waits has no other answer on its connection`() throws {
        try send(Self.waiting)
        try write(.head(HTTPResponse(status: .unauthorized, headerFields: [.contentLength: "0"])), .end(nil))
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n") && answer.contains("Connection: close"))
        #expect(!channel.isActive)
    }

    @Test func `a body brings a KiB a second`() throws {
        try send("POST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        for _ in 0..<3 {
            try send(String(repeating: "x", count: 31 << 10))
            pass(30)
            #expect(channel.isActive)
        }
        try send("x")
        pass(30)
        #expect(try answer.contains(#""code":"slow-body""#))
        #expect(!channel.isActive)
    }

    private static let lines =
        "POST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: 10\r\n\r\n"

    @Test func `lines that are streamed take their time as long as they are whole`() throws {
        try send(Self.lines + "{}\n")
        pass(59)
        try send("{}\n")
        pass(59)
        #expect(channel.isActive)
        try send("{")
        pass(60)
        #expect(try answer.contains(#""code":"slow-body""#))
        #expect(!channel.isActive)
    }

    @Test func `lines that no more come of are answered, and the connection ends`() throws {
        try send(Self.lines + "{}\n")
        // As long as what came is not taken, the silence is not the client's.
        pass(600)
        #expect(try received().last?.isEnd == false)
        channel.read()
        pass(60)
        #expect(try received().last?.isEnd == true)
        #expect(channel.isActive)
        try write(.head(HTTPResponse(status: .ok)), .end(nil))
        #expect(try answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!channel.isActive)
    }

    @Test func `whoever waits for an answer waits`() throws {
        try send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        pass(600)
        #expect(try channel.isActive && answer.isEmpty)
        try write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])), .end(nil))
        pass(59)
        #expect(channel.isActive)
        pass(1)
        #expect(!channel.isActive)
    }

    @Test func `a client that does not read its answer is let go of`() throws {
        try send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for isWritable in [false, true, false] {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
            pass(29)
        }
        #expect(channel.isActive)
        pass(1)
        #expect(!channel.isActive)
        #expect(metrics.text([]).contains(#"belfry_limits_total{limit="slow-reader"} 1"#))
    }

    @Test func `at the limit the connection goes that is without a whole request for longest`() throws {
        let second = EmbeddedChannel()
        #expect(connections.enter(second))
        try send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])), .end(nil))
        let third = EmbeddedChannel()
        #expect(connections.enter(third))
        #expect(channel.isActive)
        #expect(throws: ChannelError.alreadyClosed) { try second.finish() }
        // Both are at work then: there is no place.
        connections.begin(third)
        try send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(!connections.enter(EmbeddedChannel()))
        connections.leave(third)
        #expect(connections.count == 1)
    }

    @Test func `a request that is answered before it has come as a whole is over when it has`() throws {
        try send("POST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n12")
        try write(.head(HTTPResponse(status: .serviceUnavailable, headerFields: [.contentLength: "0"])), .end(nil))
        #expect(try answer.hasPrefix("HTTP/1.1 503"))
        try send("34")
        #expect(connections.busy == 0)
        // The answer to one before is none to the one that is still coming.
        try send("GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n12")
        try write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])), .end(nil))
        try send("34")
        #expect(connections.busy == 1)
        try write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])), .end(nil))
        #expect(try answer.hasPrefix("HTTP/1.1 200"))
        #expect(connections.busy == 0)
        try send("GET / HT")
        pass(10)
        #expect(try answer.contains(#""code":"slow-head""#))
        #expect(!channel.isActive)
    }

    private func write(_ parts: HTTPResponsePart...) throws { for part in parts { try channel.writeOutbound(part) } }

    private func received() throws -> [HTTPRequestPart] {
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return parts
    }

    @Test func `a head that is too large is told so`() throws {
        try? send("GET / HTTP/1.1\r\nHost: x\r\nLong: " + String(repeating: "x", count: 20 << 10) + "\r\n\r\n")
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"), "\(answer)")
        #expect(answer.contains(#""expected":"at most 16 KiB in 100 fields""#))
    }

    @Test(arguments: [
        ("NONSENSE\r\n\r\n", "invalid HTTP method"), ("GET / HTTP/3.1\r\n\r\n", "invalid HTTP version"),
        ("GET / HTTP/1.1\r\nA b: c\r\n\r\n", "invalid character in header"),
    ])
    func `a head that is none of HTTP is told so`(head: String, why: String) throws {
        try? send(head)
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
        #expect(answer.contains("Content-Type: application/problem+json\r\n"))
        #expect(answer.contains("Date: ") && answer.contains("X-Content-Type-Options: nosniff\r\n"), "\(answer)")
        #expect(answer.contains(#""code":"malformed-head""#) && answer.contains("\"found\":\"\(why)\""), "\(answer)")
        #expect(!channel.isActive)
    }

    @Test func `a head that is none of HTTP is told so behind the answers to those before it`() throws {
        try? send("GET / HTTP/1.1\r\nHost: x\r\n\r\nNONSENSE\r\n\r\n")
        #expect(try answer == "")
        try write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])), .end(nil))
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
        #expect(!channel.isActive)
    }

    @Test func `a head that is none of HTTP is told so behind a body that came after its answer`() throws {
        try? send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
        try write(.head(HTTPResponse(status: .unauthorized, headerFields: [.contentLength: "0"])), .end(nil))
        try? send("12345NONSENSE\r\n\r\n")
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"), "\(answer)")
        #expect(answer.contains("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
    }

    @Test func `what comes behind the last request is not answered`() throws {
        try? send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nNONSENSE\r\n\r\n")
        try write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])), .end(nil))
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && !answer.contains("400"), "\(answer)")
    }
}

extension HTTPRequestPart {
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}

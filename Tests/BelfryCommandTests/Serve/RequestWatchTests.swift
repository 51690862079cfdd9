import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Testing

@testable import BelfryService

/// Requests that come too slowly, on a connection whose time is moved by hand.
@Suite struct RequestWatchTests {
    private let channel = EmbeddedChannel()
    private let metrics = Metrics()

    init() throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (16 << 10, 16 << 10, 100)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try channel.pipeline.syncOperations.addHandler(RequestWatch(metrics))
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

    @Test func `lines that are streamed take their time, and so does whoever waits for an answer`() throws {
        try send(
            "POST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: 10\r\n\r\n{")
        pass(300)
        #expect(channel.isActive)
        try send("         ")
        pass(300)
        #expect(try channel.isActive && answer.isEmpty)
    }

    @Test func `a head that is too large is told so`() throws {
        try? send("GET / HTTP/1.1\r\nHost: x\r\nLong: " + String(repeating: "x", count: 20 << 10) + "\r\n\r\n")
        let answer = try answer
        #expect(answer.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"), "\(answer)")
        #expect(answer.contains(#""expected":"at most 16 KiB in 100 fields""#))
    }
}

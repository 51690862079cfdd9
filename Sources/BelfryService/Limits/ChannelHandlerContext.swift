import HTTPTypes
import NIOCore
import NIOHTTPTypes

extension ChannelHandlerContext {
    /// Does that later, on the event loop that the handler belongs to.
    func schedule(in time: TimeAmount, _ body: @escaping () -> Void) -> Scheduled<Void> {
        eventLoop.assumeIsolated().scheduleTask(in: time, body)
    }

    /// Answers with a problem, and ends the connection.
    func write(_ problem: Problem) {
        let body = Array(problem.value.json.utf8)
        var fields = problem.headers
        fields[.contentType] = "application/problem+json"
        fields[.contentLength] = "\(body.count)"
        fields[.connection] = "close"
        write(.init(HTTPResponsePart.head(HTTPResponse(status: problem.status, headerFields: fields))), promise: nil)
        write(.init(HTTPResponsePart.body(ByteBuffer(bytes: body))), promise: nil)
        writeAndFlush(.init(HTTPResponsePart.end(nil)), promise: nil)
        close(promise: nil)
    }
}

extension HTTPRequest {
    /// Whether its body has lines that are answered while they come.
    var isStreamed: Bool { headerFields[.contentType]?.lowercased().hasPrefix("application/x-ndjson") == true }
}

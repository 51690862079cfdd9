import HTTPTypes
import NIOCore
import NIOHTTPTypes

extension ChannelHandlerContext {
    /// Answers with a problem, and ends the connection.
    func write(_ problem: Problem) {
        var (reply, date) = (problem.reply(at: "/"), DateField())
        for field in RouteTable.headers { reply.headers[field.name] = field.value }
        (reply.headers[.date], reply.headers[.connection]) = (date.now, "close")
        write(reply)
        close(promise: nil)
    }

    /// Answers.
    func write(_ reply: Reply) {
        var fields = reply.headers
        fields[.contentLength] = "\(reply.bytes.count)"
        write(.init(HTTPResponsePart.head(HTTPResponse(status: reply.status, headerFields: fields))), promise: nil)
        write(.init(HTTPResponsePart.body(ByteBuffer(bytes: reply.bytes))), promise: nil)
        writeAndFlush(.init(HTTPResponsePart.end(nil)), promise: nil)
    }
}

extension HTTPRequest {
    /// Whether its body has lines that are answered while they come.
    var isStreamed: Bool { headerFields.value(.contentType)?.lowercased().hasPrefix("application/x-ndjson") == true }
}

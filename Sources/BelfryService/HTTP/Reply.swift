import BelfryModel
import HTTPTypes
import Hummingbird

/// An answer that is known as a whole.
struct Reply {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var bytes: [UInt8]

    init(bytes: [UInt8], status: HTTPResponse.Status = .ok, type: String = "application/json") {
        (self.status, headers, self.bytes) = (status, [.contentType: type], bytes)
    }

    init(json value: Value, status: HTTPResponse.Status = .ok, type: String = "application/json") {
        self.init(bytes: Array(value.json.utf8), status: status, type: type)
    }
}

extension Response {
    init(_ reply: Reply) {
        self.init(
            status: reply.status, headers: reply.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.bytes)))
    }

    init(json value: Value, status: HTTPResponse.Status = .ok) { self.init(Reply(json: value, status: status)) }

    init(bytes: [UInt8], type: String = "application/json") { self.init(Reply(bytes: bytes, type: type)) }
}

import BelfryModel
import HTTPTypes
import Hummingbird

extension Response {
    init(json value: Value, status: HTTPResponse.Status = .ok, type: String = "application/json") {
        self.init(bytes: Array(value.json.utf8), status: status, type: type)
    }

    init(bytes: [UInt8], status: HTTPResponse.Status = .ok, type: String = "application/json") {
        self.init(
            status: status, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

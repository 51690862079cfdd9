import Foundation
import Hummingbird
import Logging

/// What Belfry's service is compared with: the same server, and nothing behind it. What comes is the answer.
let router = Router()
router.post("/echo") { request, context in
    Response(status: .ok, body: ResponseBody(byteBuffer: try await request.body.collect(upTo: context.maxUploadSize)))
}
let application = Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in
        FileHandle.standardError.write(Data("listening at \(channel.localAddress?.port ?? 0)\n".utf8))
    }, logger: Logger(label: "echo") { _ in SwiftLogNoOpLogHandler() })
try await application.runService()

import Foundation
import Testing

@testable import BelfryService

/// What a service tells its supervisor, and takes over from its caller.
@Suite struct SupervisionTests {
    @Test func `a supervisor hears that the service is ready, goes on, and ends`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\n"])
        let socket = try NoticeSocket(at: place.url.appending(path: "notify").path)
        let service = try LiveService(
            in: place, "--clock", "signals",
            environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "100000"])
        // It is alive before it is ready.
        var first = try socket.next()
        while first == "WATCHDOG=1" { first = try socket.next() }
        #expect(first == "READY=1")
        for _ in 0..<3 { #expect(try socket.next() == "WATCHDOG=1") }
        #expect(service.stop() == 0)
        var last = try socket.next()
        while last == "WATCHDOG=1" { last = try socket.next() }
        #expect(last == "STOPPING=1")
    }

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", nil),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", nil),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", nil),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", nil), ("nonsense", nil),
    ])
    func `a trace is taken over if it is one`(text: String, trace: String?) {
        #expect(TraceContext(text)?.trace == trace)
    }
}

/// A socket of a supervisor (sd_notify(3)).
private final class NoticeSocket {
    let path: String
    private let descriptor: Int32

    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isBound == 0 else { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }

    func next() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw POSIXError(.EIO) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

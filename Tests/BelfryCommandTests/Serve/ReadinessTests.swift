import Foundation
import Testing

/// What `/readyz` says while a service begins.
@Suite struct ReadinessTests {
    private static let configuration = """
        app: shop
        store: "memory:"
        campaigns: [ { id: hello, message: Hello } ]
        """

    @Test func `whoever is told that it is ready is not refused`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        for _ in 0..<60 {
            let (api, management) = (try Self.freePort(), try Self.freePort())
            let process = Process()
            process.executableURL = Command.folder.appending(path: "belfry")
            process.arguments = ["serve", "--listen", "127.0.0.1:\(api)", "--manage", "127.0.0.1:\(management)"]
            process.currentDirectoryURL = place.url
            process.environment = ["XDG_CACHE_HOME": Command.cache.path, "PATH": "/usr/bin:/bin"]
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            defer { process.end(within: 0) }
            let probe = PlainClient(port: management, token: "")
            while (try? probe.ask("GET", "/readyz").status) != 200 { try #require(process.isRunning) }
            // Without a token it is 401, and that is an answer.
            let answer = try? PlainClient(port: api, token: "none").ask("GET", "/v1/config")
            #expect(answer?.status == 401)
        }
    }

    /// One that was free a moment ago.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(INADDR_LOOPBACK).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let place = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            return bind(descriptor, place, size) == 0 && getsockname(descriptor, place, &size) == 0
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}

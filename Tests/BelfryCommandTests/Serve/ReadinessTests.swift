import Foundation
import Testing

/// What `/readyz` says while a service begins and ends, so often as the environment says (`make service-restarts`).
@Suite struct ReadinessTests {
    private static let configuration = """
        app: shop
        store: sqlite:belfry.db
        serve: { tokens: tokens.yaml }
        campaigns: [ { id: hello, message: Hello, triggers: [ { on: request } ] } ]
        """

    private let restarts = Load.number("BELFRY_RESTARTS") ?? 60
    private let place: Workplace
    private let token: String

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration])
        token = try place.belfry("tokens", "new", "all", "--role", "admin").lines[0]
    }

    @Test func `whoever is told that it is ready is not refused, however often it was killed`() throws {
        var waits: [Swift.Duration] = []
        for number in 0..<restarts {
            let life = try Life(of: place, token)
            waits.append(try life.untilReady())
            try #require(life.post("s-\(number)") == 200, "start \(number): it is ready, and refuses")
            if number % 2 == 0 { life.process.end(within: 0) } else { try end(life, number) }
        }
        print("\(restarts) restarts: ready after \(waits.sorted()[waits.count / 2]), \(waits.max()!) at most")
    }

    /// Asks it to end, and posts on. A client that was refused, and asks after that, is not told that it is ready.
    private func end(_ life: Life, _ number: Int) throws {
        kill(life.process.processIdentifier, SIGTERM)
        var posts = 0
        while life.post("e-\(number)-\(posts)") == 200 { posts += 1 }
        #expect(life.readiness != 200, "end \(number): it refuses, and says that it is ready")
        life.process.end()
        #expect(life.process.terminationStatus == 0)
    }
}

/// A service from its start to its end, at ports that were free.
private struct Life {
    let process = Process()
    private let client, probe: PlainClient

    init(of place: Workplace, _ token: String) throws {
        let (api, management) = try Self.freePorts()
        process.executableURL = Command.folder.appending(path: "belfry")
        process.arguments = ["serve", "--listen", "127.0.0.1:\(api)", "--manage", "127.0.0.1:\(management)"]
        process.currentDirectoryURL = place.url
        process.environment = ["XDG_CACHE_HOME": Command.cache.path, "PATH": "/usr/bin:/bin"]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        (client, probe) = (PlainClient(port: api, token: token), PlainClient(port: management, token: ""))
    }

    /// Nil without an answer.
    var readiness: Int? { try? probe.ask("GET", "/readyz").status }

    func untilReady() throws -> Swift.Duration {
        let began = ContinuousClock.now
        while readiness != 200 { try #require(process.isRunning) }
        return .now - began
    }

    /// - Returns: the status; nil without an answer.
    func post(_ id: String) -> Int? {
        let signal = #"{"id":"\#(id)","type":"notification.requested","subject":"\#(id)","data":{"campaign":"hello"}}"#
        return try? client.ask(
            "POST", "/v1/signals", headers: ["Content-Type": "application/cloudevents+json"], body: Array(signal.utf8)
        ).status
    }

    /// Two that were free a moment ago: both at once, so that they differ. The system gives none of these to other tests meanwhile, as it would
    /// those above 32767.
    private static func freePorts() throws -> (UInt16, UInt16) {
        let sockets = (0..<2).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for socket in sockets { close(socket) } }
        return (try freePort(for: sockets[0]), try freePort(for: sockets[1]))
    }

    private static func freePort(for descriptor: Int32) throws -> UInt16 {
        let port = (20_000..<32_000).shuffled().lazy.map { UInt16($0) }.first { port in
            var address = sockaddr_in()
            (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(INADDR_LOOPBACK).bigEndian)
            address.sin_port = port.bigEndian
            return withUnsafeBytes(of: &address) { bytes in
                let place = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
                return bind(descriptor, place, socklen_t(bytes.count)) == 0
            }
        }
        return try #require(port)
    }
}

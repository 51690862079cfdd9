import Foundation
import Testing

/// A `belfry serve` that goes on, at ports that were free.
final class LiveService: Sendable {
    private let process = Process()
    private let errors = Pipe()
    /// Where the API and management are.
    let (api, management): (String, String)
    let token: String

    /// - Parameter arguments: after `serve`.
    init(
        in place: Workplace, _ arguments: String..., token: String? = nil, environment: [String: String] = [:]
    ) throws {
        process.executableURL = Command.folder.appending(path: "belfry")
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--manage", "127.0.0.1:0"] + arguments
        process.currentDirectoryURL = place.url
        process.environment = ["XDG_CACHE_HOME": Command.cache.path, "PATH": "/usr/bin:/bin"].merging(environment) {
            $1
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let messages = LiveLines(errors.fileHandleForReading)
        var found: [String: String] = [:]
        let wanted = token == nil ? 3 : 2
        while found.count < wanted {
            for part in try messages.next().split(separator: "\n") {
                for beginning in ["listening at ", "health and metrics at ", "open "] where part.hasPrefix(beginning) {
                    found[beginning] = String(part.dropFirst(beginning.count))
                }
            }
        }
        (api, management) = (found["listening at "]!, found["health and metrics at "]!)
        self.token = token ?? String(found["open "]!.split(separator: "=").last!)
    }

    deinit { kill() }

    /// What is resident, in bytes.
    var memory: Int { Memory.resident(of: "\(process.processIdentifier)") }

    func kill() {
        process.end(within: 0)
    }

    /// Lets it stand still, or go on.
    func pause() { Glibc.kill(process.processIdentifier, SIGSTOP) }
    func resume() { Glibc.kill(process.processIdentifier, SIGCONT) }

    /// Has it fail to write anything, or not any more.
    func refuseWriting(_ isRefused: Bool) throws {
        let limit = Process()
        limit.executableURL = URL(filePath: "/usr/bin/prlimit")
        limit.arguments = ["--pid", "\(process.processIdentifier)", "--fsize=\(isRefused ? "0" : "unlimited"):"]
        try limit.run()
        limit.end()
    }

    /// Asks it to read its configuration anew.
    func hangUp() { Glibc.kill(process.processIdentifier, SIGHUP) }

    /// Waits for a line that begins so, among those that it says from now on.
    func hear(_ beginning: String) throws -> String {
        let messages = LiveLines(errors.fileHandleForReading)
        while true {
            let line = try messages.next()
            if line.hasPrefix(beginning) { return line }
        }
    }

    func askToEnd() { Glibc.kill(process.processIdentifier, SIGTERM) }

    /// Asks it to end, and waits for that.
    func stop() -> Int32 {
        askToEnd()
        return end()
    }

    /// Waits until it has ended.
    func end() -> Int32 {
        process.end()
        return process.terminationStatus
    }

    struct Answer {
        let status: Int
        let headers: [String: String]
        let text: String

        var json: Any? { try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
        var fields: [String: Any] { json as? [String: Any] ?? [:] }
    }

    /// Asks the API, or management, over one connection.
    func client(of url: String? = nil) throws -> PlainClient {
        PlainClient(port: UInt16(try #require(URLComponents(string: url ?? api)?.port)), token: token)
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", api + path, headers)
    }

    /// Asks until the answer has that in it, for a minute at most.
    @discardableResult func wait(_ path: String, for text: String) async throws -> String {
        var answer = ""
        try await wait(for: "\(path) to have \(text), in place of \(answer)") {
            answer = try await get(path).text
            return answer.contains(text)
        }
        return answer
    }

    /// Looks until something holds, for a minute, and once more after it: beside other tests, what one look found may take that minute to get
    /// here.
    func wait(for what: @autoclosure () -> String, _ holds: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        var isLast = false
        while try await !holds() {
            if isLast {
                Issue.record("waited in vain for \(what())")
                return
            }
            try await Task.sleep(for: .milliseconds(20))
            isLast = ContinuousClock.now > deadline
        }
    }

    func manage(_ method: String = "GET", _ path: String) async throws -> Answer {
        try await send(method, management + path, [:])
    }

    func post(
        _ body: String, as type: String?, to path: String = "/v1/signals", headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send(
            "POST", api + path, headers.merging(type.map { ["Content-Type": $0] } ?? [:]) { $1 }, Data(body.utf8))
    }

    func send(
        _ method: String, _ url: String, _ headers: [String: String], _ body: Data? = nil
    ) async throws -> Answer {
        let client = try client(of: url)
        let path = url.dropFirst(7).drop { $0 != "/" }
        let answer = try await Self.waiting {
            try client.ask(method, String(path), headers: headers, body: Array(body ?? Data()))
        }
        return Answer(status: answer.status, headers: answer.headers, text: answer.text)
    }

    /// Threads that wait are not those that tests run on.
    private static func waiting<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result(catching: work)) }.start()
        }
    }
}

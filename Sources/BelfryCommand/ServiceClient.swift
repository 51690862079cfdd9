import ArgumentParser
import BelfryModel
import CCurl
import Foundation

/// Which service a command asks, in place of the files beside it.
struct ServiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Ask the service at this address, such as http://127.0.0.1:8787.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The token for it. Default: BELFRY_TOKEN of the environment.", valueName: "token"))
    var token: String?

    /// Nil: no service is asked.
    var client: ServiceClient? {
        url.map { ServiceClient(url: $0, token: token ?? ProcessInfo.processInfo.environment["BELFRY_TOKEN"]) }
    }
}

/// Calls a service, one request after the other.
struct ServiceClient {
    /// `http://HOST:PORT`, or `unix:PATH`.
    let url: String
    let token: String?

    /// The JSON of the answer.
    ///
    /// - Throws: `CommandFailure` with what the service, or the network, has to say.
    func send(_ method: String, _ path: String, _ query: [(String, String?)] = [], body: Value? = nil) throws -> Value {
        let exchange = Exchange(method, base + path + Self.text(of: query), socket: socket, headers: headers, body)
        let (status, bytes) = try exchange.perform { reason in
            CommandFailure(
                status: .failed,
                message: """
                    cannot ask the service
                      why: '\(url)' does not answer: \(reason)
                      fix: check the address, and that 'belfry serve' runs there
                    """)
        }
        let answer = Value(json: bytes[...])
        guard (200..<300).contains(status) else { throw refusal(status, answer) }
        return answer ?? .null
    }

    private var socket: String? { url.hasPrefix("unix:") ? String(url.dropFirst(5)) : nil }

    private var base: String {
        if socket != nil { return "http://localhost" }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    private var headers: [String] {
        ["Content-Type: application/json", "Expect:"] + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
    }

    private static func text(of query: [(String, String?)]) -> String {
        let parts = query.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }
        return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }

    /// A part of a path, or a value of a query.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || (0x30...0x39).contains(byte)
            return isPlain || "-_.~".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    private func refusal(_ status: Int, _ answer: Value?) -> CommandFailure {
        let fields = answer?.map ?? [:]
        let why = fields["title"]?.text ?? answer?.text ?? "status \(status)"
        let found = fields["found"]?.text.map { ": '\($0)'" } ?? ""
        return CommandFailure(
            status: .failed, message: "the service refuses\n  why: \(why)\(found)\n  fix: \(fix(status, fields))")
    }

    private func fix(_ status: Int, _ fields: Fields) -> String {
        // What the service says there is for callers over HTTP.
        if status == 401 {
            return token == nil
                ? "name a token with --token or BELFRY_TOKEN"
                : "name a token that the service knows with --token or BELFRY_TOKEN"
        }
        if let fix = fields["fix"]?.text ?? fields["expected"]?.text { return fix }
        return status == 404
            ? "check what is named, and that 'belfry serve' runs at '\(url)'" : "see the log of the service"
    }
}

/// One request by libcurl.
private final class Exchange {
    private let handle: UnsafeMutableRawPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var bytes: [UInt8] = []

    init(_ method: String, _ url: String, socket: String?, headers: [String], _ body: Value?) {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        handle = curl_easy_init()!
        for header in headers { fields = curl_slist_append(fields, header) }
        for (option, text) in [(CURLOPT_URL, url), (CURLOPT_PROXY, ""), (CURLOPT_CUSTOMREQUEST, method)] {
            belfry_curl_set_pointer(handle, option, text)
        }
        if let socket { belfry_curl_set_pointer(handle, CURLOPT_UNIX_SOCKET_PATH, socket) }
        if let body { belfry_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, body.json) }
        belfry_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields)
        belfry_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        belfry_curl_set_number(handle, CURLOPT_TIMEOUT, 60)
        // Curl calls with it only within `perform`.
        belfry_curl_set_readers(handle, Self.skip, Self.read, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
    }

    /// - Parameter failure: for a reason of the network.
    func perform(_ failure: (String) -> CommandFailure) throws -> (status: Int, body: [UInt8]) {
        let code = curl_easy_perform(handle)
        guard code == CURLE_OK else { throw failure(String(cString: curl_easy_strerror(code))) }
        var status = 0
        belfry_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
        return (status, bytes)
    }

    private static let skip: belfry_curl_reader = { _, size, count, _ in size * count }

    private static let read: belfry_curl_reader = { bytes, size, count, context in
        let exchange = Unmanaged<Exchange>.fromOpaque(context!).takeUnretainedValue()
        exchange.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
        return size * count
    }
}

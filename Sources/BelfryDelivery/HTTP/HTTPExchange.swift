import BelfryModel
import CCurl
import Glibc
import NIOHTTP1

/// A request that is under way, and as much of its answer as has come.
final class HTTPExchange {
    let handle: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private let policy: AddressPolicy
    private let done: HTTPSender.Done
    private var answer = EndpointAnswer(status: 0)
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// An address that may not be connected to.
    private var refused: String?
    /// Whether it may connect to another one: what goes wrong there is what there is to say.
    private var hasOpen = false
    /// What curl says of an error.
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// So many bytes of a body are kept.
    private static let textLimit = 300
    /// So many are read, where the end does not matter.
    private static let bodyLimit = 64 << 10
    private var bodySize = 0

    init(_ request: HTTPRequest, _ policy: AddressPolicy, _ done: @escaping HTTPSender.Done) {
        (self.request, self.policy, self.done) = (request, policy, done)
        handle = curl_easy_init()!
        setOptions()
        setContent()
        // Curl calls with it only while the sender has this object among those that are under way.
        let context = Unmanaged.passUnretained(self).toOpaque()
        belfry_curl_set_readers(handle, Self.readHead, Self.readBody, context)
        belfry_curl_set_opener(handle, Self.open, context)
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
        message.deallocate()
    }

    private func setOptions() {
        for (option, value) in [(CURLOPT_URL, request.url), (CURLOPT_PROXY, ""), (CURLOPT_PROTOCOLS_STR, "http,https")]
        {
            belfry_curl_set_pointer(handle, option, value)
        }
        let numbers = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_PATH_AS_IS, 1), (CURLOPT_POST, 1),
            (CURLOPT_TIMEOUT_MS, Int(request.timeout.milliseconds)),
            // Shorter than servers keep idle connections, so that none is closed while a request is on its way.
            (CURLOPT_MAXAGE_CONN, 4),
        ]
        for (option, value) in numbers { belfry_curl_set_number(handle, option, value) }
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        belfry_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
    }

    private func setContent() {
        belfry_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
        request.body.withUnsafeBytes {
            _ = belfry_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(handle))
        }
        // curl would wait for a word before it sends a long body.
        var lines = request.headers.map { "\($0.name): \($0.value)" } + ["Expect:"]
        let hasAgent = request.headers.contains { $0.name.lowercased() == "user-agent" }
        if !hasAgent { lines.append("User-Agent: belfry") }
        for line in lines {
            fields = curl_slist_append(fields, line)
        }
        belfry_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields)
    }

    // MARK: The end

    func cancel() {
        // Where a status says it, it has been said: the rest of the body does not matter.
        done(isTaken && !request.needsWholeAnswer ? .success(answer) : .failure(.cancelled))
    }

    func end(_ code: CURLcode) {
        // A body that is too long ends with `CURLE_WRITE_ERROR`.
        let isAnswered =
            code == CURLE_OK || (!request.needsWholeAnswer && (isTaken || code == CURLE_WRITE_ERROR))
        done(
            isAnswered
                ? .success(answer) : .failure(NoAnswer(reason(of: code), isForbidden: refused != nil && !hasOpen)))
    }

    private var isTaken: Bool { 200..<300 ~= answer.status }

    /// What went wrong on the network, as the end of a sentence that begins with the address.
    private func reason(of code: CURLcode) -> String {
        if let refused, !hasOpen { return policy.refusal(of: refused) }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return "does not answer within \(request.timeout)"
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            return "closed the connection before it had answered"
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: return "does not speak HTTP"
        case CURLE_COULDNT_RESOLVE_HOST: return "cannot be reached: there is no host '\(host)'"
        case CURLE_COULDNT_CONNECT: return "cannot be reached: \(reasonOfSystem)"
        case CURLE_PEER_FAILED_VERIFICATION:
            return "cannot be reached: its certificate is not one that this system trusts"
        case CURLE_SSL_CONNECT_ERROR: return "cannot be reached: \(reasonOfTLS)"
        default: return "cannot be reached: \(text)"
        }
    }

    private var text: String { String(cString: message) }

    private var host: String {
        let rest = request.url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { !"/?".contains($0) }
        return String(rest.split(separator: "@").last ?? rest).split(separator: ":").first.map(String.init) ?? ""
    }

    private var reasonOfSystem: String {
        var number = 0
        belfry_curl_get_number(handle, CURLINFO_OS_ERRNO, &number)
        return number == 0 ? text : String(cString: strerror(Int32(number)))
    }

    private var reasonOfTLS: String {
        if text.contains("wrong version number") { return "it does not speak TLS; is it http?" }
        return text.contains("unexpected eof") ? "it closed the connection before TLS was agreed" : text
    }
}

// MARK: What curl calls

extension HTTPExchange {
    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPExchange {
        Unmanaged<HTTPExchange>.fromOpaque(context!).takeUnretainedValue()
    }

    private static let readHead: belfry_curl_reader = { bytes, size, count, context in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        let text = String(decoding: line, as: UTF8.self)
        HTTPExchange.of(context).takeHead(text.split(whereSeparator: \.isNewline).first ?? "")
        return line.count
    }

    private static let readBody: belfry_curl_reader = { bytes, size, count, context in
        let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
        let exchange = HTTPExchange.of(context)
        let missing = textLimit - exchange.answer.text.utf8.count
        if missing > 0 { exchange.answer.text += String(decoding: part.prefix(missing), as: UTF8.self) }
        exchange.bodySize += part.count
        // What is not taken ends the exchange, with `CURLE_WRITE_ERROR`.
        return exchange.bodySize > bodyLimit && !exchange.request.needsWholeAnswer ? 0 : part.count
    }

    private static let open: belfry_curl_opener = { context, _, address in
        guard let address else { return CURL_SOCKET_BAD }
        let exchange = HTTPExchange.of(context)
        let found = withUnsafePointer(to: &address.pointee.addr) { SocketAddress(UnsafeRawPointer($0)) }
        if let found, !exchange.policy.allows(found) {
            exchange.refused = found.description
            return CURL_SOCKET_BAD
        }
        exchange.hasOpen = true
        return socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    }

    private func takeHead(_ line: Substring) {
        if line.hasPrefix("HTTP/") {
            let words = line.split(separator: " ")
            let status = words.count > 1 ? Int(words[1]) ?? 0 : 0
            answer = EndpointAnswer(
                status: status, phrase: HTTPResponseStatus(statusCode: status).reasonPhrase,
                date: Instant.wallClock.httpDate)
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = Self.trimmed(line[line.index(after: colon)...])
        switch line[..<colon].lowercased() {
        case "retry-after": answer.retryAfter = value
        case "date": answer.date = value
        case "location": answer.location = value
        default: break
        }
    }

    /// Without the blanks and tabs at both ends, which are no part of a field's value (RFC 9110, section 5.5).
    private static func trimmed(_ value: Substring) -> String {
        var rest = value.drop { " \t".contains($0) }
        while let last = rest.last, " \t".contains(last) { rest.removeLast() }
        return String(rest)
    }
}

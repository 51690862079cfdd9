import HTTPTypes

extension HTTPRequest {
    /// Checks what belongs to the message itself: taken all the same, its body would be read as another one, or it would be for another host.
    ///
    /// - Throws: a problem (RFC 9112, sections 3.2 and 6.1; RFC 9110, section 10.1.1).
    func checkFraming() throws {
        let codings = items(of: .transferEncoding)
        guard codings.isEmpty || codings == ["chunked"] else {
            throw Problem(
                .notImplemented, "transfer-coding", "a body in this coding is not read",
                found: "Transfer-Encoding: \(codings.joined(separator: ", "))", expected: "chunked",
                fix: "say how the content is packed with Content-Encoding: gzip")
        }
        guard authority != nil else {
            throw Problem(
                .badRequest, "no-host", "it has no Host", expected: "one, as in each request in HTTP/1.1",
                fix: "say in it whom the request is for, as in the address: Host: 127.0.0.1:8787")
        }
        // The first one is the authority.
        guard items(of: Self.host).isEmpty else {
            throw Problem(
                .badRequest, "second-host", "it has more than one Host", found: "Host: \(items(of: Self.host)[0])",
                expected: "one", fix: "leave it out")
        }
        let expectations = items(of: .expect)
        guard expectations.allSatisfy({ $0 == "100-continue" }) else {
            throw Problem(
                .expectationFailed, "expectation", "this cannot be expected",
                found: "Expect: \(expectations.joined(separator: ", "))", expected: "100-continue", fix: "leave it out")
        }
    }

    private static let host = HTTPField.Name("Host")!

    /// What a field says, in lower case, with all its lines.
    private func items(of name: HTTPField.Name) -> [String] {
        if !headerFields.contains(name) { return [] }
        return headerFields[values: name].flatMap { $0.split(separator: ",") }.map {
            $0.lowercased().filter { !" \t".contains($0) }
        }
    }
}

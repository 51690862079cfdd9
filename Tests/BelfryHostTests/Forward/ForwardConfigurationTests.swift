import BelfryEngine
import BelfryModel
import Testing

@Suite struct ForwardConfigurationTests {
    private static func read(_ forward: String) throws -> Configuration.Forward? {
        try Folder(["belfry.yaml": "app: a\nforward: \(forward)\n"]).read().configuration.forward
    }

    private static func failure(_ forward: String) throws -> String {
        try Folder(["belfry.yaml": "app: a\nforward: \(forward)\n"]).failure()
    }

    @Test func `every key is read`() throws {
        let forward = try #require(
            try Self.read(
                """
                { url: "https://shop.example/events?v=1", batch: 5, every: 1m30s, immediate: true, attributes: user,
                  timeout: 5s, headers: { Authorization: "Bearer ${TOKEN}", X-App: shop } }
                """))
        #expect(forward.url == "https://shop.example/events?v=1")
        #expect(forward.batch == 5 && forward.every == .seconds(90) && forward.immediate)
        #expect(forward.attributes == .user && forward.timeout == .seconds(5))
        #expect(forward.headers.map(\.name) == ["Authorization", "X-App"])
        #expect(forward.headers.map(\.value) == ["Bearer ${TOKEN}", "shop"])
    }

    @Test func `only the address is needed`() throws {
        let forward = try #require(try Self.read("{ url: \"http://localhost:8080\" }"))
        #expect(forward.batch == 100 && forward.every == .seconds(60) && !forward.immediate)
        #expect(forward.attributes == .all && forward.timeout == .seconds(30) && forward.headers.isEmpty)
    }

    @Test func `nothing is forwarded by default`() throws {
        #expect(try Folder(["belfry.yaml": "app: a\n"]).read().configuration.forward == nil)
    }

    @Test func `everything that is wrong is said at once`() throws {
        #expect(
            try Self.failure("{ batch: 0, every: 60, attributes: users, header: {} }") == """
                belfry.yaml:2: forward.url
                  found: no key 'url'
                  expected: an http or https address, such as https://example.org/events
                  fix: add 'url: …'

                belfry.yaml:2: forward.batch
                  found: the number 0
                  expected: a whole number from 1 to 10000

                belfry.yaml:2: forward.every
                  found: the number 60
                  expected: a duration with a unit, such as 90s, 5m or 1h30m
                  fix: a bare number has no unit: add ms, s, m, h or d

                belfry.yaml:2: forward.attributes
                  found: the text 'users'
                  expected: one of all, user, none
                  fix: did you mean 'user'?

                belfry.yaml:2: forward.header
                  found: the unknown key 'header'
                  expected: one of url, batch, every, immediate, attributes, timeout, headers
                  fix: did you mean 'headers'?
                """)
    }

    @Test(arguments: ["ftp://shop.example", "shop.example/events", "https://", "https://a.example/#b", "https://a b/"])
    func `an address is http or https`(url: String) throws {
        #expect(
            try Self.failure("{ url: \"\(url)\" }") == """
                belfry.yaml:2: forward.url
                  found: the text '\(url)'
                  expected: an http or https address, such as https://example.org/events
                """)
    }

    @Test func `a secret does not belong in the address`() throws {
        #expect(
            try Self.failure(#"{ url: "https://ana:secret@shop.example/" }"#) == """
                belfry.yaml:2: forward.url
                  found: an address with a user or a password in it
                  expected: an http or https address, such as https://example.org/events
                  fix: put it into 'headers', from the environment: { Authorization: "Bearer ${NAME}" }
                """)
    }

    @Test func `headers are names and lines of text, and not Belfry's own`() throws {
        #expect(
            try Self.failure(
                #"{ url: "http://a.example", headers: { A b: x, Idempotency-Key: x, C: "${", D: 1, E: "x\ny" } }"#)
                    == """
                    belfry.yaml:2: forward.headers.'A b'
                      found: 'A b'
                      expected: the name of a header field

                    belfry.yaml:2: forward.headers.Idempotency-Key
                      found: the header 'Idempotency-Key'
                      expected: one that Belfry does not set itself

                    belfry.yaml:2: forward.headers.C
                      found: the text '${'
                      expected: one line of text; ${NAME} is a variable of the environment

                    belfry.yaml:2: forward.headers.D
                      found: the number 1
                      expected: one line of text; ${NAME} is a variable of the environment

                    belfry.yaml:2: forward.headers.E
                      found: the text 'x
                    y'
                      expected: one line of text; ${NAME} is a variable of the environment
                    """)
    }
}

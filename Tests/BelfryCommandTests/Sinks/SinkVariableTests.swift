import Foundation
import Testing

/// What sinks are configured with, and only the environment knows.
@Suite struct SinkVariableTests {
    private static func workplace(_ sinks: String..., more: String = "") throws -> Workplace {
        try Workplace([
            "belfry.yaml": """
            app: shop
            sinks:
              - { id: copy, type: file, path: copy.jsonl }
            \(sinks.map { "  - \($0)" }.joined(separator: "\n"))
            \(more)
            """
        ])
    }

    /// Expects exactly these words, and that nothing has run.
    private func expect(
        _ place: Workplace, _ errors: String, environment: [String: String] = [:]
    ) throws {
        let result = try place.belfry("run", environment: environment)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors == errors + "\n")
        #expect(!FileManager.default.fileExists(atPath: place.file("copy.jsonl").path))
    }

    @Test func `every variable that is not set is told with the line and the path of its key`() throws {
        try expect(
            Self.workplace(
                "{ id: push, type: ntfy, url: 'https://ntfy.example/shop', token: '${PUSH}' }",
                "{ id: crm, type: webhook, url: 'https://crm.example', secret: '${KEY}', headers: { X-Team: '${TEAM}' } }"
            ),
            """
            belfry.yaml:4: sinks[1].token
              found: the variable 'PUSH', which is not set
              expected: its value in the environment
              fix: export PUSH=… where belfry runs

            belfry.yaml:5: sinks[2].secret
              found: the variable 'KEY', which is not set
              expected: its value in the environment
              fix: export KEY=… where belfry runs

            belfry.yaml:5: sinks[2].headers.X-Team
              found: the variable 'TEAM', which is not set
              expected: its value in the environment
              fix: export TEAM=… where belfry runs
            """)
    }

    @Test func `a variable of 'forward' is told together with those of sinks`() throws {
        let sink = "{ id: push, type: ntfy, url: 'https://ntfy.example/shop', token: '${PUSH}' }"
        let forward = "forward: { url: 'https://shop.example', headers: { Authorization: 'Bearer ${SHOP}' } }"
        try expect(
            Self.workplace(sink, more: forward),
            """
            belfry.yaml:4: sinks[1].token
              found: the variable 'PUSH', which is not set
              expected: its value in the environment
              fix: export PUSH=… where belfry runs

            belfry.yaml:5: forward.headers.Authorization
              found: the variable 'SHOP', which is not set
              expected: its value in the environment
              fix: export SHOP=… where belfry runs
            """)
    }

    @Test func `a variable with no key in it is a mistake before anything runs`() throws {
        try expect(
            Self.workplace("{ id: crm, type: webhook, url: 'https://crm.example', secret: '${KEY}' }"),
            """
            belfry.yaml:4: sinks[1].secret
              found: a variable with something else
              expected: a key such as whsec_… in Base64, or two with a space between
              fix: make one: echo whsec_$(openssl rand -base64 32)
            """, environment: ["KEY": "no key"])
        let push = try Self.workplace(
            "{ id: p, type: web-push, subscription: '{data.data}', vapid: { subject: 'mailto:a@b.c', key: '${KEY}' } }")
        let result = try push.belfry("run", environment: ["KEY": "no key"])
        #expect(result.status == 2)
        #expect(
            result.errors.hasPrefix("belfry.yaml:4: sinks[1].vapid.key\n  found: a variable with something else\n"),
            "\(result.errors)")
        #expect(result.errors.contains("\n  fix: make one: npx web-push generate-vapid-keys, or as "))
    }
}

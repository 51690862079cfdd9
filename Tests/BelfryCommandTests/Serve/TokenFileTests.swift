import Foundation
import Testing

/// What is wrong with a file of tokens is said, and nothing is lost.
@Suite struct TokenFileTests {
    private func refusal(_ tokens: String) throws -> String {
        let place = try Workplace([
            "belfry.yaml": "app: shop\nserve: { tokens: tokens.yaml }\n", "tokens.yaml": tokens,
        ])
        let result = try place.belfry("tokens", "list")
        #expect(result.status != 0 && result.output.isEmpty)
        return result.errors
    }

    @Test func `a file that is no YAML, a key that is none, and aliases of aliases`() throws {
        let twice = try refusal("tokens: []\ntokens: []\n")
        #expect(
            twice.contains("why: it cannot be read as YAML: ") && twice.contains("takes all tokens away"), "\(twice)")
        #expect(try refusal("tokens: []\nother: 1\n").contains("why: 'other' is no key; expected tokens\n"))
        let levels = (1...7).map { level in
            "l\(level): &l\(level) [\(Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", "))]"
        }
        let laugh = try refusal("l0: &l0 [x]\n\(levels.joined(separator: "\n"))\ntokens: []\n")
        #expect(laugh.contains("why: it has many aliases\n"), "\(laugh)")
    }

    @Test func `a file that cannot be reached is not taken for none`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\nserve: { tokens: tokens.yaml }\n"])
        #expect(try place.shell("ln -s tokens.yaml tokens.yaml").status == 0)
        let result = try place.belfry("tokens", "list")
        #expect(result.status == 2 && result.output == "")
        #expect(
            result.errors.contains("\n  why: it cannot be reached: Too many levels of symbolic links\n"),
            "\(result.errors)")
    }

    @Test func `a folder in its place is no file`() throws {
        let place = try Workplace([
            "belfry.yaml": "app: shop\nserve: { tokens: tokens.yaml }\n"
        ])
        #expect(try place.shell("mkdir tokens.yaml").status == 0)
        let result = try place.belfry("tokens", "new", "laptop", "--role", "read")
        #expect(result.status != 0 && result.errors.contains("why: it is no file with text\n"), "\(result.errors)")
    }

    @Test func `a token is revoked whatever else is wrong with the configuration`() throws {
        let serve = "serve: { tokens: tokens.yaml }\n"
        let place = try Workplace(["belfry.yaml": "app: shop\n" + serve])
        #expect(try place.belfry("tokens", "new", "backend", "--role", "submit").status == 0)
        try place.write(
            "app: shop\n\(serve)limits: { call: soon }\nchain: [ { strategy: nowhere } ]\n", to: "belfry.yaml")
        #expect(try place.belfry("config", "check").status == 2)
        #expect(try place.belfry("tokens", "list").output.contains("backend"))
        let result = try place.belfry("tokens", "revoke", "backend")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try place.belfry("tokens", "list").output == "there are no tokens\n")
    }

    @Test func `where the file of tokens is not named rightly, that is what is wrong`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\nserve: { tokens: [] }\n"])
        let result = try place.belfry("tokens", "revoke", "backend")
        #expect(result.status == 2 && result.errors.contains("tokens"), "\(result.errors)")
        #expect(!result.errors.contains("names no file for tokens"), "\(result.errors)")
    }

    @Test func `a token whose secret cannot be printed is taken back`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\nserve: { tokens: tokens.yaml }\n"])
        #expect(try place.belfry("tokens", "new", "laptop", "--role", "admin").status == 0)
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let result = try place.belfry("tokens", "new", "backend", "--role", "read", output: full)
        #expect(result.status == 1)
        #expect(
            result.errors == """
                cannot write to standard output
                  why: No space left on device
                  fix: check the file, the disk or the program that reads it
                  effect: the token 'backend' was taken back

                """, "\(result.errors)")
        let list = try place.belfry("tokens", "list").output
        #expect(list.contains("laptop") && !list.contains("backend"))
        #expect(try place.belfry("tokens", "new", "backend", "--role", "read").status == 0)
    }
}

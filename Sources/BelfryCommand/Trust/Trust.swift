import ArgumentParser
import BelfryConfiguration
import BelfryModel
import BelfryPluginHost
import Foundation

struct Trust: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Say who may sign plugins: the file of 'trust: { signers: FILE }'.",
        discussion: """
            The file is OpenSSH's allowed_signers; a principal is a pattern of plugin ids.

            Examples:
              belfry trust add release.pub --for 'acme-*'
              belfry trust list
              belfry trust remove 'acme-*'
            """,
        subcommands: [Add.self, List.self, Remove.self], defaultSubcommand: List.self)

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Let a key sign plugins whose ids match a pattern.",
            discussion: "Example:\n  belfry trust add release.pub --for 'acme-*'")

        @Argument(help: "The file of a public Ed25519 key of OpenSSH.") var keyfile: String
        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("The ids that it may sign for: * and ? stand for others.", valueName: "pattern"))
        var pattern: String
        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            let key = try Self.read(keyfile)
            let (file, change) = try SignersFile.change(options.document()) { file in
                let change = try file.text.adding(key, for: pattern, from: keyfile)
                return (change.text, change)
            }
            print("\(file.path): '\(change.name)' may sign \(pattern)")
            if !file.isConfigured {
                Console.say(
                    "note: the configuration does not name it yet; add: trust: { signers: \(SignersFile.defaultName) }")
            }
        }

        private static func read(_ path: String) throws -> String {
            guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 16 else {
                throw CommandFailure(
                    status: .wrongUse,
                    message:
                        "cannot read the key '\(path)'\n  why: there is no such file, or it is not readable\n  fix: name a .pub file"
                )
            }
            return String(decoding: data, as: UTF8.self)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List who may sign what, and until when.",
            discussion: "Example:\n  belfry trust list --json")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let file = try SignersFile(options.document())
            let now = Int64(Date().timeIntervalSince1970)
            let lines = AllowedSigners(file.text.content).lines
            if json.isWanted { return Console.print(json: .list(lines.map { $0.value(at: now) })) }
            var table = Table("principals", "signer", "key", "status")
            for line in lines {
                table.add(line.principalText, line.name, line.key?.fingerprint ?? "-", line.status(at: now))
            }
            print(table.text)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Take a principal out: what its keys have signed does not load any more.",
            discussion: "Example:\n  belfry trust remove 'acme-*'")

        @Argument(help: "The principal, as it stands in the file.") var principal: String
        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            let (file, change) = try SignersFile.change(options.document()) { file in
                let change = try file.text.removing(principal)
                return (change.text, change)
            }
            print("\(file.path): '\(principal)' is out of \(change.count) \(change.count == 1 ? "line" : "lines")")
        }
    }
}

extension AllowedSigners.Line {
    fileprivate func value(at time: Int64) -> Value {
        var fields = Fields([("line", .integer(Int64(number))), ("principals", .text(principalText))])
        fields["signer"] = .text(name)
        fields["fingerprint"] = key.map { .text($0.fingerprint) } ?? .null
        fields["namespaces"] = namespaceText.map { .text($0) } ?? .null
        fields["validAfter"] = validAfter.map { .text(SignerTime.text($0)) } ?? .null
        fields["validBefore"] = validBefore.map { .text(SignerTime.text($0)) } ?? .null
        fields["status"] = .text(status(at: time))
        return .map(fields)
    }
}

/// The file of those who may sign, of one configuration.
private struct SignersFile {
    static let defaultName = "allowed_signers"
    let path: String
    /// Whether the configuration names it.
    let isConfigured: Bool
    let text: AllowedSignersText

    /// One that is not there yet is empty; one that is wrong, or cannot be read, is refused.
    init(_ document: ConfigurationDocument) throws {
        isConfigured = document.configuration.trust?.signers != nil
        path = Self.path(in: document)
        let data = try Self.read(path) ?? Data()
        text = AllowedSignersText(String(decoding: data, as: UTF8.self))
        let signers = AllowedSigners(text.content)
        if !signers.problems.isEmpty { throw signers.failure(in: path) }
    }

    private static func read(_ path: String) throws -> Data? {
        do { return try Data.ifThere(at: path) } catch {
            throw CommandFailure(
                status: .wrongUse,
                message: """
                    cannot read '\(path)', which says who may sign
                      why: \(error.fileReason)
                      fix: make it a file that this user may read
                    """)
        }
    }

    private static func path(in document: ConfigurationDocument) -> String {
        document.path(of: document.configuration.trust?.signers ?? defaultName)
    }

    /// - Parameter body: returns what the file is to be, and what is to be told.
    static func change<Result>(
        _ document: ConfigurationDocument, _ body: (SignersFile) throws -> (text: String, result: Result)
    ) throws -> (SignersFile, Result) {
        try AtomicFile.change(path(in: document)) {
            let file = try SignersFile(document)
            let (text, result) = try body(file)
            try AtomicFile.write(text, to: file.path)
            return (file, result)
        }
    }
}

extension AtomicFile {
    /// Writes a file as `write(_:text:)` does; where that fails, the command does.
    static func write(_ text: String, to path: String) throws {
        do {
            try write(path, text: text)
        } catch {
            throw CommandFailure(
                status: .failed,
                message: "cannot write '\(path)'\n  why: \(error)\n  fix: \(error.fix)")
        }
    }
}

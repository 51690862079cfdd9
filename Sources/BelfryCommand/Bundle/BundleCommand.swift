import ArgumentParser
import BelfryConfiguration
import BelfryCore
import BelfryModel
import Foundation

/// A configuration and its plugins as one file.
struct BundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract:
            "Put the configuration and its plugins into one folder or archive, for other machines; check and unpack it there.",
        discussion: """
            Examples:
              belfry bundle --output shop.tar
              belfry bundle verify shop.tar
              belfry bundle unpack shop.tar --output /etc/belfry/shop
            """,
        subcommands: [Create.self, Verify.self, Unpack.self], defaultSubcommand: Create.self)

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Write a bundle, and print its digest.",
            discussion: """
                A bundle has the configuration with what it includes, the lock, those who may sign, and the plugins of its folders. \
                All of that has to be in the folder of the configuration. Plugins that come with belfry are not in it. A configuration \
                that is wrong is not bundled.

                Examples:
                  belfry bundle --output shop.tar
                  belfry bundle create --config shop.yaml --output shop
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(
            help: ArgumentHelp(
                "An archive, if it ends in .tar; else a folder that is not there yet.", valueName: "path"))
        var output: String
        @OptionGroup var json: JSONOption

        func run() throws {
            let (workspace, _) = try options.loaded()
            let bundle = try ConfigurationBundle(of: workspace)
            if output.hasSuffix(".tar") {
                let archive = try bundle.archive
                try writing(output) {
                    try Data(archive).write(to: URL(fileURLWithPath: output), options: .atomic)
                }
            } else {
                try bundle.unpack(into: output)
            }
            bundle.tell(json)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Compare every file of a bundle with its digest.",
            discussion: """
                Examples:
                  belfry bundle verify shop.tar
                """)

        @Argument(help: "The folder or archive.") var bundle: String
        @OptionGroup var json: JSONOption

        func run() throws { try ConfigurationBundle(reading: bundle).tell(json) }
    }

    struct Unpack: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unpack",
            abstract: "Check an archive, and write its files into a folder.",
            discussion: """
                Examples:
                  belfry bundle unpack shop.tar --output /etc/belfry/shop
                """)

        @Argument(help: "The archive.") var bundle: String
        @Option(help: ArgumentHelp("A folder that is not there yet.", valueName: "path")) var output: String
        @OptionGroup var json: JSONOption

        func run() throws {
            let bundle = try ConfigurationBundle(reading: bundle)
            try bundle.unpack(into: output)
            bundle.tell(json)
        }
    }
}

extension ConfigurationBundle {
    fileprivate func unpack(into path: String) throws {
        if path.isEmpty {
            throw CommandFailure(
                status: .wrongUse,
                message:
                    "--output is empty\n  why: there is no folder without a name\n  fix: name one, such as --output shop"
            )
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                status: .failed,
                message:
                    "'\(path)' is there already\n  why: a bundle is written into a folder of its own\n  fix: name another one"
            )
        }
        try writing(path) { try write(toFolder: path) }
    }

    fileprivate func tell(_ json: JSONOption) {
        var fields = manifest
        fields["digest"] = .text("\(digest)")
        if json.isWanted { return Console.print(json: .map(fields)) }
        print("\(digest)\n  generation \(generation), \(files.count) files:")
        for name in files.keys.sorted() { print("  \(name)") }
    }
}

private func writing(_ path: String, _ body: () throws -> Void) throws {
    do {
        try body()
    } catch {
        throw CommandFailure(
            status: .failed,
            message:
                "cannot write '\(path)'\n  why: \(error.fileReason)\n  fix: check the folder and its permissions"
        )
    }
}

import ArgumentParser
import Foundation

extension Plugins {
    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Make a package to begin a plugin with: it builds, and its tests pass.",
            discussion: """
                The package has a strategy, a filter, an action or a sink, its tests, a README, and a
                configuration with signals to try it with. In C and Rust it needs nothing but a compiler; in
                Swift it depends on this belfry.

                Examples:
                  belfry plugins new quiet-sundays
                  belfry plugins new quiet-sundays --language rust --directory sundays
                  belfry plugins new short-titles --kind filter
                  belfry plugins new pager --kind sink
                  belfry plugins new quiet-sundays --config belfry.yaml
                """)

        @Argument(help: "The name of the plugin and what it offers: small letters, digits and hyphens.")
        var name: String

        @Option(help: "The language: swift, c or rust.")
        var language = PluginTemplate.Language.swift

        @Option(help: "What the plugin offers: strategy, filter, action or sink.")
        var kind = PluginTemplate.Kind.strategy

        @Option(help: ArgumentHelp("The folder to make. Default: the name.", valueName: "dir"))
        var directory: String?

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The configuration that it is for: a name that one of its plugins has already is refused.",
                valueName: "file"))
        var config: String?

        @Option(
            help: ArgumentHelp(
                "Where a package in Swift finds Belfry: a checkout, or the URL of a repository. Default: the checkout that this command was built from.",
                valueName: "path-or-url"))
        var belfry: String?

        func validate() throws {
            if belfry != nil, language != .swift {
                throw ValidationError(
                    "--belfry is for --language swift: a package in \(language.title) brings all it needs")
            }
        }

        func run() throws {
            try checkName()
            let template = PluginTemplate(
                language: language, kind: kind, name: try PluginName(name),
                belfry: language == .swift ? try BelfrySource(option: belfry) : nil)
            let folder = URL(filePath: directory ?? name)
            try template.write(to: folder)
            print(
                """
                made the \(kind.rawValue) '\(name)' in \(language.title): \(directory ?? name)
                next:
                  cd \(directory ?? name)
                  \(language.testCommand)
                  belfry run --signals signals.jsonl
                """)
        }

        private func checkName() throws {
            guard let config else { return }
            let plugins = try ConfigurationOptions.parse(["--config", config]).workspace().plugins
            guard let other = plugins.plugin(offering: name) else { return }
            throw CommandFailure(
                status: .wrongUse,
                message: """
                    cannot make a plugin '\(name)'
                      why: '\(other.path)' has that name already, and stands beside it
                      fix: choose another name
                    """)
        }
    }
}

extension PluginTemplate.Language: ExpressibleByArgument {}
extension PluginTemplate.Kind: ExpressibleByArgument {}

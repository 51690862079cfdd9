import ArgumentParser
import BelfryConfiguration
import BelfryEngine
import BelfryModel
import BelfryPluginCheck
import BelfryPluginHost
import CLinux
import Foundation

extension Plugins {
    /// One file of the command, one check a process.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Try whether plugins keep to the contract, each check in a process of its own.",
            discussion: """
                Exit status: 0 every check passed, 1 one failed, 2 wrong use.

                Examples:
                  belfry plugins check libPatience.so
                  belfry plugins check plugins/*.so --json
                  belfry plugins check libPatience.so --only fuzz --seed 42 --fuzz 100000
                  belfry plugins check libPatience.so --with '{"limit": 2}'
                  belfry plugins check libPatience.so --config belfry.yaml
                  belfry plugins check --list
                """)

        @Argument(help: "The plugins.") var files: [String] = []
        @Option(help: ArgumentHelp("Make this check only; may be given several times.", valueName: "check")) var only:
            [String] = []
        @Option(help: "Makes the cases of that seed again, which each report names.") var seed: UInt64?
        @Option(help: "How many cases 'fuzz' makes of each strategy and filter.") var fuzz = 1000
        @Option(help: ArgumentHelp("Parameters to try strategies, filters and sinks with, as JSON.", valueName: "json"))
        var with: String?
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "A configuration: strategies and filters are tried with the parameters that its chain has for them, too.",
                valueName: "file"))
        var config: String?
        @Flag(help: "Tell what is checked, and check nothing.") var list = false
        /// Set by the trial of a plugin before a reload takes it: it must not deliver for real.
        @Flag(help: .hidden) var noDeliveries = false
        @OptionGroup var json: JSONOption

        func validate() throws {
            if files.isEmpty != list {
                throw ValidationError(
                    list
                        ? "--list checks nothing; leave the plugins out" : "name at least one plugin, or ask for --list"
                )
            }
            for id in only where PluginCheck.named(id) == nil {
                let meant = nearestMatch(to: id, among: PluginCheck.all.map(\.id))
                throw ValidationError(
                    "there is no check '\(id)'; " + (meant.map { "did you mean '\($0)'?" } ?? "--list names them"))
            }
            if with != nil, parameters == nil {
                throw ValidationError("--with is no JSON; write for example '{\"period\": \"1h\"}'")
            }
            if with != nil, config != nil {
                throw ValidationError("parameters come from --with or from --config; leave out one of them")
            }
            if fuzz < 1 { throw ValidationError("--fuzz is \(fuzz); expected 1 or more cases") }
        }

        func run() throws {
            if list { return printList() }
            for file in files where !FileManager.default.fileExists(atPath: file) {
                throw CommandFailure(
                    status: .wrongUse,
                    message: "cannot check '\(file)'\n  why: there is no such file\n  fix: name a plugin that was built"
                )
            }
            let reports = try self.reports()
            if json.isWanted {
                let passed = reports.allSatisfy(\.isPassed)
                Console.print(json: ["passed": .bool(passed), "plugins": .list(reports.map(\.value))])
            } else {
                print(reports.map(\.description).joined(separator: "\n\n"))
            }
            if !reports.allSatisfy(\.isPassed) { throw ExitCode(CommandFailure.Status.failed.rawValue) }
        }

        private func reports() throws -> [CheckReport] {
            let environment = ProcessInfo.processInfo.environment
            let checker = PluginChecker(
                executable: "/proc/self/exe", environment: environment,
                copies: try PrivateCopies(environment: environment))
            let options = try options()
            let bar = ProgressBar(total: files.count * checks.count, unit: .checks)
            defer { bar?.clear() }
            return files.enumerated().map { index, file in
                checker.check(file, options, checks: checks) { bar?.show(index * checks.count + $0) }
            }
        }

        private var checks: [PluginCheck] {
            PluginCheck.all.filter { check in
                only.isEmpty ? !noDeliveries || check.id != "deliveries" : only.contains(check.id)
            }
        }

        private func options() throws -> CheckOptions {
            // Short, so that it is typed again without a mistake.
            var options = CheckOptions(seed: seed ?? .random(in: 0..<1_000_000))
            options.fuzz = fuzz
            options.parameters = parameters
            options.configuration = config
            // What is wrong with it is told before anything is checked.
            try options.readConfiguration()
            return options
        }

        private var parameters: JSONValue? {
            with.flatMap { try? JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) }
        }

        private func printList() {
            if json.isWanted { return Console.print(json: .list(PluginCheck.all.map(\.value))) }
            var table = Table("check", "what has to hold")
            for check in PluginCheck.all { table.add(check.id, check.summary) }
            print(table.text)
        }
    }

    /// What `PluginChecker` runs in a child process.
    struct CheckOne: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "check-one", shouldDisplay: false)

        @Argument var check: String
        @Argument var file: String
        @Argument var options: String

        func run() throws {
            // How it ends is told by its parent.
            belfry_work_is_done()
            var options = try JSONDecoder().decode(CheckOptions.self, from: Data(options.utf8))
            try options.readConfiguration()
            // What a plugin logs is not what is judged.
            let services = HostServices(version: belfryVersion, zones: .system()) { _ in }
            throw ExitCode(PluginCheck.runInThisProcess(check, path: file, options: options, services: services))
        }
    }
}

extension CheckOptions {
    fileprivate mutating func readConfiguration() throws {
        let chain = try configuration.map { try ConfigurationReader.read(path: $0).configuration.chain } ?? []
        configured = Dictionary(grouping: chain, by: \.strategy).mapValues { $0.compactMap(\.parameters) }
    }
}

extension PluginCheck {
    fileprivate var value: Value {
        [
            "check": .text(id), "summary": .text(summary),
            "kinds": .list(Kind.allCases.filter(kinds.contains).map { .text($0.rawValue) }),
        ]
    }
}

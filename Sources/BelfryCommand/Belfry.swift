import ArgumentParser
import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryPluginHost
import BelfryRuntime
import BelfryService
import BelfrySimulation
import CLinux
import Foundation

@main
struct Belfry: ParsableCommand {
    // Every command has its `commandName`: to find the names by the types takes longer than the rest of parsing.
    static let configuration = CommandConfiguration(
        commandName: "belfry",
        abstract: "Decides which notifications ring: signals in, decisions out, strategies as plugins.",
        discussion: """
            Exit status: 0 done, 1 failed, 2 wrong use or configuration, 3 done with rejected input.

            Examples:
              belfry run --config belfry.yaml --signals signals.jsonl > decisions.jsonl
              belfry strategies
              belfry strategies move cooldown --first
              belfry explain --subject ana --campaign sale
              belfry simulate --signals signals.jsonl --against stricter.yaml
              belfry state show ana
              belfry decisions tail --follow
            """,
        version: belfryVersion,
        subcommands: [
            Run.self, Serve.self, Strategies.self, Plugins.self, Trust.self, Config.self, BundleCommand.self,
            Explain.self,
            Simulate.self,
            State.self, Decisions.self, Silences.self, SinksCommand.self, Experiments.self, Tokens.self,
            ZygoteCommand.self, SinkProcessCommand.self,
        ])

    /// Runs a command and ends the process with a status of docs/command-line.md.
    static func main() {
        // A reader that goes away is an error of writing, not a death.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that may not grow any more.
        signal(SIGXFSZ, SIG_IGN)
        // Ignored ends of children, which a process inherits, cannot be waited for.
        signal(SIGCHLD, SIG_DFL)
        if !Descriptor.hasStandardInput { _ = open("/dev/null", O_RDONLY) }
        endWithParent()
        // An `exit` of a plugin does not end this process with success.
        belfry_begin_work()
        do {
            var command = try parseAsRoot()
            try run(&command)
            try Console.finish()
            belfry_work_is_done()
        } catch let failure as CommandFailure {
            Console.say(failure.message)
            belfry_work_is_done()
            Foundation.exit(failure.status.rawValue)
        } catch {
            end(with: error)
        }
    }

    /// Whatever comes of it, what plugins have forked ends with it.
    private static func run(_ command: inout any ParsableCommand) throws {
        defer { Orphans.end() }
        try command.run()
    }

    private static func end(with error: any Error) -> Never {
        let status = exitCode(for: error)
        belfry_work_is_done()
        switch error {
        case is ConfigurationFailure, is UntrustedPlugins, is PluginLockRefusal, is MissingActions, is PluginRefusal,
            is ZygoteRefusal, is ConfigurationTrial, is UnknownStore, is PluginSigner.Failure,
            is AllowedSignersText.Failure,
            is TokenFileFailure, is JSONWebKeySetFailure, is TLSFailure, is OpenListener, is BundleFailure,
            is UnansweredQuestion, is UncountableSubjects:
            Console.say("\(error)")
            Foundation.exit(CommandFailure.Status.wrongUse.rawValue)
        case let error as ChainEditError where error.code != .notWritable:
            Console.say("\(error)")
            Foundation.exit(CommandFailure.Status.wrongUse.rawValue)
        case _ where status.isSuccess:
            print(fullMessage(for: error))
            leave(0)
        case _ where status == .validationFailure:
            let hint = WrongUse(Array(CommandLine.arguments.dropFirst())).hint(for: message(for: error))
            Console.say(([fullMessage(for: error)] + [hint].compactMap(\.self)).joined(separator: "\n"))
            Foundation.exit(CommandFailure.Status.wrongUse.rawValue)
        case let refusal as QuestionRefusal where refusal.isWrongUse:
            Console.say("\(refusal)")
            Foundation.exit(CommandFailure.Status.wrongUse.rawValue)
        case let exit as ExitCode: leave(exit.rawValue)
        default: Console.say("\(error)")
        }
        Foundation.exit(CommandFailure.Status.failed.rawValue)
    }

    /// Ends the process; where something that was printed could not be written, with that.
    private static func leave(_ status: Int32) -> Never {
        do throws(CommandFailure) {
            try Console.finish()
            Foundation.exit(status)
        } catch {
            Console.say(error.message)
            Foundation.exit(error.status.rawValue)
        }
    }
}

/// A failure with the status it ends the process with.
struct CommandFailure: Error {
    enum Status: Int32 {
        case failed = 1
        case wrongUse = 2
        case rejects = 3
    }

    var status: Status
    var message: String
}

import ArgumentParser
import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfrySignals
import BelfrySimulation
import Foundation

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Say what another configuration would change, on signals of the past.",
        discussion: """
            Decides the same signals by two configurations, side by side in memory. No store is read or written, no action is \
            run, nothing is forwarded. A is the one of --config, B that of --against. Where one of them has its plugins in \
            processes (isolation), a call that crashes or hangs answers fault, as it would in a run.

            With lines that both reject the exit status is 3. With --against-trace it is 1 if a decision is not the same.

            Examples:
              belfry simulate --signals signals.jsonl --against stricter.yaml
              zcat signals.jsonl.gz | belfry simulate --against b.yaml --subjects 10%
              belfry simulate --signals signals.jsonl -c a.yaml --against b.yaml --json
              belfry simulate --signals signals.jsonl --against b.yaml --report report.html
              belfry simulate --signals journal:belfry.db --against b.yaml
              belfry simulate --against-trace trace.jsonl
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The other configuration, B.", valueName: "file"))
    var against: String?

    @Option(
        help: ArgumentHelp(
            "A trace of 'belfry run' in place of signals and B: decides its signals by A, and says what differs.",
            valueName: "file"))
    var againstTrace: String?

    @Option(
        help: ArgumentHelp(
            "Where signals come from: a file, - for standard input, or journal:PATH, those that a store's journal keeps.",
            valueName: "file"))
    var signals = "-"

    @Option(
        help: ArgumentHelp(
            "Only some subjects, chosen by a hash of their ids: a share such as 10%, or a number of them.",
            valueName: "some"),
        transform: Self.sample)
    var subjects: SubjectSample?

    @Option(help: Arguments.untilHelp, transform: Arguments.instant)
    var until: Instant?

    @Option(help: ArgumentHelp("How many of the decisions that differ are shown.", valueName: "n"))
    var first = 10

    @Option(help: Arguments.rejectsHelp)
    var rejects: String?

    @Option(help: ArgumentHelp("A file for a page that shows all of it, to be opened in a browser.", valueName: "file"))
    var report: String?

    @OptionGroup var json: JSONOption

    /// Set by the command for the process of its own that it starts where plugins are not to run in this one.
    @Flag(help: .hidden) var supervised = false

    func validate() throws {
        guard (0...10_000).contains(first) else { throw ValidationError("--first is \(first); expected 0 to 10000") }
        guard (against == nil) != (againstTrace == nil) else {
            throw ValidationError("name another configuration with --against, or a trace with --against-trace")
        }
        guard againstTrace == nil || (signals == "-" && subjects == nil && until == nil && rejects == nil) else {
            throw ValidationError("a trace has its own signals; leave out --signals, --subjects, --until and --rejects")
        }
        try Descriptor.refuseStandardOutput(rejects)
        guard againstTrace == nil || report == nil else {
            throw ValidationError("a comparison with a trace has no page; leave out --report")
        }
    }

    private static func sample(_ text: String) throws -> SubjectSample {
        guard let sample = SubjectSample(text) else {
            throw ValidationError("'\(text)' is no choice of subjects; write for example 10% or 1000")
        }
        return sample
    }

    func run() throws {
        let supervision = supervised ? try Supervision() : nil
        // Also after a failure: what ends this process then is no plugin.
        defer { supervision?.finish() }
        let a = try options.workspace()
        if let againstTrace {
            if try isSupervised([a]) { return }
            return try replay(againstTrace, a, supervision)
        }
        let b = try a.workspace(at: against ?? "", option: "--against")
        if try isSupervised([a, b]) { return }
        try simulate(a, b, supervision)
    }

    /// Has another process do all of it, where plugins are not to run in this one.
    private func isSupervised(_ workspaces: [Workspace]) throws -> Bool {
        guard !supervised, workspaces.contains(where: { $0.isolation == .process }) else { return false }
        let option = againstTrace == nil ? "--signals" : "--against-trace"
        let input = try Descriptor.input(againstTrace ?? signals, command: "simulate", option: option)
        // A process beside this one cannot read what is typed.
        if isatty(input.number) == 1 { return false }
        var limits = workspaces[0].configuration.limits
        for other in workspaces.map(\.configuration.limits) {
            limits.call = max(limits.call, other.call)
            limits.memory.bytes = max(limits.memory.bytes, other.memory.bytes)
        }
        let status = try SupervisedProcess.run(
            Workspace.executable, Array(CommandLine.arguments.dropFirst()) + ["--supervised"],
            environment: ProcessInfo.processInfo.environment, input: input.number, limits: limits,
            check: input.checkThatItEnded)
        if status != 0 { throw ExitCode(status) }
        return true
    }

    /// What is read; what is no file was opened by the command that has started this one, and is its standard input.
    private func input(_ path: String, option: String = "--signals") throws -> Descriptor {
        var status = stat()
        let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return try Descriptor.input(supervised && !isFile ? "-" : path, command: "simulate", option: option)
    }

    private func replay(_ trace: String, _ workspace: Workspace, _ supervision: Supervision?) throws {
        let candidate = Simulation.Candidate(options.config, workspace, try workspace.load())
        supervision?.endIfForked()
        let input = try input(trace, option: "--against-trace")
        let bar = ProgressBar(total: input.size)
        let replay = TraceReplay(candidate, first: first, progress: bar?.show)
        try watch(replay, supervision)
        let comparison = try replay.run(SignalInput(input.number))
        bar?.clear()
        try input.checkThatItEnded()
        finish(supervision, replay)
        if json.isWanted { Console.print(json: comparison.value) } else { print(comparison.description) }
        if !comparison.isSame { throw ExitCode(CommandFailure.Status.failed.rawValue) }
    }

    private func simulate(_ a: Workspace, _ b: Workspace, _ supervision: Supervision?) throws {
        let (loadedA, loadedB) = (try a.load(), try b.load())
        supervision?.endIfForked()
        tell(a.remarks(on: loadedA), b.remarks(on: loadedB))
        let input = try input(signals)
        if isatty(input.number) == 1 { Console.say("reading signals from the terminal; Ctrl-D ends them") }
        let (rejected, page) = try outputs(besides: input, a, b)
        let bar = ProgressBar(total: input.size)
        let rejectsOut = ByteOutput(rejected.number, name: rejected.name, isHeld: supervision != nil)
        var warnings: [String] = []
        let simulation = Simulation(
            Simulation.Candidate(options.config, a, loadedA), against: Simulation.Candidate(against ?? "", b, loadedB),
            options: settings, rejects: rejectsOut,
            warn: { if supervision == nil { Console.warn($0) } else { warnings.append($0) } }, progress: bar?.show)
        supervision?.settle = {
            for warning in warnings { Console.warn(warning) }
            warnings = []
            try rejectsOut.flush()
        }
        try watch(simulation, supervision)
        let report = try simulation.run(SignalInput(input.number, file: input.isFile ? signals : nil))
        try supervision?.settle()
        bar?.clear()
        try input.checkThatItEnded()
        finish(supervision, simulation)
        if let page { try SimulationPage(report.value).write(to: page.output) }
        if json.isWanted { Console.print(json: report.value) } else { print(report.description) }
        if report.rejects > 0 { throw ExitCode(CommandFailure.Status.rejects.rawValue) }
    }

    /// What holds for both is said once.
    private func tell(_ remarks: [String], _ others: [String]) {
        for remark in remarks + others.filter({ !remarks.contains($0) }) { Console.say(remark) }
    }

    private var settings: Simulation.Options {
        var settings = Simulation.Options()
        (settings.until, settings.sample, settings.first) = (until, subjects, first)
        settings.tellsOneSidedRejects = rejects != nil
        settings.source = Descriptor.source(of: signals)
        return settings
    }

    /// The page is opened before the report is computed, so that a page that cannot be written fails at once.
    private func outputs(
        besides input: Descriptor, _ a: Workspace, _ b: Workspace
    ) throws -> (rejected: Descriptor, page: (file: Descriptor, output: ByteOutput)?) {
        let rejected = try Descriptor.rejects(rejects)
        try Descriptor.refuseSharing(("--signals", input), ("--rejects", rejected))
        let page = try openPage(sparing: input, rejected)
        let written = [("--rejects", rejects == nil ? nil : rejected), ("--report", page?.file)]
        for case (let option, let file?) in written {
            try Descriptor.refuseSharing((option, file), with: spared(a, b))
        }
        return (rejected, page)
    }

    /// Has calls of plugins watched: by the process that has started this one, or by a thread of this one.
    private func watch(_ work: some WatchedWork, _ supervision: Supervision?) throws {
        guard let supervision else {
            let calls = CallSites()
            work.watch(calls.add)
            return try calls.watch()
        }
        try supervision.makeCopy()
        work.didRead = supervision.makeCopy
        work.watch(supervision.watch)
    }

    /// Never releases the work: its plugins would be called once more, and could spoil what is told from here on.
    private func finish(_ supervision: Supervision?, _ work: AnyObject) {
        guard let supervision else { return }
        supervision.finish()
        _ = Unmanaged.passRetained(work)
    }

    /// What would be lost if something else were written there.
    private func spared(_ a: Workspace, _ b: Workspace) -> [(what: String, path: String)] {
        [a, b].flatMap { $0.filesToSpare + $0.filesOfStore } + Descriptor.stores(of: signals)
    }

    private func openPage(
        sparing input: Descriptor, _ rejected: Descriptor
    ) throws -> (file: Descriptor, output: ByteOutput)? {
        guard let report else { return nil }
        let page = try Descriptor.output(report)
        for other in [("--signals", input), ("--rejects", rejected)] {
            try Descriptor.refuseSharing(other, ("--report", page))
        }
        return (page, ByteOutput(page.number, name: page.name, isContinued: true))
    }
}

/// Where this thread calls plugins: one that ends the process, or does not return, is told of in a sentence.
private final class CallSites {
    private var sites: [CallSite] = []

    /// - Returns: what is to be called before the engine decides.
    func add(_ engine: Engine) -> (_ subject: String, _ signal: String) -> Void {
        let site = CallSite(engine.catalog)
        engine.noteCalls(at: site.note)
        sites.append(site)
        return { subject, signal in
            site.begin(subject, signal)
            site.enter()
        }
    }

    func watch() throws { try CallSite.watch(sites) }
}

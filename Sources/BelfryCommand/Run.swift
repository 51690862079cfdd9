import ArgumentParser
import BelfryCore
import BelfryDelivery
import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfrySignals
import BelfryStore
import Foundation

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Decide signals: one JSON object per line in, one decision per line out.",
        discussion: """
            Decisions go to --output; rejected lines, with their reason, to --rejects. With rejected lines the exit status is 3.

            Examples:
              belfry run --signals signals.jsonl > decisions.jsonl
              zcat signals.jsonl.gz | belfry run --store sqlite:shop.db
              belfry run --signals signals.jsonl --until 2026-03-03T00:00:00Z
              belfry run --rejects rejects.jsonl --summary json < signals.jsonl
              tail -f signals.jsonl | belfry run --watch --clock wall
              belfry run --signals signals.jsonl --shadow other.yaml > out.jsonl
              belfry run --signals signals.jsonl --trace trace.jsonl > out.jsonl
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("Where signals come from: a file, or - for standard input.", valueName: "file"))
    var signals = "-"

    @Option(
        help: ArgumentHelp(
            "Where decisions go: a file, which is appended to, or - for standard output.", valueName: "file"))
    var output = "-"

    @Option(help: Arguments.rejectsHelp)
    var rejects: String?

    @Option(help: Arguments.untilHelp, transform: Arguments.instant)
    var until: Instant?

    @Option(
        help: ArgumentHelp(
            "What lets time pass: signals, or also the time of day, which fires timers each second.",
            discussion:
                "With wall, a signal without a time gets it, and one too far ahead of it is rejected (clock: ahead).",
            valueName: "clock"))
    var clock = ClockKind.signals

    enum ClockKind: String, ExpressibleByArgument, CaseIterable {
        case signals, wall
    }

    @Flag(
        help: "Read --signals from its beginning, also if the last run with this store stopped within a file.")
    var fromStart = false

    @Option(help: Arguments.storeHelp)
    var store: String?

    @Option(
        help: ArgumentHelp(
            "How many threads share the subjects; what comes out is the same. Default: one for each processor, at most 4.",
            valueName: "count"))
    var shards: Int?

    @Option(
        help: ArgumentHelp(
            "How much memory records may take, such as 256MiB; those used longest ago are read again when they are needed.",
            discussion: "Default: as much as 100000 records take.", valueName: "size"),
        transform: Arguments.size)
    var cache: ByteSize?

    @Option(help: Arguments.isolationHelp)
    var isolation: Configuration.Isolation?

    @Flag(help: "When the configuration or a plugin changes, reload it if it validates.")
    var watch = false

    @Option(help: ShadowOption.help, completion: .file())
    var shadow: String?

    @Option(
        help: ArgumentHelp(
            "A new file for every signal, and every decision with all that the chain said.", valueName: "file"))
    var trace: String?

    @Option(help: ArgumentHelp("How standard error says what was done.", valueName: "format"))
    var summary = SummaryFormat.text

    enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    func validate() throws {
        if let shards, !(1...64).contains(shards) {
            throw ValidationError("--shards is \(shards); expected 1 to 64")
        }
        try Descriptor.refuseStandardOutput(rejects)
        guard trace != nil, watch else { return }
        throw ValidationError(
            """
            --trace and --watch do not go together
              why: a trace is of one configuration, so that it can be replayed
              fix: leave one of them out
            """)
    }

    func run() throws {
        keepFreedMemory()
        // Before anything that plugins print. A file is opened when the rest is right: a pipe waits for its reader.
        let standard = output == "-" ? try Descriptor.output(output) : nil
        let workspace = try self.options.workspace()
        let source = try DecisionSource(workspace, isolation ?? workspace.isolation)
        for remark in source.remarks(of: workspace) { Console.say(remark) }
        let location = try location(of: workspace)
        let made = MadeFiles()
        defer { made.remove() }
        let files = try files(standard ?? made.open(output) { try Descriptor.output($0) }, made, workspace, location)
        let sinkSettings = try SinkSettings(of: workspace)
        let shadowed = try shadow.map { try workspace.workspace(at: $0, option: "--shadow") }
        let store = try openStore(location, sinkSettings, isRead: shadow != nil)
        defer { store.close() }
        // First of all: threads inherit from here which signals are for them.
        var stop: StopSignals? = StopSignals()
        let watch = try follow(workspace, source)
        defer { watch?.end() }
        // What is decided again is not to depend on a network.
        let receipts = clock == .wall ? EventInbox() : nil
        let sinks = try sinks(sinkSettings, store, receipts)
        let follower = try shadowed.map { try makeShadow(of: $0, store, at: location, workspace.configuration) }
        made.keep()
        let outcome = Result {
            try decide(source, store, files, workspace, events: [stop, watch, receipts], outlets: [sinks, follower])
        }
        // What is left is to send decisions, which the next run can do as well: from here on a signal ends the process at once.
        stop = nil
        // Also after a failure: what was committed may go.
        let forwarding = sinks?.end(isDurable: location != .memory)
        follower?.end(catchesUp: (try? outcome.get())?.stoppedBy == nil)
        var result = try outcome.get()
        (result.forwarding, result.shadow) = (forwarding, follower?.status)
        try finish(result, files.input)
    }

    private func decide(
        _ source: DecisionSource, _ store: OpenStore, _ files: RunFiles, _ workspace: Workspace,
        events: [(any RunEvents)?], outlets: [(any Outlet)?]
    ) throws -> RunSummary {
        let bar = ProgressBar(total: files.input.size)
        defer { bar?.clear() }
        let runner = try Runner(
            source, store: store, options: settings(workspace.configuration),
            decisions: files.decisionsOut(isContinued: output != "-"),
            rejects: files.rejectsOut(isContinued: rejects != nil),
            events: events.compactMap { $0 }, outlets: outlets.compactMap { $0 },
            trace: files.traceOut(of: options.config, workspace), warn: Console.warn, progress: bar?.show)
        return try runner.run(SignalInput(files.input.number, file: files.input.isFile ? signals : nil))
    }

    private func finish(_ result: RunSummary, _ input: Descriptor) throws {
        Console.say(summary == .json ? result.value.json : result.description)
        if result.stoppedBy == nil { try input.checkThatItEnded() }
        if result.rejects > 0 { throw ExitCode(CommandFailure.Status.rejects.rawValue) }
    }

    private func location(of workspace: Workspace) throws -> StoreLocation {
        let location = try workspace.store(override: store)
        if cache != nil, location == .memory { throw Self.cacheOfMemory }
        return location
    }

    private func settings(_ configuration: Configuration) -> Runner.Options {
        var settings = Runner.Options()
        settings.take(configuration)
        (settings.until, settings.startsOver) = (until, fromStart)
        settings.cacheBytes = cache?.bytes
        settings.hasWallClock = clock == .wall
        settings.shards = shards ?? min(4, ProcessInfo.processInfo.activeProcessorCount)
        return settings
    }

    private func sinks(_ settings: SinkSettings, _ store: OpenStore, _ receipts: EventInbox?) throws -> Sinks? {
        if settings.isEmpty {
            tellOfRemovedSinks(besides: [], in: store.journal, say: Console.say)
            return nil
        }
        let receive = receipts.map { receipts -> @Sendable ([UInt8]) -> Void in { receipts.post(.signals([$0])) } }
        return try Sinks(settings, journal: store.journal, receive: receive, say: Console.say)
    }

    private func makeShadow(
        of other: Workspace, _ store: OpenStore, at location: StoreLocation, _ configuration: Configuration
    ) throws -> Shadow {
        let settings = try Shadow.Settings(
            shadow ?? "", other, isolation ?? other.isolation, like: settings(configuration))
        return try Shadow(settings, of: store, at: location, say: Console.say)
    }

    /// - Throws: if one of the files is another one, or what the run is made of.
    private func files(
        _ decisions: Descriptor, _ made: MadeFiles, _ workspace: Workspace, _ location: StoreLocation
    ) throws -> RunFiles {
        let input = try Descriptor.input(signals)
        if isatty(input.number) == 1 { Console.say("reading signals from the terminal; Ctrl-D ends them") }
        let rejected = try rejects.map { try made.open($0) { try Descriptor.output($0) } } ?? Descriptor.rejects(nil)
        try Descriptor.refuseSharing(("--signals", input), ("--output", decisions))
        try Descriptor.refuseSharing(("--signals", input), ("--rejects", rejected))
        let traced = try trace.map { try made.open($0) { try Descriptor.trace($0) } }
        // A shell may well send standard output and standard error to one file.
        let named: [(option: String, file: Descriptor?)] = [
            ("--output", output == "-" ? nil : decisions), ("--rejects", rejects == nil ? nil : rejected),
            ("--trace", traced),
        ]
        let outputs = named.compactMap { option, file in file.map { (option, $0) } }
        try check(outputs, standard: output == "-" ? decisions : nil, workspace, location)
        return RunFiles(input: input, decisions: decisions, rejected: rejected, traced: traced)
    }

    /// No file that is written is another one, or what the run is made of.
    private func check(
        _ outputs: [(option: String, file: Descriptor)], standard: Descriptor?, _ workspace: Workspace,
        _ location: StoreLocation
    ) throws {
        var others = workspace.filesToSpare + location.filesToSpare + workspace.filesOfStore
        if let shadow { others.append(("the configuration of --shadow", shadow)) }
        if let standard { try Descriptor.refuseSharing((nil, standard), with: others) }
        for (index, output) in outputs.enumerated() {
            for other in outputs[..<index] { try Descriptor.refuseSharing(other, output) }
            try Descriptor.refuseSharing(output, with: others)
        }
    }

    /// Sinks and a shadow read the journal, also where it is in memory.
    private func openStore(_ location: StoreLocation, _ sinks: SinkSettings, isRead: Bool) throws -> OpenStore {
        if location != .memory || (sinks.isEmpty && !isRead) {
            return try OpenStore(location, forRun: true)
        }
        for loss in sinks.losses { Console.warn("\(loss) when the run ends is lost: the store is in memory") }
        return try OpenStore(inMemory: location.open())
    }

    private static let cacheOfMemory = CommandFailure(
        status: .wrongUse,
        message: """
            --cache goes with a store on a disk
              why: 'memory:' has all records in memory, whatever is said
              fix: name a store, for example --store sqlite:belfry.db, or leave --cache out
            """)

    private func follow(_ workspace: Workspace, _ source: DecisionSource) throws -> ConfigurationWatch? {
        guard watch else { return nil }
        return try ConfigurationWatch(workspace, source, isStoreGiven: store != nil, say: Console.say)
    }
}

/// What a run reads and writes, besides its store.
private struct RunFiles {
    let input, decisions, rejected: Descriptor
    let traced: Descriptor?

    func decisionsOut(isContinued: Bool) -> ByteOutput {
        ByteOutput(decisions.number, name: decisions.name, isContinued: isContinued)
    }

    func rejectsOut(isContinued: Bool) -> ByteOutput {
        ByteOutput(rejected.number, name: rejected.name, isContinued: isContinued)
    }

    func traceOut(of name: String, _ workspace: Workspace) -> TraceWriter? {
        traced.map { TraceWriter(ByteOutput($0.number, name: $0.name), name: name, workspace) }
    }
}

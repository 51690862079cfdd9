import ArgumentParser
import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryRuntime
import BelfryService
import BelfryStore
import Foundation
import Synchronization

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Decide signals as a service: over HTTP, with the journal of the store behind it.",
        discussion: """
            Without 'serve: { tokens }' or 'serve: { jwt }' in the configuration a token is made for this start, and printed. SIGTERM and Ctrl-C end \
            it when everything that was accepted is done.

            Examples:
              belfry serve
              belfry serve --config belfry.yaml --store sqlite:belfry.db
              belfry serve --shadow other.yaml
              belfry serve --listen 127.0.0.1:0 --manage unix:/run/belfry.sock
              belfry serve --store postgres://belfry@db/belfry --advertise host-1:8787
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("Where the API is: HOST:PORT or unix:PATH.", valueName: "address"), transform: address)
    var listen: SocketAddressText?

    @Option(
        help: ArgumentHelp("Where health, metrics and reload are: HOST:PORT or unix:PATH.", valueName: "address"),
        transform: address)
    var manage: SocketAddressText?

    @Option(
        help: ArgumentHelp(
            "Where other replicas over one database reach the API: HOST:PORT. Default: as configured, else where it listens.",
            valueName: "address"), transform: networkAddress)
    var advertise: SocketAddressText?

    @Option(help: Arguments.storeHelp)
    var store: String?

    @Option(
        help: ArgumentHelp(
            "How many threads share the subjects. Default: one for each processor, at most 4.", valueName: "count"))
    var shards: Int?

    @Option(help: Arguments.isolationHelp)
    var isolation: Configuration.Isolation?

    @Option(help: ArgumentHelp("What lets time pass: the time of day too, or signals alone.", valueName: "clock"))
    var clock = Run.ClockKind.wall

    @Option(help: ShadowOption.help, completion: .file())
    var shadow: String?

    func validate() throws {
        if let shards, !(1...64).contains(shards) {
            throw ValidationError("--shards is \(shards); expected 1 to 64")
        }
    }

    func run() throws {
        // It asks for a reload, and does not end a service that has not come so far.
        signal(SIGHUP, SIG_IGN)
        keepFreedMemory()
        let workspace = try options.workspace()
        let source = try DecisionSource(workspace, isolation ?? workspace.isolation)
        for remark in source.remarks(of: workspace) { Console.say(remark) }
        let location = try workspace.store(override: store)
        if location == .memory { Console.say(Self.memoryRemark) }
        // Before any thread that could be interrupted by them.
        let stop = StopSignals()
        var settings = settings(workspace, location)
        settings.shadow = try shadow.map { name in
            let other = try workspace.workspace(at: name, option: "--shadow")
            return try Shadow.Settings(name, other, isolation ?? other.isolation, like: settings.runner)
        }
        let service = try BelfryService(workspace, source, settings)
        try wait { try await service.run { await stop.wait() } }
    }

    private func settings(_ workspace: Workspace, _ location: StoreLocation) -> BelfryService.Options {
        let configured = workspace.configuration.service
        var runner = Runner.Options()
        runner.take(workspace.configuration)
        runner.journal.take(configured)
        runner.hasWallClock = clock == .wall
        runner.shards = shards ?? min(4, ProcessInfo.processInfo.activeProcessorCount)
        // The reader of the configuration has seen to it that these are addresses.
        var options = BelfryService.Options(
            listen: listen ?? SocketAddressText(configured.listen)!,
            manage: manage ?? SocketAddressText(configured.manage)!, store: location, runner: runner,
            files: ServiceFiles(of: configured, at: workspace.document.path), say: Console.say)
        options.advertise = advertise ?? configured.advertise.flatMap { SocketAddressText($0) }
        return options
    }

    private static let memoryRemark = """
        the store is in memory, and so is the journal: 'durable' means decided here, and all is gone when the service ends
        """
}

/// Waits for what is done elsewhere.
private func wait(for body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
        isDone.signal()
    }
    isDone.wait()
    try outcome.withLock { $0 }?.get()
}

private func address(_ text: String) throws -> SocketAddressText {
    guard let address = SocketAddressText(text) else {
        throw ValidationError("'\(text)' is no address; write for example 127.0.0.1:8787 or unix:/run/belfry.sock")
    }
    return address
}

/// No replica passes on to a unix socket.
private func networkAddress(_ text: String) throws -> SocketAddressText {
    guard let address = SocketAddressText(text), case .network = address else {
        throw ValidationError("'\(text)' is no address that other replicas reach; write for example 10.0.0.2:8787")
    }
    return address
}

extension ConfigurationDocument {
    /// Where a file is that the configuration names.
    func path(of name: String) -> String { name.hasPrefix("/") ? name : folder + "/" + name }
}

extension StopSignals {
    /// Returns with the first of the signals, or when its task is cancelled: a listener that cannot be opened ends the service, too.
    func wait() async {
        let end = EndOfWait()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    var polls = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    while poll(&polls, 1, 500) < 1, !end.hasCome.load(ordering: .relaxed) {}
                    continuation.resume()
                }
            }
        } onCancel: {
            end.hasCome.store(true, ordering: .relaxed)
        }
    }
}

private final class EndOfWait: Sendable {
    let hasCome = Atomic(false)
}

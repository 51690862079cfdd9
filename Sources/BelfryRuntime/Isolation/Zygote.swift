import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryPluginHost
import CLinux
import Foundation
import Synchronization

/// A process that has loaded a configuration with its plugins, and does nothing but fork: what is forked can decide at once.
///
/// This process loads no plugin. When the zygote ends, whatever ended it, another one is started.
public final class Zygote: Sendable {
    public let configuration: Configuration
    public let remarks: [String]
    let provenance: Provenance
    /// What the differences of records refer to.
    let names: [UInt8]
    /// The ids of the chain's entries, and which of them are of plugins from outside the executable's own folder.
    let entries: [String]
    let foreign: [Int]
    private let start: Start
    private let link: Mutex<Link>

    /// What a zygote is started with, and another one when it has ended: the files of the configuration may be others by then.
    fileprivate struct Start {
        let executable: String
        let environment: [String: String]
        let snapshot: WorkspaceSnapshot
        /// Those of the chain that are not beside the executable.
        let plugins: [String]
    }

    /// What a process is forked for.
    enum Role: Int {
        case shard, actions, question, trial
    }

    /// - Throws: `ZygoteRefusal` if the configuration is wrong, or a plugin harms the process.
    public init(_ workspace: Workspace) throws {
        (configuration, provenance) = (workspace.configuration, workspace.provenance)
        start = Start(
            executable: workspace.host.executable, environment: workspace.host.environment,
            snapshot: workspace.snapshot, plugins: workspace.foreignPlugins)
        belfry_adopt_orphans()
        let (link, hello) = try Link.open(start)
        (remarks, names, entries) = (hello.remarks, hello.names, hello.entries)
        foreign = workspace.foreignEntries
        self.link = Mutex(link)
    }

    /// So often a process may be ended from outside at its beginning.
    private static let mostAttempts = 20

    /// Forks a process, and waits until it says that it is there.
    ///
    /// - Parameters:
    ///   - prepare: makes what is to be spoken over, and the descriptors of the other side, which are closed here.
    ///   - hear: waits for the number of the process; nil if it has ended before.
    func fork<Channel>(
        _ role: Role, _ settings: [UInt8], over prepare: () throws -> (Channel, other: [Int32]),
        hear: (Channel) -> pid_t?
    ) throws -> (Channel, process: pid_t) {
        for _ in 0..<Self.mostAttempts {
            // Each process has its own: it is not known how far the one before has come.
            let (channel, other) = try prepare()
            let isForked = Result { try fork(role, settings, other) }
            // Before it is heard: it hangs up when it ends.
            for descriptor in other { close(descriptor) }
            // Also if nothing was forked: its end is heard at once then, and the channel closed.
            let process = hear(channel)
            if try isForked.get(), let process { return (channel, process) }
        }
        throw ShardFailure.noBeginning
    }

    /// - Returns: false if the zygote was ended from outside; there is another one then.
    private func fork(_ role: Role, _ settings: [UInt8], _ descriptors: [Int32]) throws -> Bool {
        try link.withLock { link in
            if link.fork(role, settings, descriptors) { return true }
            link = try Link.open(start).0
            return false
        }
    }
}

/// What a zygote says when it has loaded everything.
struct ZygoteHello {
    var remarks: [String]
    var names: [UInt8]
    var entries: [String]
}

/// A configuration that a zygote could not load.
public struct ZygoteRefusal: Error, CustomStringConvertible {
    public let description: String

    init(description: String) { self.description = description }

    fileprivate init(_ why: String) {
        description = """
            cannot load the plugins
              why: \(why)
              fix: 'belfry plugins check FILE' looks at a plugin alone; take out of 'chain' what does not work
            """
    }

    fileprivate static func nonsense(of plugins: [String]) -> ZygoteRefusal {
        let names = plugins.map { "'\($0)'" }.joined(separator: ", ")
        return ZygoteRefusal(
            "the process that loads them said what makes no sense: most likely a plugin writes where it may not"
                + (names.isEmpty ? "" : "; those from elsewhere are \(names)"))
    }

    static func ended(_ end: ProcessEnd) -> ZygoteRefusal {
        // As `belfry_note_lifecycle` has it end.
        if case .exit(let status) = end, (1...2).contains(status) {
            return ZygoteRefusal(
                "the process that loads them ended with status \(status), most likely because of a plugin: if it was in 'create' or 'destroy', the lines above name it"
            )
        }
        return ZygoteRefusal("the process that loads them \(end.words), most likely because of a plugin")
    }
}

/// A zygote's process, and the socket to it.
private final class Link: Sendable {
    let process: pid_t
    private let hasEnded = Atomic(false)
    let socket: FrameSocket

    private static let deadline = Duration.seconds(60)
    /// So often it may be killed from outside before a plugin is blamed.
    private static let mostAttempts = 10

    private init(process: pid_t, socket: FrameSocket) { (self.process, self.socket) = (process, socket) }

    deinit {
        if hasEnded.load(ordering: .relaxed) { return }
        socket.close()
        kill(process, SIGKILL)
        _ = ProcessEnd.wait(for: process)
    }

    /// How it ended, or, if it has not said anything in all that time, that it did not.
    private func end() -> ProcessEnd {
        // It hangs up a moment before it has ended.
        let isDead = ProcessEnd.comes(to: process, within: .seconds(1))
        kill(process, SIGKILL)
        let end = ProcessEnd.wait(for: process) ?? .signal(SIGKILL)
        socket.close()
        hasEnded.store(true, ordering: .relaxed)
        return isDead ? end : .overran
    }

    static func open(_ start: Zygote.Start, attempt: Int = 1) throws -> (Link, ZygoteHello) {
        switch try begin(start) {
        case .success(let link):
            if let frame = try link.load(start) {
                do { return (link, try hello(frame.bytes)) } catch is MessageReader.Nonsense {
                    throw ZygoteRefusal.nonsense(of: start.plugins)
                }
            }
            let end = link.end()
            guard end == .signal(SIGKILL), attempt < mostAttempts else { throw ZygoteRefusal.ended(end) }
        case .failure(.signal(SIGKILL)) where attempt < mostAttempts: break
        // What it has forked was ended before it could say its number.
        case .failure(.exit(0)) where attempt < mostAttempts: break
        case .failure(let end): throw ZygoteRefusal.ended(end)
        }
        return try open(start, attempt: attempt + 1)
    }

    /// Starts it: a process that forks the one that stays, and ends.
    private static func begin(_ start: Zygote.Start) throws -> Result<Link, ProcessEnd> {
        let (socket, other) = try FrameSocket.pair()
        let started = ChildProcess.start(
            start.executable, ["__zygote"], environment: Orphans.marked(start.environment), socket: other[0])
        // It hangs up when it ends.
        Glibc.close(other[0])
        guard let started else {
            socket.close()
            throw SystemFailure("start '\(start.executable)' for plugins")
        }
        let process = socket.hearNumber()
        if process == nil { kill(started, SIGKILL) }
        let end = ProcessEnd.wait(for: started) ?? .signal(SIGKILL)
        return process.map { .success(Link(process: $0, socket: socket)) } ?? .failure(end)
    }

    /// Has it load everything.
    ///
    /// - Returns: what it says then; nil if it does not.
    /// - Throws: `ZygoteRefusal` if a plugin does not come back.
    private func load(_ start: Zygote.Start) throws -> FrameSocket.Frame? {
        let (page, descriptor) = try SharedPage<belfry_lifecycle_note>.make()
        defer { Glibc.close(descriptor) }
        var message = MessageWriter()
        message.bytes(Array(try JSONEncoder().encode(start.snapshot)))
        socket.limitSending(to: Self.deadline)
        guard socket.send(message, [descriptor]) else { return nil }
        return try hear(LifecycleWatch(page))
    }

    private func hear(_ watch: consuming LifecycleWatch) throws -> FrameSocket.Frame? {
        let deadline = MonotonicTime.now + Self.deadline
        while !socket.isReadable(until: .now + .milliseconds(100)) {
            if let refusal = watch.look() { throw refusal }
            if deadline < .now { return nil }
        }
        return socket.receive(within: Self.deadline)
    }

    private static func hello(_ bytes: [UInt8]) throws -> ZygoteHello {
        var reader = MessageReader(bytes)
        if let refusal = try reader.optionalText() {
            throw ZygoteRefusal(description: refusal)
        }
        return ZygoteHello(
            remarks: try reader.list { reader throws(MessageReader.Nonsense) in try reader.text() },
            names: Array(try reader.slice()),
            entries: try reader.list { reader throws(MessageReader.Nonsense) in try reader.text() })
    }

    func fork(_ role: Zygote.Role, _ settings: [UInt8], _ descriptors: [Int32]) -> Bool {
        var message = MessageWriter()
        message.number(role.rawValue)
        message.bytes(settings)
        return socket.send(message, descriptors) && socket.receive(within: .seconds(10)) != nil
    }
}

extension Workspace {
    /// The ids of the plugins of those.
    fileprivate var foreignPlugins: [String] {
        let names = foreignEntries.map { configuration.chain[$0].strategy }
        return Set(names.compactMap { plugins.provider(ofStrategy: $0)?.manifest?.id }).sorted()
    }

    /// The places in the chain of entries whose plugins are not beside the executable.
    public var foreignEntries: [Int] {
        configuration.chain.indices.filter { index in
            let plugin = plugins.provider(ofStrategy: configuration.chain[index].strategy)
            return plugin.map { !host.isBundled($0) } ?? false
        }
    }
}

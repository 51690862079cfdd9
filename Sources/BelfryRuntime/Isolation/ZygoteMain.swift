import BelfryCore
import BelfryEngine
import BelfryPluginHost
import CLinux
import Foundation

/// What a zygote does: it loads a configuration with its plugins, says how that went, and forks when it is asked to.
///
/// It has one thread, as a process that forks has to.
public enum ZygoteMain {
    /// Where the socket to the host is; first used in the process that stays.
    private static let socket = FrameSocket(3)

    public static func run(log: @escaping HostServices.Log) -> Never {
        let host = getppid()
        belfry_name_process("belfry zygote")
        // How it ends is told by the host.
        belfry_work_is_done()
        endWithHost(host)
        guard socket.sayNumber() else { _exit(1) }
        boundMemory()
        var message = MessageWriter()
        guard let (loaded, sandbox) = load(log, &message) else {
            _ = socket.send(message)
            _exit(0)
        }
        unboundMemory()
        guard socket.send(message) else { _exit(1) }
        while let frame = socket.receive() { fork(frame, loaded, sandbox, host) }
        _exit(0)
    }

    private static func load(
        _ log: @escaping HostServices.Log, _ message: inout MessageWriter
    ) -> (Workspace.Loaded, Sandbox?)? {
        do {
            let (workspace, page) = try readWorkspace(log)
            let loaded = try load(workspace, telling: page)
            message.bool(false)
            message.list(workspace.remarks(on: loaded)) { $0.text($1) }
            message.bytes(loaded.catalog.services.states.bytes)
            message.list(loaded.catalog.configuration.chain) { $0.text($1.id) }
            return (loaded, Sandbox(workspace))
        } catch {
            message.bool(true)
            message.text("\(error)")
            return nil
        }
    }

    /// - Parameter page: where the host is told which entry a plugin sets up.
    private static func load(
        _ workspace: Workspace, telling page: SharedPage<belfry_lifecycle_note>
    ) throws -> Workspace.Loaded {
        belfry_share_lifecycle(page.pointer)
        defer { withExtendedLifetime(page) { belfry_share_lifecycle(nil) } }
        return try workspace.load()
    }

    /// The configuration as the host has read it: its files may be others by now.
    private static func readWorkspace(
        _ log: @escaping HostServices.Log
    ) throws -> (Workspace, SharedPage<belfry_lifecycle_note>) {
        guard let frame = socket.receive(), let descriptor = frame.descriptors.first else { _exit(1) }
        defer { close(descriptor) }
        let page = try SharedPage<belfry_lifecycle_note>(descriptor)
        var reader = MessageReader(frame.bytes)
        let snapshot = try JSONDecoder().decode(WorkspaceSnapshot.self, from: Data(try reader.slice()))
        let workspace = try Workspace(
            snapshot, executable: Workspace.executable, environment: ProcessInfo.processInfo.environment, log: log)
        return (workspace, page)
    }

    private static func fork(
        _ frame: FrameSocket.Frame, _ loaded: Workspace.Loaded, _ sandbox: Sandbox?, _ host: pid_t
    ) {
        let forked = belfry_fork_for(host)
        if forked == 0 { begin(frame, loaded, sandbox) }
        for descriptor in frame.descriptors { close(descriptor) }
        var message = MessageWriter()
        message.bool(forked > 0)
        _ = socket.send(message)
    }

    private static func begin(
        _ frame: FrameSocket.Frame, _ loaded: Workspace.Loaded, _ sandbox: Sandbox?
    ) -> Never {
        socket.close()
        var reader = MessageReader(frame.bytes)
        if let role = (try? reader.number()).flatMap(Zygote.Role.init), let settings = try? reader.slice() {
            belfry_name_process("belfry \(role)")
            // Handlers of actions are there for what lies outside.
            if role != .actions { sandbox?.enter() }
            run(role, Array(settings), frame.descriptors, loaded)
        }
        _exit(0)
    }

    private static func run(
        _ role: Zygote.Role, _ settings: [UInt8], _ descriptors: [Int32], _ loaded: Workspace.Loaded
    ) {
        switch role {
        case .shard:
            var reader = MessageReader(settings)
            guard descriptors.count == 3, let start = try? ShardStart(&reader),
                let channel = try? ShardChannel(socket: descriptors[0], memory: descriptors[1]),
                let records = try? SharedRecords(descriptors[2])
            else { return }
            close(descriptors[1])
            ShardProcessMain(channel, records, loaded, start).run()
        case .actions:
            guard let descriptor = descriptors.first else { return }
            ActionProcessMain(FrameSocket(descriptor), loaded).run()
        case .question:
            guard descriptors.count == 2, let note = try? SharedNote(descriptors[1]) else { return }
            close(descriptors[1])
            RecordQuestion.answer(settings, to: FrameSocket(descriptors[0]), note, by: loaded)
        case .trial:
            guard let descriptor = descriptors.first else { return }
            StateTrial.answer(settings, to: FrameSocket(descriptor), by: loaded)
        }
    }

    // MARK: The host

    /// Goes on in a process that ends with the host, whatever a plugin does with signals and timers.
    ///
    /// The system would end this one with the thread that started it. What an ancestor has adopted ends with that itself.
    private static func endWithHost(_ host: pid_t) {
        let forked = belfry_fork_for(host)
        if forked != 0 { _exit(forked > 0 ? 0 : 1) }
    }
}

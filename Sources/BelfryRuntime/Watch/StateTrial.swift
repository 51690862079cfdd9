import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryPluginHost
import Glibc

/// Has plugins that are about to be taken load what is stored of their entries, in a process of its own.
struct StateTrial {
    private let plugins: [ScannedPlugin]
    /// The places in the chain of their entries.
    private let entries: [Int]
    private let workspace: Workspace

    private static let patience = Duration.seconds(10)

    /// What the process says: what it is about to load, that something cannot be loaded, and that it is done.
    enum Word: Int {
        case loading, refused, done
    }

    init(_ plugins: [ScannedPlugin], in workspace: Workspace) {
        (self.plugins, self.workspace) = (plugins, workspace)
        let names = Set(plugins.flatMap { $0.manifest?.chainNames ?? [] })
        entries = workspace.configuration.chain.indices.filter {
            names.contains(workspace.configuration.chain[$0].strategy)
        }
    }

    /// - Throws: `UnfitPlugin`, or why no process could be had.
    func run(_ records: [(subject: String, bytes: [UInt8])], by zygote: Zygote) throws {
        if entries.isEmpty || records.isEmpty { return }
        var message = MessageWriter()
        message.list(entries) { $0.number($1) }
        message.list(records) {
            $0.text($1.subject)
            $0.bytes($1.bytes)
        }
        let settings = message.array
        let (socket, process) = try zygote.fork(.trial, settings, over: FrameSocket.pair) { $0.hearNumber() }
        let outcome = Result { try follow(socket) }
        socket.close()
        // It hangs up a moment before it has ended.
        let isDead = ProcessEnd.comes(to: process, within: .seconds(1))
        kill(process, SIGKILL)
        let end = ProcessEnd.wait(for: process) ?? .exit(0)
        guard let last = try outcome.get() else { return }
        throw unfit(
            last.entry, "its process \((isDead ? end : .overran).words) when it loaded \(Self.what(last.subject))")
    }

    /// - Returns: what was being loaded when it fell silent; nil if it came to the end.
    private func follow(_ socket: FrameSocket) throws -> (entry: Int, subject: String)? {
        var last = (entry: entries[0], subject: "")
        while let frame = socket.receive(within: Self.patience) {
            var reader = MessageReader(frame.bytes)
            let word = Word(rawValue: try reader.number())
            if word == .done { return nil }
            last = (try reader.number(), try reader.text())
            if word == .refused { throw unfit(last.entry, "\(try reader.text()) (\(Self.what(last.subject)))") }
        }
        return last
    }

    private static func what(_ subject: String) -> String { "what is stored for subject '\(subject)'" }

    private func unfit(_ entry: Int, _ why: String) -> UnfitPlugin {
        let chain = workspace.configuration.chain
        let entry = chain.indices.contains(entry) ? chain[entry] : chain[entries[0]]
        let plugin = plugins.first { $0.manifest?.chainNames.contains(entry.strategy) ?? false } ?? plugins[0]
        return UnfitPlugin(
            plugin, "entry '\(entry.id)': \(why)",
            fix: "have it load what its former version has saved, and put it there again")
    }
}

extension StateTrial {
    /// What a process does that was forked for a trial.
    static func answer(_ settings: [UInt8], to socket: FrameSocket, by loaded: Workspace.Loaded) {
        guard socket.sayNumber() else { return }
        var reader = MessageReader(settings)
        do {
            let entries = try reader.list { reader throws(MessageReader.Nonsense) in try reader.number() }
            let records = try reader.list { reader throws(MessageReader.Nonsense) in
                (subject: try reader.text(), bytes: Array(try reader.slice()))
            }
            let engine = Engine(loaded.catalog)
            for (subject, bytes) in records {
                // One that cannot be read says nothing about a plugin; what asks for it is told.
                guard let record = try? SubjectRecord(of: subject, bytes) else { continue }
                for entry in entries {
                    guard say(.loading, entry, subject, to: socket) else { return }
                    if let why = engine.refusalOfStates(of: entry, in: record) {
                        _ = say(.refused, entry, subject, why, to: socket)
                        return
                    }
                }
            }
            var message = MessageWriter()
            message.number(Word.done.rawValue)
            _ = socket.send(message)
        } catch {
            _ = say(.refused, 0, "", "\(error)", to: socket)
        }
    }

    private static func say(_ word: Word, _ entry: Int, _ subject: String, _ why: String = "", to socket: FrameSocket)
        -> Bool
    {
        var message = MessageWriter()
        message.number(word.rawValue)
        message.number(entry)
        message.text(subject)
        message.text(why)
        return socket.send(message)
    }
}

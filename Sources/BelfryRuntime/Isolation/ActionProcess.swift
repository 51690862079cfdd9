import BelfryCore
import BelfryEngine
import BelfryModel
import Foundation

/// Runs actions in a process of its own: a handler that crashes costs its action, and the process.
final class ActionProcess: ActionCalls {
    private var zygote: Zygote
    private var running: (number: pid_t, socket: FrameSocket)?

    init(_ zygote: Zygote) { self.zygote = zygote }

    deinit { end() }

    func take(_ source: DecisionSource) {
        guard case .processes(let next) = source else { return }
        end()
        zygote = next
    }

    func run(_ invocations: [Decision.Invocation]) -> [Decision.Outcome] {
        var outcomes: [Decision.Outcome] = []
        while outcomes.count < invocations.count {
            do {
                outcomes += try attempt(invocations[outcomes.count...])
                guard outcomes.count < invocations.count else { break }
                outcomes.append(loss())
            } catch {
                outcomes.append(failed("no process could be had for it: \(error)"))
            }
        }
        return outcomes
    }

    /// - Returns: what came of them, up to the one that the process did not survive.
    private func attempt(_ invocations: ArraySlice<Decision.Invocation>) throws -> [Decision.Outcome] {
        let socket = try running?.socket ?? begin()
        var message = MessageWriter()
        message.list(invocations) { $0.value($1.value) }
        var outcomes: [Decision.Outcome] = []
        guard socket.send(message) else { return [] }
        while outcomes.count < invocations.count, let frame = socket.receive(within: timeout + Self.grace),
            let outcome = Decision.Outcome(frame)
        {
            outcomes.append(outcome)
        }
        return outcomes
    }

    /// The process itself sees to handlers that take too long; one that is stopped, or that another one outlives, does not.
    private var timeout: Duration { zygote.configuration.actions.timeout }
    private static let grace = Duration.seconds(1)

    /// What came of an invocation after which nothing was heard any more.
    private func loss() -> Decision.Outcome {
        // It hangs up a moment before it has ended.
        let isThere = running.map { !ProcessEnd.comes(to: $0.number, within: Self.grace) } ?? false
        if isThere, let running { kill(running.number, SIGKILL) }
        let how = end() ?? .exit(0)
        if !isThere { return failed("the handler's process \(how.words)") }
        return Decision.Outcome(
            status: .timedOut, error: "the handler's process has not answered within \(timeout), and was ended")
    }

    private func failed(_ error: String) -> Decision.Outcome { Decision.Outcome(status: .failed, error: error) }

    private func begin() throws -> FrameSocket {
        let (socket, number) = try zygote.fork(.actions, [], over: FrameSocket.pair) { $0.hearNumber() }
        // One that is stopped takes nothing, either.
        socket.limitSending(to: timeout + Self.grace)
        running = (number, socket)
        return socket
    }

    @discardableResult
    private func end() -> ProcessEnd? {
        guard let (number, socket) = running else { return nil }
        running = nil
        socket.close()
        // It was hung up on, and ends by itself, unless it is stopped.
        if !ProcessEnd.comes(to: number, within: Self.grace) { kill(number, SIGKILL) }
        return ProcessEnd.wait(for: number)
    }
}

/// What a process for actions does: it runs what it is told, and says after each how that went.
final class ActionProcessMain {
    private let socket: FrameSocket
    private let runner: ActionRunner

    init(_ socket: FrameSocket, _ loaded: Workspace.Loaded) {
        self.socket = socket
        runner = ActionRunner(of: loaded.catalog, loaded.providers) { warning in
            FileHandle.standardError.write(Data("warning: \(warning)\n".utf8))
        }
    }

    func run() {
        guard socket.sayNumber() else { return }
        while let frame = socket.receive(), let calls = try? invocations(frame) {
            for call in calls {
                var message = MessageWriter()
                runner.run([call])[0].write(to: &message)
                guard socket.send(message) else { return }
            }
        }
    }

    private func invocations(_ frame: FrameSocket.Frame) throws -> [Decision.Invocation] {
        var reader = MessageReader(frame.bytes)
        return try reader.list { reader throws(MessageReader.Nonsense) in
            guard let call = Decision.Invocation(try reader.value()) else { throw MessageReader.Nonsense() }
            return call
        }
    }
}

extension Decision.Outcome {
    fileprivate func write(to message: inout MessageWriter) {
        message.text(status.rawValue)
        message.optionalText(handler)
        message.optionalText(error)
        message.optional(result) { $0.value($1) }
    }

    fileprivate init?(_ frame: FrameSocket.Frame) {
        var reader = MessageReader(frame.bytes)
        do throws(MessageReader.Nonsense) {
            self.init(
                status: try reader.word(),
                handler: try reader.optionalText(),
                error: try reader.optionalText(),
                result: try reader.optional { reader throws(MessageReader.Nonsense) in try reader.value() })
        } catch {
            return nil
        }
    }
}

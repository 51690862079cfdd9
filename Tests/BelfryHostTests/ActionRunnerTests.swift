import BelfryEngine
import BelfryModel
import CBelfry
import Glibc
import Testing

@testable import BelfryRuntime

/// Handlers on a thread of their own: those that come back, and those that do not.
@Suite struct ActionRunnerTests {
    private typealias Result = UnsafePointer<belfry_action_result>?

    // MARK: Handlers

    /// Answers with its text.
    private static let echo: @convention(c) (UnsafePointer<CChar>, Result) -> belfry_status = { text, result in
        var value = belfry_value()
        value.kind = BELFRY_TEXT
        value.text = belfry_text(bytes: text, length: UInt64(strlen(text)))
        result?.pointee.set(result?.pointee.owner, &value)
        return BELFRY_OK
    }

    /// Returns when there is something to read, and then writes its text.
    private static let hold: @convention(c) (Int64, Int64, UnsafePointer<CChar>, Result) -> belfry_status = {
        input, output, text, result in
        var byte: UInt8 = 0
        guard read(Int32(input), &byte, 1) == 1 else { return BELFRY_FAILED }
        write(Int32(output), text, strlen(text))
        return echo(text, result)
    }

    /// Answers with the thread it was called on.
    private static let whereami: @convention(c) (Result) -> belfry_status = { result in
        String(UInt(pthread_self())).withCString { echo($0, result) }
    }

    /// A pipe that holds handlers back, and one that they write to. Never closed: a handler that comes late, when its test is
    /// over, would write into whatever has the number by then.
    private final class Gate {
        private(set) var held: [Int32] = [0, 0]
        private(set) var said: [Int32] = [0, 0]

        init() {
            pipe(&held)
            pipe(&said)
        }

        /// Lets one call through.
        func open() { write(held[1], "x", 1) }

        /// Whether that is what handlers wrote; waits for as many bytes.
        func hears(_ text: String) -> Bool {
            var bytes = [UInt8](repeating: 0, count: text.utf8.count)
            var heard = 0
            while heard < bytes.count {
                let count = bytes.withUnsafeMutableBytes { read(said[0], $0.baseAddress! + heard, $0.count - heard) }
                guard count > 0 else { return false }
                heard += count
            }
            return bytes == Array(text.utf8)
        }

        func hold(_ text: String = "held", type: String = "hold") -> Decision.Invocation {
            Decision.Invocation(
                action: Fields([
                    ("type", .text(type)), ("in", .integer(Int64(held[0]))), ("out", .integer(Int64(said[1]))),
                    ("text", .text(text)),
                ]))
        }
    }

    private func echo(_ text: String) -> Decision.Invocation {
        Decision.Invocation(action: Fields([("type", "echo"), ("text", .text(text))]))
    }

    private final class Warnings { var list: [String] = [] }
    private let warnings = Warnings()

    private static let providers = makeProviders()

    private static func makeProviders() -> Providers {
        var providers = Providers()
        providers.add(Self.table("echo", "(text: string)", Self.echo), plugin: "test")
        providers.add(Self.table("hold", "(in: int, out: int, text: string)", Self.hold), plugin: "test")
        providers.add(Self.table("hold-too", "(in: int, out: int, text: string)", Self.hold), plugin: "test")
        providers.add(Self.table("where", "()", Self.whereami), plugin: "test")
        return providers
    }

    private func catalog(timeout: BelfryModel.Duration = .seconds(1)) throws -> Catalog {
        var configuration = Configuration(app: "test")
        configuration.actions.timeout = timeout
        let services = HostServices(version: "test", zones: .system()) { _ in }
        return try Catalog(configuration, providers: Self.providers, services: services)
    }

    private func runner() throws -> ActionRunner {
        ActionRunner(of: try catalog(), Self.providers) { [warnings] in warnings.list.append($0) }
    }

    private static func table<Function>(
        _ type: StaticString, _ signature: StaticString, _ function: Function
    ) -> UnsafePointer<belfry_action> {
        func text(_ text: StaticString) -> belfry_text {
            belfry_text(
                bytes: UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self),
                length: UInt64(text.utf8CodeUnitCount))
        }
        let table = UnsafeMutablePointer<belfry_action>.allocate(capacity: 1)  // for ever, as a plugin's tables are
        table.initialize(
            to: belfry_action(
                type: text(type), summary: belfry_text(), signature: text(signature),
                function: unsafeBitCast(function, to: belfry_action_function.self)))
        return UnsafePointer(table)
    }

    private static let tooLate = Decision.Outcome(
        status: .timedOut, handler: "test",
        error: "the handler did not return within 1s; what it does later does not count")
    private static let notCalled = Decision.Outcome(
        status: .timedOut, handler: "test",
        error: "the handler was not called: an earlier call of it has not returned yet")

    private func done(_ text: String) -> Decision.Outcome {
        Decision.Outcome(status: .ok, handler: "test", result: .text(text))
    }

    // MARK: In time

    @Test func `a batch is answered in its order, types that nobody provides included`() throws {
        let confetti = Decision.Invocation(action: Fields([("type", "confetti")]))
        let wrong = Decision.Invocation(action: Fields([("type", "echo")]))
        let outcomes = try runner().run([confetti, echo("a"), wrong, echo("b"), confetti])
        let failed = Decision.Outcome(
            status: .failed, handler: "test",
            error: "the action does not fit (text: string): 'text' is missing, expected text")
        #expect(
            outcomes == [
                Decision.Outcome(status: .unknown), done("a"), failed, done("b"), Decision.Outcome(status: .unknown),
            ])
    }

    @Test func `one runner does batch after batch on one thread, which is not this one`() throws {
        let runner = try runner()
        let whereabouts = Decision.Invocation(action: Fields([("type", "where")]))
        let threads = Set((0..<100).flatMap { _ in runner.run([whereabouts, whereabouts]) }.map(\.result?.text))
        #expect(threads.count == 1)
        #expect(threads != [String(UInt(pthread_self()))])
        #expect(runner.run([]) == [])
    }

    // MARK: Too late

    @Test func `a call that does not return is left behind, and the others are made`() throws {
        let gate = Gate()
        let runner = try runner()
        #expect(
            runner.run([echo("a"), gate.hold(), echo("b"), gate.hold(), gate.hold(type: "hold-too"), echo("c")])
                == [done("a"), Self.tooLate, done("b"), Self.notCalled, Self.tooLate, done("c")])
        // One deadline for each stuck handler, not for each action: these cost none.
        let begun = ContinuousClock.now
        #expect(runner.run(Array(repeating: gate.hold(), count: 1000)) == Array(repeating: Self.notCalled, count: 1000))
        #expect(ContinuousClock.now - begun < .seconds(30))
        #expect(
            warnings.list
                == ["hold", "hold-too"].map {
                    "the handler of action '\($0)' in plugin 'test' did not return within 1s; until it does it is not called again, "
                        + "and its actions are 'timed-out'"
                })
        gate.open()
        gate.open()
        #expect(gate.hears("heldheld"))
    }

    @Test func `what was lent to a late handler stays until it returns`() throws {
        let gate = Gate()
        let runner = try runner()
        #expect(runner.run([gate.hold("here still")]) == [Self.tooLate])
        // Others use memory of the same size meanwhile.
        for round in 0..<1000 { _ = runner.run([echo("round \(round)")]) }
        gate.open()
        #expect(gate.hears("here still"))
    }

    @Test func `a handler that came back late is called again, and what it said is lost`() throws {
        let gate = Gate()
        let runner = try runner()
        #expect(runner.run([gate.hold("late")]) == [Self.tooLate])
        gate.open()
        #expect(gate.hears("late"))
        // It is on its way out. From then on the gate is open for this call.
        gate.open()
        var outcomes = runner.run([gate.hold("again")])
        while outcomes == [Self.notCalled] {
            sched_yield()
            outcomes = runner.run([gate.hold("again")])
        }
        #expect(outcomes == [done("again")])
        #expect(warnings.list.count == 1)
    }

    @Test func `a runner need not wait for those it left behind`() throws {
        let gate = Gate()
        do {
            let runner = try runner()
            #expect(runner.run([gate.hold("after all")]) == [Self.tooLate])
        }
        gate.open()
        #expect(gate.hears("after all"))
    }

    // MARK: Other plugins

    @Test func `a runner takes other handlers, and a stuck one that is still there stays stuck`() throws {
        let gate = Gate()
        let runner = try runner()
        #expect(runner.run([gate.hold(), gate.hold(type: "hold-too")]) == [Self.tooLate, Self.tooLate])
        var others = Self.providers
        others.add(Self.table("echo", "()", Self.whereami), plugin: "newcomer")
        others.add(Self.table("hold-too", "(text: string)", Self.echo), plugin: "newcomer")
        runner.take(try catalog(), others)
        let outcomes = runner.run([
            gate.hold(), Decision.Invocation(action: Fields([("type", "echo")])),
            Decision.Invocation(action: Fields([("type", "hold-too"), ("text", "free")])),
        ])
        #expect(outcomes[0] == Self.notCalled)
        #expect(outcomes.map(\.handler) == ["test", "newcomer", "newcomer"])
        #expect(outcomes[2].result == "free")
        runner.take(try catalog(), Providers())
        #expect(runner.run([echo("gone")]) == [Decision.Outcome(status: .unknown)])
        gate.open()
        gate.open()
    }

    @Test func `a runner takes another deadline`() throws {
        let gate = Gate()
        let runner = try runner()
        runner.take(try catalog(timeout: .milliseconds(1)), Self.providers)
        #expect(
            runner.run([gate.hold()]).map(\.error) == [
                "the handler did not return within 1ms; what it does later does not count"
            ])
        gate.open()
    }
}

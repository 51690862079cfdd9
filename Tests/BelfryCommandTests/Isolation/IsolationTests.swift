import BelfryModel
import Foundation
import Testing

/// A faulty plugin costs one verdict: everything else is as if that call had answered fault by itself.
@Suite struct IsolationTests {
    @Test(arguments: FaultyPlugin.Sin.allCases)
    func `every sin costs the call and nothing else`(sin: FaultyPlugin.Sin) throws {
        let polite = try decisions(of: nil, "--shards", "1")
        #expect(polite.filter { $0.contains("strategy.faulted") }.count > 3)
        for options in [["--shards", "1"], ["--shards", "2", "--store", "sqlite:s.db"]] {
            let place = try FaultyPlugin.workplace(sin)
            let result = try run(place, options)
            #expect(result.status == 3, "\(result.errors)")
            let difference = try FaultyPlugin.comparable(result.output).difference(from: polite)
            #expect(difference.isEmpty, "\(options): \(difference.prefix(3))")
            let faults = try result.lines.map { try JSON($0) }.filter { $0["type"] == "strategy.faulted" }
            #expect(Set(faults.compactMap { $0["data"]?.map?["cause"]?.text }) == [sin.cause])
        }
    }

    @Test(arguments: [1, 113, 114])
    func `whatever status it ends the process with, it costs that call`(status: Int) throws {
        let polite = try decisions(of: nil, "--shards", "1")
        let result = try run(try FaultyPlugin.workplace(.lowExit, status: status), ["--shards", "1"])
        #expect(result.status == 3, "\(result.errors)")
        #expect(try FaultyPlugin.comparable(result.output) == polite)
        let faults = try result.lines.map { try JSON($0) }.filter { $0["type"] == "strategy.faulted" }
        let messages = Set(faults.compactMap { $0["data"]?.map?["message"]?.text })
        #expect(messages == ["it ended the process with status \(status)"])
    }

    @Test func `a plugin that is in order decides alike in threads and processes, whatever is killed`() throws {
        let place = try FaultyPlugin.workplace(nil)
        let threads = try run(place, ["--isolation", "thread"])
        let processes = try place.belfry(
            ["run", "--signals", "signals.jsonl", "--until", BusyDay.until, "--isolation", "process"], input: Data()
        ) { process in
            for _ in 0..<6 {
                // Once the zygote has loaded everything and forked; then again, at whatever moment of that.
                try process.wait { Self.children(of: process.processIdentifier).count >= 3 }
                for _ in 0..<4 where process.isRunning {
                    // An action whose process ends has failed.
                    for child in Self.children(of: process.processIdentifier)
                    where Self.name(of: child) != "belfry actions" {
                        kill(child, SIGKILL)
                    }
                    usleep(.random(in: 1000...60_000))
                }
            }
        }
        #expect(processes.status == 3, "\(processes.errors)")
        #expect(processes.lines == threads.lines)
    }

    private func runWithThreadThatCrashes(_ isolation: String) throws -> Command.Result {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            isolation: \(isolation)
            limits: { call: 10s }
            plugins: { directories: [plugins, bundled] }
            chain: [ { strategy: late }, { strategy: dawdler } ]
            campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

            """
        ])
        try PluginFiles.compile([PluginFiles.own("late"), PluginFiles.own("dawdler")], into: place.file("plugins"))
        let signal =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
        return try place.belfry("run", input: signal)
    }

    @Test func `a thread that crashes ends the process with a sentence where it is not contained`() throws {
        let result = try runWithThreadThatCrashes("thread")
        #expect(result.status != 0 && result.output.isEmpty)
        #expect(
            result.errors.contains("the process crashed with signal SIGSEGV outside of the calls of plugins"),
            "\(result.errors)")
    }

    @Test func `a thread that crashes is not blamed on the entry that is asked meanwhile`() throws {
        let result = try runWithThreadThatCrashes("process")
        #expect(result.status == 0, "\(result.errors)")
        let faults = try result.lines.map { try JSON($0) }.filter { $0["type"] == "strategy.faulted" }
        #expect(faults.compactMap { $0["data"]?.map?["strategy"]?.text } == ["late"], "\(result.output)")
    }

    /// Runs four signals, the third one of bob, at whom the plugin does the worst.
    private func run(sinningAgainstBob kind: String, store: String = "memory:") throws -> Command.Result {
        let place = try Workplace(chain: "{ strategy: faulty, control: optional }")
        try PluginFiles.compile([PluginFiles.own("faulty")], into: place.file("plugins"), defining: "RATE=1", kind)
        // The tick has records saved, and the next signal is one of bob.
        let signals = [("09:00", "ana"), ("09:01", nil), ("09:02", "bob"), ("09:03", "ana")].map { time, subject in
            let rest =
                subject.map { #""type":"notification.requested","subject":"\#($0)","data":{"campaign":"sale"}"# }
                ?? #""type":"clock.advanced""#
            return #"{"id":"\#(time)","time":"2026-03-02T\#(time):00Z",\#(rest)}"# + "\n"
        }
        return try place.belfry("run", "--shards", "1", "--store", store, input: signals.joined())
    }

    @Test func `a record that a plugin wrote over ends the run with a sentence`() throws {
        let result = try run(sinningAgainstBob: "KIND=SCRIBBLE")
        #expect(result.status == 1)
        #expect(
            result.errors.contains("the records that a shard's process saved make no sense"), "\(result.errors)")
    }

    @Test(arguments: ["memory:", "sqlite:s.db"])
    func `a plugin that speaks in the place of its process costs its entry that signal`(store: String) throws {
        let result = try run(sinningAgainstBob: "KIND=RING", store: store)
        #expect(result.status == 0, "\(result.errors)")
        let decisions = try result.lines.map { try JSON($0) }
        #expect(decisions.filter { $0["type"] == "notification.created" }.count == 3, "\(result.output)")
        let faults = decisions.filter { $0["type"] == "strategy.faulted" }
        #expect(Set(faults.map { $0["subject"] }) == ["bob"])
        #expect(Set(faults.compactMap { $0["data"]?.map?["cause"]?.text }) == ["nonsense"])
        #expect(
            faults.first?["data"]?.map?["message"]
                == "it wrote where it may not: its process said what makes no sense")
    }

    @Test func `records are what the journal has, also where a plugin decides otherwise the second time`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:belfry.db
            isolation: process
            plugins: { directories: [plugins, bundled] }
            chain:
              - { strategy: moody }
              - { strategy: max-per-period, per: campaign, parameters: { max: 3, period: 1h } }
            campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

            """,
            "signals.jsonl": (0..<40_000).map { number in
                #"{"id":"s\#(number)","type":"notification.requested","subject":"u\#(number % 60)","#
                    + #""time":"\#(Instant(milliseconds: Int64(number) * 1000 + 1_772_000_000_000))","data":{"campaign":"sale"}}"#
            }.asFile,
        ])
        try PluginFiles.compile([PluginFiles.own("moody")], into: place.file("plugins"))
        func outputSize() -> Int {
            let path = place.file("out.jsonl").path
            return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }
        let command = ["run", "--signals", "signals.jsonl", "--shards", "2", "--output", "out.jsonl"]
        _ = try place.belfry(command, input: Data()) { process in
            for size in stride(from: 1 << 20, through: 3 << 20, by: 1 << 20) {
                try process.wait { outputSize() > size }
                for child in Self.children(of: process.processIdentifier) where Self.name(of: child) == "belfry shard" {
                    kill(child, SIGKILL)
                }
            }
            try process.wait { outputSize() > 4 << 20 }
            kill(process.processIdentifier, SIGKILL)
        }
        let verified = try place.belfry("state", "verify")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        let rest = try place.belfry(command, input: Data())
        #expect(rest.status == 0, "\(rest.errors)")
    }

    @Test func `what becomes of its files meanwhile matters to no process that is started`() throws {
        let place = try FaultyPlugin.workplace(nil, rate: 1_000_000)
        let run = try LiveRun(in: place, "--shards", "2")
        let request =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"lingering"}}"#
        func created() throws -> String? {
            try run.send([request])
            while true {
                let decision = try JSON(try run.nextDecision())
                if decision["type"] == "notification.created" { return decision["id"]?.text }
            }
        }
        // The first decision says in which experiment she is.
        #expect(try created() == "ana:2")
        try place.write("chain: [", to: "belfry.yaml")
        try FileManager.default.removeItem(at: place.file("plugins"))
        for child in Self.children(of: run.identifier) { kill(child, SIGKILL) }
        #expect(try created() == "ana:3")
        #expect(try run.end() == 0, "\(run.unheard())")
    }

    @Test func `no process outlives its host`() throws {
        let place = try FaultyPlugin.workplace(.hang, rate: 3)
        try place.write(
            try place.text(of: "belfry.yaml").replacing("call: 60ms", with: "call: 1h"), to: "belfry.yaml")
        var children: [pid_t] = []
        _ = try place.belfry(["run", "--signals", "signals.jsonl"], input: Data()) { process in
            try process.wait {
                children = Self.children(of: process.processIdentifier)
                return children.count >= 2
            }
            kill(process.processIdentifier, SIGKILL)
        }
        #expect(children.count >= 2)
        expectTheirEnd(children)
    }

    @Test func `no process outlives its host where a plugin is set up, whatever that does with signals`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            plugins: { directories: [plugins, bundled] }
            chain: [ { strategy: spoiler } ]
            campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

            """
        ])
        try PluginFiles.compile([PluginFiles.own("spoiler")], into: place.file("plugins"), defining: "SIN=7")
        let run = try LiveRun(in: place, "--isolation", "process")
        try run.hear("the plugin is set up")
        let children = Self.children(of: run.identifier)
        #expect(!children.isEmpty)
        kill(run.identifier, SIGKILL)
        expectTheirEnd(children)
    }

    private func expectTheirEnd(_ children: [pid_t]) {
        let deadline = Date.now + 30
        while Date.now < deadline, children.contains(where: Self.isAlive) { usleep(1000) }
        #expect(!children.contains(where: Self.isAlive))
    }

    @Test func `an observer that crashes changes nothing but that it is told of`() throws {
        let chain = "- { strategy: faulty, control: observer }"
        let results = try [FaultyPlugin.Sin.crash, nil].map {
            try run(try FaultyPlugin.workplace($0, chain: chain), [])
        }
        #expect(try FaultyPlugin.comparable(results[0].output) == FaultyPlugin.comparable(results[1].output))
        #expect(!results[0].output.contains(#""code":"fault""#))
    }

    // MARK: Threads

    @Test(arguments: [
        (FaultyPlugin.Sin.crash, "crashed with signal SIGSEGV"), (.trap, "crashed with signal SIGILL"),
        (.overflow, "crashed with signal SIGSEGV"), (.abort, "crashed with signal SIGABRT"),
        (.exit, "ended the process"), (.hang, "did not return within 60ms"), (.sleep, "did not return within 60ms"),
    ])
    func `in a thread it ends the command with a sentence`(sin: FaultyPlugin.Sin, what: String) throws {
        let place = try FaultyPlugin.workplace(sin)
        let result = try run(place, ["--isolation", "thread"])
        #expect(result.status == 1)
        let line = result.errors.split(separator: "\n").first { $0.hasPrefix("plugin 'test.faulty'") } ?? ""
        #expect(line.hasPrefix("plugin 'test.faulty' \(what): entry 'faulty', hook "), "\(result.errors)")
        #expect(line.contains(", subject '"))
        #expect(result.errors.contains("'belfry strategies disable faulty'"))
        #expect(result.errors.contains("'--isolation process'"))
    }

    // MARK: Help

    private func decisions(of sin: FaultyPlugin.Sin?, _ options: String...) throws -> [String] {
        let result = try run(try FaultyPlugin.workplace(sin), options)
        #expect(result.status == 3, "\(result.errors)")
        return try FaultyPlugin.comparable(result.output)
    }

    private func run(_ place: Workplace, _ options: [String]) throws -> Command.Result {
        try place.belfry(
            ["run", "--signals", "signals.jsonl", "--until", BusyDay.until, "--rejects", "rejects.jsonl"] + options,
            input: Data())
    }

    private static func children(of process: pid_t) -> [pid_t] {
        let list = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return (list ?? "").split(separator: " ").compactMap { pid_t($0) }.filter(isAlive)
    }

    private static func name(of process: pid_t) -> String? {
        try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// A zombie is not.
    private static func isAlive(_ process: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return status.split(separator: ")").last?.split(separator: " ").first != "Z"
    }
}

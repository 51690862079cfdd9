import Foundation
import Testing

/// A whole day through the real thing: the built command, its plugins, and a store in a file.
@Suite struct RunTests {
    private static let golden = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "Golden")
    private let place: Workplace
    private let signals: [String]

    init() throws {
        place = try Workplace(["belfry.yaml": Self.text("belfry.yaml")])
        signals = try Self.text("signals.jsonl").split(separator: "\n").map(String.init)
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: golden.appending(path: name), encoding: .utf8)
    }

    private func run(_ signals: some Collection<String>, _ arguments: String...) throws -> Command.Result {
        let result = try place.belfry(["run"] + arguments, input: Data(Array(signals).asFile.utf8))
        #expect(result.status == 0, "\(result.errors)")
        return result
    }

    // MARK: Decisions

    /// With BELFRY_RECORD set, the file is written anew and the test fails: nothing is recorded by accident.
    @Test func `the decisions of the example are those in the file`() throws {
        let decisions = try run(signals).lines
        if ProcessInfo.processInfo.environment["BELFRY_RECORD"] != nil {
            try Data(decisions.asFile.utf8).write(to: Self.golden.appending(path: "decisions.jsonl"))
            Issue.record("decisions.jsonl was recorded; look at the difference and run again without BELFRY_RECORD")
        }
        let expected = try Self.text("decisions.jsonl").split(separator: "\n").map(String.init)
        for (line, (found, wanted)) in zip(decisions, expected).enumerated() where found != wanted {
            Issue.record("line \(line + 1) of decisions.jsonl is\n  \(wanted)\nbut this was decided:\n  \(found)")
        }
        #expect(decisions.count == expected.count)
    }

    @Test func `the same input gives the same bytes`() throws {
        #expect(try run(signals).output == run(signals).output)
    }

    @Test func `a store in memory and one in a file decide the same`() throws {
        let inFile = try run(signals, "--store", "sqlite:day.db")
        #expect(try run(signals, "--store", "memory:").output == inFile.output)
        #expect(FileManager.default.fileExists(atPath: place.file("day.db").path))
    }

    @Test func `the summary counts what was done, and is JSON when asked for`() throws {
        let result = try run(signals, "--summary", "json")
        let summary = try JSON(#require(result.errors.split(separator: "\n").last.map(String.init)))
        #expect(summary["lines"] == 15)
        #expect(summary["processed"] == 14)
        #expect(summary["duplicates"] == 1)
        #expect(summary["late"] == 1)
        #expect(summary["timersFired"] == 2)
        #expect(summary["rejected"] == [:])
        let total = summary["decisions"]?.map?.entries.compactMap(\.value.integer).reduce(0, +)
        #expect(total == Int64(result.lines.count))
        #expect(try run(signals).errors.contains("15 signals: 14 processed, 1 duplicates, 0 rejected; 1 were late\n"))
    }

    // MARK: Restarts

    @Test func `a run cut in two is one run, wherever the cut is`() throws {
        let whole = try run(signals, "--store", "memory:", "--until", "2026-03-02T12:00:00Z").output
        for cut in stride(from: 0, through: signals.count, by: 3) {
            let store = "sqlite:cut-\(cut).db"
            let first = try run(signals[..<cut], "--store", store).output
            let second = try run(signals[cut...], "--store", store, "--until", "2026-03-02T12:00:00Z").output
            #expect(first + second == whole, "cut after \(cut) signals")
        }
    }

    /// The cap is asked first, and has something to remember last: an empty state is not stored.
    @Test func `a run cut in two leaves the same records, in the same order`() throws {
        try place.write(
            """
            app: shop
            chain:
              - { strategy: max-per-period, id: cap, parameters: { max: 5, period: 1d } }
              - { strategy: occurrences, id: before, parameters: { count: 2, within: 1h } }
            campaigns: [ { id: offer, message: Now } ]
            """, to: "belfry.yaml")
        let requests = (0..<2).map {
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:0\#($0):00Z","data":{"campaign":"offer"}}"#
        }
        _ = try run(requests, "--store", "sqlite:whole.db")
        for request in requests { _ = try run([request], "--store", "sqlite:cut.db") }
        for command in ["show", "export"] {
            let (whole, cut) = try (
                place.belfry("state", command, "ana", "--store", "sqlite:whole.db"),
                place.belfry("state", command, "ana", "--store", "sqlite:cut.db")
            )
            #expect(whole.output == cut.output && whole.output.contains("cap"))
        }
    }

    @Test func `a signal that comes again after a restart is a duplicate`() throws {
        _ = try run(signals, "--store", "sqlite:day.db")
        let again = try run(signals, "--store", "sqlite:day.db", "--summary", "json")
        #expect(again.output == "")
        // A clock has no subject that could remember it.
        #expect(again.errors.contains("\"duplicates\":14,"))
    }

    @Test func `a deferral fires after a restart, when its time comes`() throws {
        try PluginFiles.compile([PluginFiles.own("patient")], into: place.file("plugins"))
        try place.write(
            """
            app: shop
            plugins: { directories: [plugins] }
            chain: [ { strategy: patient } ]
            campaigns: [ { id: offer, message: Now } ]
            """, to: "belfry.yaml")
        let request =
            #"{"id":"r","type":"notification.requested","subject":"ana","time":"2026-03-02T09:20:00Z","data":{"campaign":"offer"}}"#
        let first = try run([request], "--store", "sqlite:day.db").lines
        #expect(first.map(Self.gist) == ["notification.deferred 2026-03-02T09:20:00Z r"])
        #expect(try run([], "--store", "sqlite:day.db", "--until", "2026-03-02T09:59:59Z").lines == [])
        let late = try run([], "--store", "sqlite:day.db", "--until", "2026-03-02T10:30:00Z").lines
        #expect(late.map(Self.gist) == ["notification.created 2026-03-02T10:00:00Z r"])
        #expect(try run([], "--store", "sqlite:day.db", "--until", "2026-03-03T00:00:00Z").lines == [])
    }

    @Test func `no timer beyond the last signal fires unless asked for`() throws {
        let entered = signals[3]
        #expect(!(try run([entered]).output.contains("lingering")))
        #expect(!(try run([entered], "--until", "2026-03-02T09:14:59.999Z").output.contains("lingering")))
        #expect(
            try run([entered], "--until", "2026-03-02T09:15:00Z").output.contains("\"time\":\"2026-03-02T09:15:00Z\""))
    }

    @Test func `a timer of somebody who is behind the others fires in time`() throws {
        let decisions = try run([
            #"{"type":"app.foregrounded","subject":"ana","time":"2026-03-02T12:00:00Z"}"#,
            #"{"id":"in","type":"region.entered","subject":"ben","time":"2026-03-02T09:00:00Z","data":{"region":"store-14"}}"#,
            #"{"id":"out","type":"region.exited","subject":"ben","time":"2026-03-02T09:30:00Z","data":{"region":"store-14"}}"#,
        ]).lines.map(Self.gist)
        #expect(
            decisions == [
                "notification.created 2026-03-02T09:00:00Z in", "notification.suppressed 2026-03-02T09:10:00Z in",
                "notification.deleted 2026-03-02T09:30:00Z out",
            ])
    }

    // MARK: Files and lines

    @Test func `the output file is appended to`() throws {
        try place.write("already here\n", to: "decisions.jsonl")
        #expect(try run(signals, "--output", "decisions.jsonl").output == "")
        #expect(try place.text(of: "decisions.jsonl") == "already here\n" + run(signals).output)
    }

    @Test func `signals are read from a file too`() throws {
        try place.write(signals.asFile, to: "signals.jsonl")
        #expect(try run([], "--signals", "signals.jsonl").output == run(signals).output)
    }

    @Test func `rejects go to their file, which is appended to, and not to standard error`() throws {
        for _ in 1...2 {
            let result = try place.belfry("run", "--rejects", "rejects.jsonl", input: "nope\n" + signals.asFile)
            #expect(result.status == 3)
            #expect(!result.errors.contains("\"line\":1"))
        }
        let rejects = try place.text(of: "rejects.jsonl").split(separator: "\n").map { try JSON(String($0)) }
        #expect(rejects.map { $0["line"] } == [1, 1])
    }

    enum LineEnds: String, CaseIterable {
        case noneAtTheEnd, windows, byteOrderMark, blankLines

        func join(_ lines: [String]) -> String {
            switch self {
            case .noneAtTheEnd: lines.joined(separator: "\n")
            case .windows: lines.joined(separator: "\r\n") + "\r\n"
            case .byteOrderMark: "\u{FEFF}" + lines.asFile
            case .blankLines: "\n \t\n" + lines.joined(separator: "\n\n\r\n") + "\n\n"
            }
        }
    }

    @Test(arguments: LineEnds.allCases)
    func `it does not matter how lines end`(ends: LineEnds) throws {
        let result = try place.belfry("run", input: ends.join(signals))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try result.output == run(signals).output)
    }

    @Test func `without an id the cause is the line, blank ones counted`() throws {
        let signal = #"{"type":"purchase","subject":"ana","time":"2026-03-02T09:00:00Z"}"#
        let result = try place.belfry("run", input: "\n\n" + signal + "\n")
        #expect(result.lines.map(Self.gist) == ["notification.created 2026-03-02T09:00:00Z 3"])
    }

    @Test func `no input gives no decisions`() throws {
        #expect(try run([]).output == "")
    }

    // MARK: Actions

    @Test func `an action that somebody provides is run, one that nobody provides is unknown and warned about`() throws
    {
        let result = try run(signals)
        let invoked = try result.lines.map(JSON.init).filter { $0["type"] == "action.invoked" }.map { $0["data"]?.map }
        #expect(invoked.map { $0?["type"] } == ["url", "dial", "confetti", "url"])
        #expect(invoked.map { $0?["status"] } == ["ok", "ok", "unknown", "ok"])
        #expect(invoked.map { $0?["handler"] } == ["actions", "actions", nil, "actions"])
        #expect(result.errors.contains("warning: ") && result.errors.contains("confetti"))
    }

    /// Type, time and cause of a decision.
    private static func gist(_ line: String) -> String {
        guard let decision = try? JSON(line) else { return line }
        return ["type", "time", "cause"].map { decision[$0]?.text ?? "-" }.joined(separator: " ")
    }
}

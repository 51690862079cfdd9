import Foundation
import Testing

/// How a run ends before its input does, when it is asked to.
@Suite struct StopTests {
    private static let configuration = "app: shop\ncampaigns: [ { id: offer, message: Now } ]\n"

    private static func request(_ number: Int) -> String {
        #"{"id":"r-\#(number)","type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:0\#(number)Z","data":{"campaign":"offer"}}"#
    }

    @Test(arguments: [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")])
    func `a run that waits for signals ends when it is asked to`(signal: Int32, name: String) throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let run = try LiveRun(in: place, "--store", "sqlite:s.db")
        try run.send([Self.request(1)])
        #expect(try run.nextDecision().contains("offer/1"))
        #expect(run.stop(signal) == 0)
        #expect(
            run.unheard() == """
                1 signals: 1 processed, 0 duplicates, 0 rejected; 0 were late
                decisions: 1
                  notification.created: 1
                stopped by \(name); run again to go on

                """)
        let rest = try place.belfry("run", "--store", "sqlite:s.db", input: [Self.request(1), Self.request(2)].asFile)
        #expect(rest.lines.count == 1 && rest.output.contains(#""id":"ana:2""#), "\(rest.output)")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a run within a file ends after its batch, and the next one goes on`(signal: Int32) throws {
        let signals = BusyDay.signals(1000, seed: 3)
        let wanted = try Victim(BusyDay.configuration(batch: 500), signals: signals).remainsUndisturbed()
        let victim = try Victim(BusyDay.configuration(batch: 2), signals: signals)
        let stopped = try victim.live { process in
            try process.wait { ((try? victim.place.text(of: "decisions.jsonl")) ?? "").isEmpty == false }
            kill(process.processIdentifier, signal)
        }
        #expect(stopped.status == 0 || stopped.status == 3, "\(stopped.errors)")
        #expect(stopped.errors.contains("stopped by SIG"))
        let remains = try victim.remains()
        #expect(!victim.isDone && (1..<wanted.decisions.count).contains(remains.decisions.count))
        #expect(wanted.decisions.starts(with: remains.decisions))
        try victim.place.write(BusyDay.configuration(batch: 500), to: "belfry.yaml")
        try victim.live()
        expectSame(try victim.remains(), wanted, "stopped after \(remains.decisions.count) decisions")
    }

    @Test func `the second one ends a run at once, even one that hangs in a plugin`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            plugins: { directories: [plugins] }
            chain: [ { strategy: endless } ]
            campaigns: [ { id: offer, message: Now } ]
            """
        ])
        try PluginFiles.compile([PluginFiles.own("endless")], into: place.file("plugins"))
        let run = try LiveRun(in: place, "--store", "sqlite:s.db")
        try run.send([Self.request(1)])
        try run.hear("here I stay")
        // Of two pending signals the one with the smaller number is delivered first.
        #expect(run.stop(SIGINT, SIGTERM) == -SIGTERM)
    }

    @Test func `a reader that goes away is told of, and the next one gets everything`() throws {
        let victim = try Victim(BusyDay.configuration(batch: 20), signals: BusyDay.signals(60, seed: 1))
        let wanted = try victim.remainsUndisturbed()
        var deserted = try Victim(BusyDay.configuration(batch: 20), signals: BusyDay.signals(60, seed: 1))
        deserted.way = .fileToReader
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let result = try deserted.place.belfry(
            "run", "--store", "sqlite:s.db", "--signals", "signals.jsonl", "--rejects", "rejects.jsonl",
            output: pipe.fileHandleForWriting)
        #expect(result.status == 1)
        #expect(
            result.withoutWarnings == """
                cannot write to standard output
                  why: Broken pipe
                  fix: check the file, the disk or the program that reads it; what is in the store is safe

                """)
        try deserted.live()
        expectSame(try deserted.remains(), wanted, "after a reader went away")
    }
}

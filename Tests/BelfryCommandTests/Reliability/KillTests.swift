import Foundation
import Testing

/// Runs that are killed, and what the next ones make of it.
@Suite struct KillTests {
    private static let isLong = ProcessInfo.processInfo.environment["BELFRY_KILLS"] != nil
    private let place = "/belfry-command-"

    private func victim(_ lines: Int, batch: Int, seed: UInt64 = 1) throws -> Victim {
        var victim = try Victim(
            BusyDay.configuration(batch: batch), signals: BusyDay.signals(lines, seed: seed))
        victim.arguments = ["--until", BusyDay.until]
        return victim
    }

    /// Every moment there is: before, within and after each call that changes a file.
    @Test(arguments: [Strike.How.before, .half, .after])
    func `a kill at any call to the system changes nothing`(how: Strike.How) throws {
        let wanted = try victim(24, batch: 12).remainsUndisturbed()
        #expect(wanted.decisions.count > 5)
        let step = Self.isLong ? 1 : 17
        var call = Self.isLong ? 1 : [.before: 1, .half: 7, .after: 13][how]!
        while true {
            let victim = try victim(24, batch: 12)
            let first = try victim.live(Strike(call: call, how: how, file: place))
            guard first.status == -SIGKILL else { break }
            try goOn(victim, wanted, "killed at call \(call)")
            call += step
        }
        #expect(call > 50, "only \(call) calls were struck")
    }

    /// The second life has something to hand out again, and does not get far with it.
    @Test func `a kill while the last batch is handed out again changes nothing`() throws {
        let wanted = try victim(24, batch: 12).remainsUndisturbed()
        let first = try callThatWrites(to: "decisions.jsonl", of: 24)
        for second in 1...(Self.isLong ? 60 : 4) {
            let victim = try victim(24, batch: 12)
            #expect(try victim.live(Strike(call: first, how: .half, file: "decisions.jsonl")).status == -SIGKILL)
            _ = try victim.live(Strike(call: second, how: .half, file: "decisions.jsonl"))
            _ = try victim.live(Strike(call: second * 5, how: .after, file: place))
            try goOn(victim, wanted, "killed again at call \(second)")
        }
    }

    private func callThatWrites(to file: String, of lines: Int) throws -> Int {
        // The calls on the output are in turn: its length is made durable, then the batch is written.
        for call in 1...10 {
            let victim = try victim(lines, batch: 12)
            _ = try victim.live(Strike(call: call, how: .half, file: file))
            let text = try victim.place.text(of: file)
            if !text.isEmpty, !text.hasSuffix("\n") { return call }
        }
        Issue.record("nothing is written to \(file)")
        return 1
    }

    private func goOn(_ victim: Victim, _ wanted: Victim.Remains, _ what: String) throws {
        if !victim.isDone {
            let last = try victim.live()
            #expect(last.status == 0 || last.status == 3, "\(what): \(last.errors)")
        }
        expectSame(try victim.remains(), wanted, what)
    }
}

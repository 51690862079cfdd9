import Foundation
import FuzzInput
import Testing

/// `belfry run` over a load, killed at random moments until enough is enough (`make crash`).
///
/// Each run is killed and started again until it comes to its end. What is left then has to be what an undisturbed run leaves,
/// byte for byte: the decisions, and the record of every subject.
@Suite struct CrashTests {
    private let load = Load()
    private let deaths = Load.number("BELFRY_CRASH") ?? 24
    private let seed = Load.number("BELFRY_SEED").map(UInt64.init) ?? 1

    @Test func `kills at random moments lose nothing and repeat nothing`() throws {
        var dice = Dice(seed: seed)
        let undisturbed = try load.victim(.fileToFile)
        let began = ContinuousClock.now
        let wanted = try undisturbed.remainsUndisturbed()
        let duration = began.duration(to: .now)
        try #require(wanted.decisions.count > 100 && wanted.records.count > 4)
        var tally = Tally(calls: try load.countCalls(), duration: duration)
        for number in 0... {
            let way = load.ways[number % load.ways.count]
            let victim = try load.victim(way)
            while tally.deaths < deaths, !victim.isDone, try die(victim, &tally, &dice) {}
            if !victim.isDone { try victim.live() }
            let remains = try victim.remains()
            expectSame(remains, wanted, "seed \(seed), \(way), after \(tally.deaths) deaths")
            tally.add(remains, wanted)
            print(tally)
            guard tally.deaths >= deaths else { continue }
            try expectSameExports(victim, undisturbed, Array(wanted.records.keys))
            break
        }
    }

    /// One life. A third of the deaths come by the clock, the others at a call that changes a file, early and late ones alike.
    ///
    /// - Returns: whether it was killed before it came to its end.
    private func die(_ victim: Victim, _ tally: inout Tally, _ dice: inout Dice) throws -> Bool {
        let life: Command.Result
        if dice.happens(0.33) {
            life = try victim.live(killedAfter: tally.duration * Double.random(in: 0...0.15, using: &dice))
        } else {
            let reach = Double(tally.calls) * dice.pick([0.0005, 0.005, 0.05])
            let call = 1 + Int(Double.random(in: 0..<max(reach, 20), using: &dice))
            life = try victim.live(
                Strike(call: call, how: dice.pick([.before, .half, .after]), file: Load.places))
        }
        #expect([-SIGKILL, 0, 3].contains(life.status), "\(life.errors)")
        tally.lives += 1
        guard life.status == -SIGKILL else { return false }
        tally.deaths += 1
        return true
    }

    /// What a user sees of every subject.
    private func expectSameExports(_ one: Victim, _ other: Victim, _ subjects: [String]) throws {
        for subject in subjects.sorted() {
            for command in ["export", "show"] {
                let texts = try [one, other].map {
                    try $0.place.belfry("state", command, subject, "--store", "\($0.store)").output
                }
                #expect(texts[0] == texts[1] && !texts[0].isEmpty, "state \(command) \(subject)")
            }
        }
    }
}

/// What came of it all, in numbers.
private struct Tally: CustomStringConvertible {
    /// Of an undisturbed run.
    let calls: Int
    let duration: Duration
    var deaths = 0
    var lives = 0
    var runs = 0
    var decisions = 0
    var lost = 0
    var repeated = 0
    let began = ContinuousClock.now

    init(calls: Int, duration: Duration) { (self.calls, self.duration) = (calls, duration) }

    mutating func add(_ found: Victim.Remains, _ wanted: Victim.Remains) {
        runs += 1
        decisions += found.decisions.count
        let lines = Set(found.decisions)
        lost += wanted.decisions.count { !lines.contains($0) }
        repeated += found.decisions.count - lines.count
    }

    var description: String {
        """
        \(deaths) kills in \(runs) runs (\(lives) processes were killed or came to the end): \(decisions) decisions, \
        \(lost) lost, \(repeated) repeated; \(began.duration(to: .now).formatted(.units(allowed: [.minutes, .seconds])))
        """
    }
}

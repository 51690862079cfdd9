import BelfryCore
import BelfryModel
import Synchronization
import Testing

@testable import BelfryRuntime

/// Who is left out for how long, with time moved by hand.
@Suite struct QuarantineTests {
    private static func at(_ seconds: Double) -> Instant { Instant(milliseconds: Int64(seconds * 1000)) }

    /// For how long an entry is left out after faults at these seconds; nil for a fault that changes nothing.
    private static func stays(_ faults: [Double]) -> [Int64?] {
        var quarantine = Quarantine()
        return faults.map { quarantine.fault(of: "x", at: at($0)).map { $0.milliseconds / 1000 } }
    }

    @Test func `three faults within a minute bring an entry in, and each further one for twice as long`() {
        #expect(Self.stays([0, 30, 59]) == [nil, nil, 1])
        #expect(Self.stays([0, 30, 61]) == [nil, nil, nil])
        #expect(Self.stays([0, 30, 61, 80]) == [nil, nil, nil, 1])
        #expect(Self.stays([0, 0, 0, 0.5, 1, 3, 7, 15]) == [nil, nil, 1, nil, 2, 4, 8, 16])
    }

    @Test func `it is never left out for longer than five minutes`() {
        var (quarantine, now) = (Quarantine(), 0.0)
        var stays: [Int64] = []
        for _ in 0..<14 {
            guard let stay = quarantine.fault(of: "x", at: Self.at(now)) else { continue }
            stays.append(stay.milliseconds / 1000)
            now += Double(stay.milliseconds) / 1000
        }
        #expect(stays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    }

    @Test func `after a minute without a fault all is forgotten`() {
        #expect(Self.stays([0, 0, 0, 60.9]) == [nil, nil, 1, 2])
        #expect(Self.stays([0, 0, 0, 61.1, 62, 63]) == [nil, nil, 1, nil, nil, 1])
    }

    @Test func `it is excluded until its time is over, and shown until it has been at work again`() {
        var quarantine = Quarantine()
        for _ in 0..<3 { _ = quarantine.fault(of: "x", at: Self.at(10)) }
        _ = quarantine.fault(of: "y", at: Self.at(10))
        #expect(quarantine.excluded(at: Self.at(10.9)) == ["x"])
        quarantine.didWork(except: [], at: Self.at(10.9))
        #expect(quarantine.entries(at: Self.at(10.9)) == ["x"], "nobody has called it")
        #expect(quarantine.excluded(at: Self.at(11)) == [])
        #expect(quarantine.entries(at: Self.at(11)) == ["x"])
        quarantine.didWork(except: ["x"], at: Self.at(11))
        #expect(quarantine.entries(at: Self.at(11)) == ["x"])
        quarantine.didWork(except: [], at: Self.at(11))
        #expect(quarantine.entries(at: Self.at(11)) == [])
    }

    @Test func `faults that a plugin tells of itself count when their batch is committed`() {
        let now = Mutex(Self.at(0))
        let quarantine = EntryQuarantine { now.withLock { $0 } }
        func note(_ cause: Decision.FaultCause, _ count: Int) {
            let kind = SignalCounts.FaultKind(entry: "x", cause: cause)
            let numbers = [1] + Array(repeating: 0, count: SignalCounts().numbers.count - 1)
            quarantine.note([SignalCounts(numbers: numbers, ignored: [:], faults: [kind: count], silenced: [:])!])
        }
        note(.error, 2)
        note(.crash, 5)
        #expect(quarantine.entries == [], "who died was noted when it did")
        note(.nonsense, 1)
        #expect(quarantine.entries == ["x"])
        #expect(
            quarantine.takeNews().map { $0.split(separator: "\n")[0] } == [
                "entry 'x' is quarantined for 1s: it answers nonsense"
            ])
        note(.quarantined, 1)
        now.withLock { $0 = Self.at(1) }
        note(.quarantined, 1)
        #expect(quarantine.entries == ["x"])
        #expect(quarantine.excluded == [])
        quarantine.forget()
        #expect(quarantine.entries == [])
    }
}

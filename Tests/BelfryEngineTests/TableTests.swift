@testable import BelfryEngine
import BelfryModel
import Testing

/// The tables that a record is made of, beside the plain things that do the same.
@Suite struct TableTests {
    @Test func `a set of fingerprints is a set, in order when asked`() {
        var (table, plain) = (FingerprintSet(), Set<UInt64>())
        var number: UInt64 = 1
        for round in 0..<3000 {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Some again, some that lie close together, and nothing at all.
            let fingerprint = round % 7 == 0 ? UInt64(round % 50) : number >> UInt64(round % 3 * 20)
            #expect(table.contains(fingerprint) == plain.contains(fingerprint))
            table.insert(fingerprint)
            plain.insert(fingerprint)
            #expect(table.count == plain.count)
            if round % 100 == 0 { #expect(table.sorted() == plain.sorted()) }
        }
        #expect(table.sorted() == plain.sorted())
        var copy = FingerprintSet(plain)
        #expect(copy.sorted() == plain.sorted())
    }

    @Test func `states are found by entry, strategy and counter, however many there are`() {
        var slots = SlotTable()
        let texts = (0..<40).map { CText("counter-\($0)") }
        func key(_ counter: Int) -> CounterKey { counter == 0 ? .subject : CounterKey(texts[counter]) }
        let owners = [("a", "x"), ("x", "a"), ("a", "y")].map { SlotOwner(strategy: $0, entry: $1) }
        for counter in 0..<40 {
            for owner in owners {
                #expect(slots.index(of: owner, counter: key(counter)) == nil)
                slots.append(
                    Slot(
                        owner: owner, counter: counter == 0 ? nil : texts[counter].text, fingerprint: UInt64(counter),
                        content: .saved(SavedState(version: 1))))
            }
            for owner in owners {
                for earlier in 0...counter {
                    let index = slots.index(of: owner, counter: key(earlier))
                    #expect(index.map { slots[$0].fingerprint } == UInt64(earlier))
                    #expect(index.map { slots[$0].owner === owner } == true)
                }
            }
        }
        let sorted = slots.sorted().map { "\($0.entry) \($0.counter ?? "")" }
        #expect(sorted == sorted.sorted() && sorted.count == 120)
    }
}

@testable import BelfryEngine
import BelfryModel
import Testing

/// The tables that a record is made of, beside the plain things that do the same.
@Suite struct TableTests {
    @Test(arguments: ["c", "welcome-back", "campaign-of-more-than-fifteen", "fête"])
    func `the id of a notification is its campaign and its number`(campaign: String) {
        for number: Int64 in [1, 9, 10, 99, 100, 12_345, .max] {
            let id = SubjectRecord.notification(campaign, number)
            #expect(id == "\(campaign)/\(number)")
            let parts = SubjectRecord.parts(of: id)
            #expect(parts?.campaign == campaign && parts?.number == number)
        }
    }

    @Test(arguments: [
        "", "/", "sale", "sale/", "sale/0", "sale/01", "sale/+1", "sale/-1", "sale/1x", "sale/9223372036854775808",
    ])
    func `another text is no id of a notification`(text: String) {
        #expect(SubjectRecord.parts(of: text) == nil)
    }

    @Test func `a campaign may have a slash in its id`() {
        #expect(SubjectRecord.parts(of: "a/b/7")?.campaign == "a/b" && SubjectRecord.parts(of: "/7")?.campaign == "")
    }

    @Test(arguments: [0, 127, 128, 300, 20_000])
    func `what follows a length makes room for it`(length: Int) throws {
        var writer = ByteWriter()
        writer.text("before")
        let content = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        writer.list { writer in
            writer.raw(content)
            return length
        }
        writer.text("after")
        var reader = ByteReader(writer.bytes[...])
        let before = try reader.text()
        let read = try reader.list { reader throws(ByteReader.Damage) in try reader.byte() }
        let after = try reader.text()
        #expect(before == "before" && read == content && after == "after")
    }

    @Test func `texts of an arena stay where they are until it is reset`() {
        let arena = Arena()
        let texts: [String?] =
            (0..<3000).map { String(repeating: "x", count: $0 % 40) + "\($0)é" }
            + [nil, "", String(repeating: "y", count: 40_000), "of fifteen byte", "of sixteen bytes"]
        for _ in 0..<2 {
            let copies = texts.map { arena.text($0) }
            #expect(copies.map(\.string) == texts)
            #expect(copies.map { arena.text(copying: $0).string } == texts)
            arena.reset()
        }
    }

    @Test func `a key of a counter is that of one name, however long`() {
        let names = ["", "c", "é", "e\u{301}", "of fifteen byte", "of sixteen bytes", "another of many bytes"]
        let subject = UnsafeMutablePointer<CounterKey>.allocate(capacity: 1)
        subject.initialize(to: .subject)
        defer { subject.deallocate() }
        for name in names {
            let text = CText(name)
            var plain = CounterKey(text.c)  // as of a channel: nothing but its bytes is known
            for other in names {
                let isSame = name.utf8.elementsEqual(other.utf8)
                #expect(text.key.isSame(as: other) == isSame)
                #expect(withUnsafePointer(to: &plain) { $0.isSame(as: other) } == isSame)
                #expect(text.key.isSame(as: String(decoding: Array(other.utf8), as: UTF8.self)) == isSame)
            }
            #expect(!text.key.isSame(as: nil) && !UnsafePointer(subject).isSame(as: name))
        }
        #expect(UnsafePointer(subject).isSame(as: nil))
    }

    @Test func `a set of fingerprints is a set, in the order in which they came`() {
        var table = FingerprintSet()
        var (plain, order) = (Set<UInt64>(), [UInt64]())
        var number: UInt64 = 1
        for round in 0..<3000 {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Some again, some that lie close together, and nothing at all.
            let fingerprint = round % 7 == 0 ? UInt64(round % 50) : number >> UInt64(round % 3 * 20)
            let isKnown = table.contains(fingerprint)
            #expect(isKnown == plain.contains(fingerprint))
            table.insert(fingerprint)
            if plain.insert(fingerprint).inserted { order.append(fingerprint) }
            let count = table.count
            #expect(count == plain.count)
        }
        let again = FingerprintSet(order)
        #expect(order.count > 1000)
        for (index, fingerprint) in order.enumerated() {
            let found = (table.all[index], again.all[index])
            #expect(found == (fingerprint, fingerprint))
        }
        let counts = (table.count, again.count)
        #expect(counts == (order.count, order.count))
    }

    @Test(arguments: [0, 1, 2, 15, 16, 17, 48, 49, 300])
    func `hashes that are added in one go are found`(first: Int) {
        let order = (1...400).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
        var table = FingerprintSet()
        for part in [order[..<first], order[first...]] {
            part.withUnsafeBytes { table.append($0) }
        }
        table.insert(7)
        for (index, fingerprint) in order.enumerated() {
            let found = (table.all[index], table.contains(fingerprint))
            #expect(found == (fingerprint, true))
        }
        let (count, isKnown) = (table.count, table.contains(8))
        #expect(count == 401 && !isKnown)
    }

    @Test func `states are found by entry, strategy and counter, however many there are`() throws {
        var slots = SlotTable()
        let texts = (0..<40).map { CText("counter-\($0)") }
        let subject = UnsafeMutablePointer<CounterKey>.allocate(capacity: 1)
        subject.initialize(to: .subject)
        defer { subject.deallocate() }
        func key(_ counter: Int) -> UnsafePointer<CounterKey> {
            counter == 0 ? UnsafePointer(subject) : texts[counter].key
        }
        let owners = [("a", "x"), ("x", "a"), ("a", "y")].map {
            SlotOwner(strategy: $0, entry: $1, fingerprint: 0, table: nil)
        }
        for counter in 0..<40 {
            for owner in owners {
                let none = slots.index(of: owner, counter: key(counter))
                #expect(none == nil)
                slots.append(
                    Slot(
                        owner: owner.saving(SavedState(version: UInt32(counter))),
                        counter: counter == 0 ? nil : texts[counter].text))
            }
            for owner in owners {
                for earlier in 0...counter {
                    let index = slots.index(of: owner, counter: key(earlier))
                    let slot = try #require(index.map { slots[$0] })
                    #expect(slot.saved.version == UInt32(earlier) && slot.owner.isSame(as: owner))
                }
            }
            // Having an order, it goes on.
            if counter == 10 { _ = slots.sorted() }
        }
        let sorted = slots.sorted().map { "\($0.entry) \($0.counter ?? "")" }
        #expect(sorted == sorted.sorted() && sorted.count == 120)
    }

    @Test func `a short list is a list`() {
        var list = ShortList<String>()
        var plain: [String] = []
        var number: UInt64 = 1
        for round in 0..<400 {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let text = "an element that lies elsewhere: \(number >> 60)"
            if round % 9 == 8 {
                list.removeAll { $0 == text }
                plain.removeAll { $0 == text }
            } else {
                list.append(text)
                plain.append(text)
                list[list.count - 1] += "!"
                plain[plain.count - 1] += "!"
            }
            let (count, elements) = (list.count, Array(list.elements))
            #expect(count == plain.count && elements == plain)
            let place = list.elements.firstIndex { $0.hasPrefix(text) }
            #expect(place == plain.firstIndex { $0.hasPrefix(text) })
        }
        let copy = ShortList(plain)
        let elements = Array(copy.elements)
        #expect(elements == plain && elements.count > 100)
    }
}

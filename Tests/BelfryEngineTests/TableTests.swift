@testable import BelfryEngine
import BelfryModel
import Testing

/// Names and tables that records and catalogs are made with.
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

    @Test func `an index of hashes finds what was put there, and nothing else`() {
        var index = HashIndex()
        var hashes: [UInt64] = []
        var dice = SplitMix64(seed: 7)
        for round in 0..<3000 {
            // Some lie close together, and several things may have one hash.
            let hash = round % 7 == 0 ? UInt64(round % 50) : dice.next() >> UInt64(round % 3 * 20)
            index.insert(hash, at: round)
            hashes.append(hash)
        }
        for (place, hash) in hashes.enumerated() { #expect(index.find(hash) { $0 == place } == place) }
        #expect(index.count == 3000 && index.find(hashes[5]) { _ in false } == nil)
    }
}

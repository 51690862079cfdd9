import BelfryModel
import Testing

/// Texts by their bytes, and hashes that are the same in every process.
@Suite struct TextBytesTests {
    static let text = "abcdefghijklmnopqrstuvwxyz0123456789"

    @Test(arguments: 0...36)
    func `another byte anywhere makes another text`(count: Int) {
        let text = String(Self.text.prefix(count))
        #expect(text.isSameText(as: String(decoding: Array(text.utf8), as: UTF8.self)))
        for place in 0..<count {
            var bytes = Array(text.utf8)
            bytes[place] ^= 1
            let changed = String(decoding: bytes, as: UTF8.self)
            #expect(!text.isSameText(as: changed) && stableHash(text) != stableHash(changed))
        }
        #expect(!text.isSameText(as: text + "\0") && stableHash(text) != stableHash(text + "\0"))
    }

    @Test func `two ways to write a letter are two texts`() {
        #expect("\u{E9}" == "e\u{301}" && !"\u{E9}".isSameText(as: "e\u{301}"))
    }

    /// Subjects are shared out among shards, and records are sealed, by it: it must be the same for ever.
    @Test func `a hash is the same everywhere`() {
        #expect(stableHash("") == 11_912_144_113_143_032_851)
        #expect(stableHash("ana") == 12_534_995_546_254_594_845)
        #expect(stableHash("of more than eight bytes") == 6_090_975_558_633_727_441)
        #expect(stableHash("ana", seed: 7) == 13_182_490_916_433_571_647)
    }

    /// A table of 2048 places takes its place from these bits: names that differ in their last digits only share few.
    @Test func `names that differ in their last digits lie apart`() {
        for shift in [0, 16, 33] {
            let places = Set((0..<1000).map { stableHash("campaign-\($0)") >> shift & 2047 })
            #expect(places.count > 700)
        }
    }
}

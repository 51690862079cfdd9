@testable import BelfryEngine
import BelfryModel
import Testing

/// Of format version 4, as belfry 0.1.0 wrote it too: notifications with their ids, every campaign counted, each state with its owner.
@Suite struct FormerRecordTests {
    private static let fourth = bytes(
        """
        424c465204002645e6d4a339798605302e312e3080a8c7dd95670000018fc2f5285c2f4a408fc2f5285c8f1340010364
        616d0180eab4dc95670000000000016d04621e009d14770009ee0f01a47ea2df933b0e01a47ea1df93880c01a47ea0df
        936d1801a47ea7df93ba1601a47ea6df93071501a47ea5df93541301a47ea4df93090401a47e9bdf93560201a47e9adf
        93010204746965720504676f6c6406766973697473030d010570686f6e6500010874696d655a6f6e6505104575726f70
        652f416d7374657264616d010570686f6e65040673616c652f31000473616c65010131010364616d010570686f6e6500
        010453616c65011257656c636f6d65206174207468652064616d01051768747470733a2f2f73686f702e6578616d706c
        652fc3bc01070105696d6167650505612e706e670375726c000080eab4dc956701c093bcdc95670306676976652f3101
        04676976650101310000010701056f72646572030e000107466f7220796f75010701056f72646572030e00046e6f6e65
        000080bdc3dc9567000506676976652f32020467697665010131000000000107466f7220796f750000046e6f6e650000
        8089fedc9567000506676976652f330280a8c7dd95670005010304766965770101310000000000010701016e03020004
        6e6f6e650000c0b285dd956701c0b285dd956704036f6c640280838cd995670473616c650280eab4dc95670467697665
        0680a8c7dd9567047669657702c0b285dd956701050e6d61782d7065722d706572696f640363617000db7f42f7d4da10
        1e010205746f74616c000c096372656174696f6e73060680838cd9956780eab4dc956780bdc3dc95678089fedc9567c0
        b285dd956780a8c7dd956708636f6f6c646f776e08636f6f6c646f776e010467697665ee49e3b949d2c4260101096372
        656174656441740580a8c7dd956708636f6f6c646f776e08636f6f6c646f776e01036f6c64ee49e3b949d2c426010109
        6372656174656441740580838cd9956708636f6f6c646f776e08636f6f6c646f776e010473616c65ee49e3b949d2c426
        0102096372656174656441740580eab4dc9567086f70656e6564417405c093bcdc956708636f6f6c646f776e08636f6f
        6c646f776e010476696577ee49e3b949d2c42601010963726561746564417405c0b285dd9567
        """)
    /// Where the body and the states lie in there.
    private static let (body, states) = (146..<547, 548..<854)

    @Test func `a record of the format before is read`() throws {
        let record = try SubjectRecord(subject: "ana", decoding: Self.fourth)
        #expect(try SubjectRecord.writer(of: Self.fourth) == "0.1.0")
        #expect(
            record.lines.map { "\($0.key) = \($0.value)" } == [
                "subject = ana", "latest = 2026-03-02T09:20:00Z", "user.tier = \"gold\"", "user.visits = -7",
                "channel[phone].timeZone = \"Europe/Amsterdam\"", "position = 52.37, 4.89",
                "region[dam] = inside since 2026-03-02T09:00:00Z",
                "current[sale/1] = created 2026-03-02T09:00:00Z in dam",
                "current[give/1] = created 2026-03-02T09:02:00Z", "current[give/2] = created 2026-03-02T09:10:00Z",
                "current[give/3] = created 2026-03-02T09:20:00Z", "created[old] = 1, last 2026-03-02T08:02:00Z",
                "created[sale] = 1, last 2026-03-02T09:00:00Z", "created[view] = 1, last 2026-03-02T09:11:00Z",
                "created[give] = 3, last 2026-03-02T09:20:00Z", "cap.total = 6",
                "cap.creations = [1772438520000,1772442000000,1772442120000,1772442600000,1772442660000,1772443200000]",
                "cooldown[give].createdAt = 2026-03-02T09:20:00Z", "cooldown[old].createdAt = 2026-03-02T08:02:00Z",
                "cooldown[sale].createdAt = 2026-03-02T09:00:00Z", "cooldown[sale].openedAt = 2026-03-02T09:01:00Z",
                "cooldown[view].createdAt = 2026-03-02T09:11:00Z",
            ])
        #expect(record.notifications.map(\.notification) == ["give/1", "give/2", "give/3"])
        #expect(record.current.first?.openedAt == Instant(rfc3339: "2026-03-02T09:01:00Z"))
        #expect(record.current.first?.content.data == "https://shop.example/ü")
        #expect(record.current[1].eventData == ["order": 7])
        #expect(record.geotriggers.map(\.campaign) == ["view"])
        #expect(record.rememberedIDs == (signals: 9, requests: 1))
    }

    @Test func `it is stored in the format of today, shorter by a fifth and with nothing lost`() throws {
        let former = try SubjectRecord(subject: "ana", decoding: Self.fourth)
        let bytes = former.encoded(by: "0.1.0")
        #expect(bytes[4...5] == [5, 0] && bytes.count * 5 < Self.fourth.count * 4)
        let today = try SubjectRecord(subject: "ana", decoding: bytes)
        #expect(today.value == former.value && today.encoded(by: "0.1.0") == bytes)
    }

    /// Body and states as parts, which a run leaves as they are until they change.
    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `its parts are read, beside a record of either format`(isBodyApart: Bool, areStatesApart: Bool) throws {
        let expected = try SubjectRecord(subject: "ana", decoding: Self.fourth).value
        let parts =
            (isBodyApart ? sealed("BLFB", Self.body) : []) + (areStatesApart ? sealed("BLFS", Self.states) : [])
        let former = Array(try Seal.record.open(Self.fourth).content)
        let head = former[..<(former.count - (Self.fourth.count - Self.body.lowerBound) - 1)]
        let rest =
            (isBodyApart ? [0] : [1] + Self.fourth[Self.body]) + (areStatesApart ? [0] : [1] + Self.fourth[Self.states])
        let fourth = Seal(magic: "BLFR", version: 4, firstNamed: 2, firstByWords: 3, name: "a record")
        let record = try SubjectRecord(subject: "ana", decoding: parts + fourth.close(head + rest, writer: "0.1.0"))
        #expect(record.value == expected)
        guard isBodyApart, areStatesApart else { return }
        // Head and parts are what they were; so a newer head may stand beside older parts.
        let mixed = parts + Seal.record.close(Array(head + rest), writer: "0.2.0")
        #expect(try SubjectRecord(subject: "ana", decoding: mixed).value == expected)
    }

    private func sealed(_ magic: String, _ range: Range<Int>) -> [UInt8] {
        let length = (0..<8).map { UInt8(truncatingIfNeeded: range.count >> ($0 * 8)) }
        return Seal(magic: magic, version: 1, firstByWords: 1, name: "a part")
            .close(length + Self.fourth[range], writer: "0.1.0")
    }

    @Test(arguments: ["sale/0", "sael/1", "sale01"])
    func `an id that is none of its campaign is damage`(id: String) throws {
        var content = Array(try Seal.record.open(Self.fourth).content)
        let place = try #require(content.indices.first { content[$0...].starts(with: "sale/1".utf8) })
        content.replaceSubrange(place..<place + 6, with: id.utf8)
        let fourth = Seal(magic: "BLFR", version: 4, firstNamed: 2, firstByWords: 3, name: "a record")
        #expect(throws: RecordDamage.self) {
            try SubjectRecord(subject: "ana", decoding: fourth.close(content, writer: "0.1.0"))
        }
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

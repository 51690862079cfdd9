import BelfryEngine
import BelfryModel
import Testing

/// What was stored once can be read for ever.
@Suite struct RecordFormatTests {
    /// Of format version 1, as belfry 0.1.0 wrote it: a subject who has something of everything.
    private static let first = bytes(
        """
        424c465201000a20d60ba6948c4ec0addf85966701010180bba58296670304746965720504676f6c6406766973697473
        030d0474616773060205016107010162049c7500883ce4377e010570686f6e6501056c696b6573050573686f65730108
        74696d655a6f6e6505104575726f70652f416d7374657264616d010570686f6e65018fc2f5285c2f4a408fc2f5285c8f
        1340020364616d0180a2ce85966700057368656c660180f5dc8596670001057368656c6605636c6f7365013128663738
        32366461362d346661322d346539382d383032342d6263356237316530383933652f372f32000380c197869667000373
        2d35010570686f6e65057374696c6c010131010364616d00e0c9e08596670103732d37010570686f6e65000001057368
        656c660280e6f8a796670203732d3800056c617465720000010000010701056f72646572030e010701056f7264657203
        0e03020673616c652f310473616c65010131010364616d010570686f6e6500010453616c65011057656c636f6d652061
        7420416c70686101051768747470733a2f2f73686f702e6578616d706c652fc3bc01070105696d6167650505612e706e
        670375726c010374776f0106010703026964050141057469746c65050641636365707406616374696f6e070204747970
        65050375726c0576616c7565051668747470733a2f2f73686f702e6578616d706c652f6180a2ce85966701c0cbd58596
        670107636c6f73652f3105636c6f736501013101057368656c66010570686f6e6500000108436c6f7365206279000004
        6e6f6e65000080f5dc859667000102010673616c652f310473616c65010131010364616d010570686f6e650001045361
        6c65011057656c636f6d6520617420416c70686101051768747470733a2f2f73686f702e6578616d706c652fc3bc0107
        0105696d6167650505612e706e670375726c010374776f0106010703026964050141057469746c650506416363657074
        06616374696f6e07020474797065050375726c0576616c7565051668747470733a2f2f73686f702e6578616d706c652f
        6180a2ce85966701c0cbd58596670107636c6f73652f3105636c6f736501013101057368656c66010570686f6e650000
        0108436c6f73652062790000046e6f6e65000080f5dc8596670001000476696577010131010364616d010570686f6e65
        000000010702016e03020178060304000000000000f83f020000046e6f6e65000080a2ce8596670180a2ce8596670304
        73616c650280a2ce85966704766965770280a2ce85966705636c6f73650280f5dc859667010069713915f367d009943a
        2d875029ee50560201a47e9adf93090401a47e9bdf93880c01a47ea0df933b0e01a47ea1df93541301a47ea4df930715
        01a47ea5df93ba1601a47ea6df936d1801a47ea7df93050e6d61782d7065722d706572696f6403636170006e456096cd
        5b8778010205746f74616c0006096372656174696f6e73060380a2ce85966780a2ce85966780f5dc8596670d72656769
        6f6e2d6368616e67650d726567696f6e2d6368616e676500251a90b5074bf408010106726567696f6e03057368656c66
        08636f6f6c646f776e08636f6f6c646f776e010473616c65e13cada04905a9fa0102096372656174656441740580a2ce
        859667086f70656e6564417405c0cbd585966708636f6f6c646f776e08636f6f6c646f776e010476696577e13cada049
        05a9fa0101096372656174656441740580a2ce85966708636f6f6c646f776e08636f6f6c646f776e0105636c6f7365e1
        3cada04905a9fa0101096372656174656441740580f5dc859667
        """)

    @Test func `a record of the first format is read`() throws {
        let record = try SubjectRecord(subject: "ana", decoding: Self.first)
        #expect(try SubjectRecord.writer(of: Self.first) == nil)
        #expect(record.latest == Instant(rfc3339: "2026-03-02T21:02:20Z"))
        #expect(record.user["tags"] == ["a", ["b": 1e300]])
        #expect(record.channels.map(\.id) == ["phone"])
        #expect(record.position == Coordinate(latitude: 52.37, longitude: 4.89))
        #expect(record.presence.map(\.region) == ["dam", "shelf"] && record.proximity.map(\.campaign) == ["close"])
        #expect(record.timers.map(\.due).map(\.description).sorted().first == "2026-03-02T21:02:30Z")
        #expect(record.current.map(\.notification) == ["sale/1", "close/1"])
        #expect(record.notifications.first?.content.data == "https://shop.example/ü")
        #expect(record.geotriggers.map(\.campaign) == ["view"])
        #expect(record.tallies.map(\.campaign) == ["sale", "view", "close"])
        #expect(record.rememberedIDs == (signals: 9, requests: 1))
        #expect(record.slots.map(\.entry).contains("region-change"))
    }

    @Test func `it is stored in the format of today, with nothing lost`() throws {
        let old = try SubjectRecord(subject: "ana", decoding: Self.first)
        let bytes = old.encoded(by: "1.2.3")
        #expect(bytes[4...5] == [5, 0])
        #expect(bytes.count < Self.first.count)
        let new = try SubjectRecord(subject: "ana", decoding: bytes)
        #expect(try SubjectRecord.writer(of: bytes) == "1.2.3")
        let states = new.slots.map(\.entry)  // in order now
        #expect(states == old.slots.map(\.entry).sorted() && states.count > 1)
        #expect(new.value == old.value)
    }

    @Test(arguments: [0, 6, 14, 700])
    func `damage to a record of the first format is found`(place: Int) {
        var damaged = Self.first
        damaged[place] ^= 1
        #expect(throws: RecordDamage.self) { try SubjectRecord(subject: "ana", decoding: damaged) }
    }

    @Test func `the JSON of a record has everything that is stored`() throws {
        let record = try SubjectRecord(subject: "ana", decoding: Self.first)
        #expect(
            record.value.map?.keys.map { $0 } == [
                "subject", "latest", "enabled", "app", "user", "channels", "lastChannel", "position", "presence",
                "near", "watched", "timers", "timersArmed", "current", "notifications", "geotriggers", "campaigns",
                "processedSignals", "requestKeys", "state",
            ])
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

import BelfryJournal
import BelfryStore
import Foundation
import Testing

/// Everything of one person, to be handed over and to be removed.
@Suite struct StateEraseTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:shop.db
            chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
            regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
            campaigns:
              - { id: sale, message: Sale, triggers: [ { on: enter, regions: all }, { on: dwell, dwell: 10m, regions: all } ] }
              - { id: view, kind: geotrigger, triggers: [ { on: enter, regions: all } ] }
            """
        ])
        let life = ["ana", "ben"].flatMap { subject in
            [
                #"{"id":"s-1","type":"device.registered","subject":"\#(subject)","channel":"phone","time":"2026-03-02T08:59:00Z","data":{"attributes":{"timeZone":"Europe/Amsterdam"}}}"#,
                #"{"id":"s-2","type":"attributes.set","subject":"\#(subject)","time":"2026-03-02T08:59:00Z","data":{"values":{"tier":"gold of \#(subject)"}}}"#,
                #"{"id":"s-3","type":"location.updated","subject":"\#(subject)","channel":"phone","time":"2026-03-02T09:00:00Z","data":{"latitude":52.37,"longitude":4.89}}"#,
            ]
        }
        let result = try place.belfry("run", input: life.asFile)
        try #require(result.status == 0, "\(result.errors)")
    }

    private var store: String { place.file("shop.db").path }

    private static let inventory = """
          attributes: 2
          channels: 1
          positions: 1
          regions entered or left: 1
          timers: 1
          current notifications: 1
          notifications in the history: 1
          geotriggers in the history: 1
          campaigns counted: 2
          states of strategies: 2
          ids of signals: 3

        """

    @Test func `an export has everything, always in the same order`() throws {
        let result = try place.belfry("state", "export", "ana")
        #expect(result.status == 0 && result.errors == "" && result.lines.count == 1)
        #expect(
            result.output == """
                {"subject":"ana","latest":"2026-03-02T09:00:00Z","user":{"tier":"gold of ana"},\
                "channels":[{"id":"phone","attributes":{},"automatic":{"timeZone":"Europe/Amsterdam"}}],\
                "lastChannel":"phone","position":{"latitude":52.37,"longitude":4.89},\
                "presence":[{"region":"dam","inside":true,"since":"2026-03-02T09:00:00Z"}],"near":[],"watched":[],\
                "timers":[{"purpose":"dwell","due":"2026-03-02T09:10:00Z","sequence":0,"cause":"s-3","channel":"phone",\
                "campaign":"sale","trigger":"2","region":"dam"}],"timersArmed":1,"decisions":2,\
                "current":[{"notification":"sale/1","campaign":"sale","trigger":"1","region":"dam","channel":"phone",\
                "createdAt":"2026-03-02T09:00:00Z","deletedOnExit":true,"message":"Sale","handler":"none"}],\
                "notifications":[{"notification":"sale/1","campaign":"sale","message":"Sale",\
                "sentAt":"2026-03-02T09:00:00Z","trigger":"1","region":"dam","channel":"phone","handler":"none"}],\
                "geotriggers":[{"campaign":"view","sentAt":"2026-03-02T09:00:00Z","handledAt":"2026-03-02T09:00:00Z",\
                "trigger":"1","region":"dam","channel":"phone","handler":"none"}],\
                "campaigns":[{"campaign":"sale","count":1,"lastAt":"2026-03-02T09:00:00Z"},\
                {"campaign":"view","count":1,"lastAt":"2026-03-02T09:00:00Z"}],\
                "processedSignals":3,"requestKeys":0,\
                "state":[{"entry":"cooldown","strategy":"cooldown","counter":"sale",\
                "values":{"createdAt":"2026-03-02T09:00:00Z"}},\
                {"entry":"cooldown","strategy":"cooldown","counter":"view",\
                "values":{"createdAt":"2026-03-02T09:00:00Z"}}]}

                """)
    }

    @Test func `a dry run says what would go, and changes nothing`() throws {
        let before = try place.belfry("state", "export", "ana").output
        let result = try place.belfry("state", "erase", "ana", "--dry-run")
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output == "'ana' would be erased:\n" + Self.inventory)
        #expect(try place.belfry("state", "export", "ana").output == before)
    }

    @Test func `a dry run during a run says that erasing would be refused`() throws {
        let running = try SQLiteStore(path: store)
        let before = try place.belfry("state", "export", "ana").output
        let result = try place.belfry("state", "erase", "ana", "--dry-run")
        #expect(result.status == 0)
        #expect(result.output == "'ana' would be erased:\n" + Self.inventory)
        #expect(
            result.errors == """
                warning: 'ana' would not be erased now: cannot open store 'shop.db'
                  why: process \(getpid()) is writing to it, and a store has one writer at a time
                  fix: wait until that process has ended, or name another store; a service erases by itself: DELETE /v1/subjects/ana

                """)
        #expect(try place.belfry("state", "export", "ana").output == before)
        running.close()
    }

    @Test func `erasing says what went, and leaves nothing of one and everything of the others`() throws {
        let other = try place.belfry("state", "export", "ben").output
        let result = try place.belfry("state", "erase", "ana")
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output == "'ana' is erased:\n" + Self.inventory)
        #expect(try place.belfry("state", "list").output == "ben\n")
        #expect(try place.belfry("state", "export", "ben").output == other)
        #expect(try place.belfry("state", "erase", "ana").status == 1)
        #expect(try Data(contentsOf: place.file("shop.db")).range(of: Data("gold of ana".utf8)) == nil)
        #expect(try Data(contentsOf: place.file("shop.db")).range(of: Data("gold of ben".utf8)) != nil)
    }

    @Test func `who was erased starts afresh, and no timer is left`() throws {
        _ = try place.belfry("state", "erase", "ana")
        let result = try place.belfry(
            "run", "--until", "2026-03-02T10:00:00Z",
            input:
                #"{"id":"s-3","type":"region.entered","subject":"ana","time":"2026-03-02T09:05:00Z","data":{"region":"dam"}}"#
        )
        let mine = try result.lines.map(JSON.init).filter { $0["subject"] == "ana" }
        #expect(mine.first?["type"] == "notification.created" && mine.first?["time"] == "2026-03-02T09:05:00Z")
        #expect(mine.first?["data"]?.map?["notification"] == "sale/1")
        #expect(mine.last?["time"] == "2026-03-02T09:15:00Z")
    }

    @Test func `while somebody else writes to the store, erasing is refused`() throws {
        let running = try SQLiteStore(path: store)
        let result = try place.belfry("state", "erase", "ana")
        #expect(result.status == 1 && result.output == "")
        #expect(
            result.errors == """
                cannot open store 'shop.db'
                  why: process \(getpid()) is writing to it, and a store has one writer at a time
                  fix: wait until that process has ended, or name another store; a service erases by itself: DELETE /v1/subjects/ana

                """)
        #expect(try place.belfry("state", "erase", "ana/ü").errors.hasSuffix("DELETE /v1/subjects/ana%2F%C3%BC\n"))
        #expect(try place.belfry("state", "list").output == "ana\nben\n")
        running.close()
    }

    @Test func `nothing of the person stays in any file, and the journal is whole`() throws {
        #expect(try bytesOfFiles().contains(Data("gold of ana".utf8)))
        #expect(try place.belfry("state", "erase", "ana").status == 0)
        let bytes = try bytesOfFiles()
        #expect(!bytes.contains(Data("gold of ana".utf8)) && !bytes.contains(Data(#""ana""#.utf8)))
        #expect(bytes.contains(Data("gold of ben".utf8)))
        #expect(try place.belfry("state", "verify").output == "records: 1, 1 good\n")
    }

    /// All files of the store and its journal, and what is packed in the journal.
    private func bytesOfFiles() throws -> Data {
        let journal = place.file("shop.db.journal")
        let segments = try FileManager.default.contentsOfDirectory(at: journal, includingPropertiesForKeys: nil)
        var bytes = try (segments + [place.file("shop.db")]).reduce(Data()) { try $0 + Data(contentsOf: $1) }
        let reader = try JournalReader(.folder(journal.path))
        while let entry = try reader.next() {
            for part in JournalEntry.Part.allCases { bytes += entry[part] }
            for value in entry.values.values { bytes += value }
        }
        return bytes
    }

    @Test func `what is in quarantine is exported and erased, too`() throws {
        try damage("ana")
        #expect(try place.belfry("state", "verify", "--repair").status == 0)
        #expect(
            try place.belfry("state", "export", "ana").output == """
                {"subject":"ana","quarantined":[{"reason":"it does not begin like a record of Belfry","bytes":"010203"}]}

                """)
        let signal =
            #"{"type":"attributes.set","subject":"ana","time":"2026-03-02T10:00:00Z","data":{"values":{"a":1}}}"#
        #expect(try place.belfry("run", input: signal).status == 0)
        #expect(try JSON(place.belfry("state", "export", "ana").output)["quarantined"]?.list?.count == 1)
        #expect(
            try place.belfry("state", "erase", "ana").output
                == "'ana' is erased:\n  attributes: 1\n  records in quarantine: 1\n")
        #expect(try place.belfry("state", "export", "ana").status == 1)
    }

    @Test func `a damaged record can be erased, and not be exported`() throws {
        try damage("ana")
        let export = try place.belfry("state", "export", "ana")
        #expect(export.status == 1 && export.output == "")
        #expect(
            export.errors == """
                cannot read the record of subject 'ana'
                  why: it does not begin like a record of Belfry
                  fix: restore the store from a copy, or move such records into quarantine with 'belfry state verify --repair'; \
                nothing was changed

                """)
        #expect(
            try place.belfry("state", "erase", "ana").output
                == "'ana' is erased:\n  a record of 3 bytes, which cannot be read\n")
        #expect(try place.belfry("state", "list").output == "ben\n")
    }

    private func damage(_ subject: String) throws {
        let writer = try SQLiteStore(path: store)
        try writer.commit(StoreBatch(records: [RecordChange(subject: subject, bytes: [1, 2, 3])]))
        writer.close()
    }
}

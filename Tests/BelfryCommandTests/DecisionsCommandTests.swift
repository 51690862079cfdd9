import BelfryModel
import Foundation
import Testing

/// What was decided is read again, from the journal.
@Suite struct DecisionsCommandTests {
    private let place: Workplace
    /// What left.
    private let output: [String]

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            batch: { signals: 2 }
            chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
            campaigns:
              - { id: offer, message: Now, onOpen: { type: confetti } }
              - { id: news, message: News }
            """
        ])
        let people = ["ana", "ben", "eve"]
        var lines = people.flatMap { person in
            ["offer", "news", "offer"].enumerated().map { index, campaign in
                #"{"id":"s\#(index)","type":"notification.requested","subject":"\#(person)","time":"2026-03-02T09:0\#(index):00Z","data":{"campaign":"\#(campaign)"}}"#
            }
        }
        lines.append(
            #"{"id":"o","type":"notification.opened","subject":"ana","time":"2026-03-02T09:30:00Z","data":{"notification":"offer/1"}}"#
        )
        let result = try place.belfry("run", input: lines.asFile)
        try #require(result.status == 0 && result.lines.count > 9, "\(result.errors)")
        output = result.lines
    }

    @Test func `all of them are listed as they left, also what actions have come to`() throws {
        #expect(try place.belfry("decisions", "list").lines == output)
        #expect(try place.belfry("decisions").output.contains(#""status":"unknown""#))
    }

    @Test func `they are filtered by subject, campaign and type`() throws {
        let found = try place.belfry(
            "decisions", "list", "--subject", "ben", "--campaign", "offer", "--type", "notification.suppressed")
        #expect(found.lines == output.filter { $0.contains(#""subject":"ben""#) && $0.contains("suppressed") })
        #expect(found.lines.count == 1)
    }

    @Test func `those of a notification are of its campaign`() throws {
        let found = try place.belfry("decisions", "list", "--subject", "ana", "--campaign", "offer")
        let types = try found.lines.map { try JSON($0)["type"]?.text ?? "" }
        #expect(
            types == [
                "notification.created", "notification.suppressed", "notification.opened", "action.invoked",
            ])
    }

    @Test func `pages follow one another without a gap, also when more comes in between`() throws {
        var (found, cursor): ([Value], [String]) = ([], [])
        for page in 0..<30 {
            let answer = try JSON(
                place.belfry(["decisions", "list", "--json", "--limit", "3"] + cursor, input: Data()).output)
            let decisions = try #require(answer["decisions"]?.list)
            if page == 1 {
                let more =
                    #"{"id":"m","type":"notification.requested","subject":"eve","time":"2026-03-02T11:00:00Z","data":{"campaign":"news"}}"#
                #expect(try place.belfry("run", input: more).status == 0)
            }
            cursor = ["--after", try #require(answer["next"]?.text)]
            found += decisions
            if decisions.isEmpty { break }
        }
        let ids = found.compactMap { $0.map?["id"]?.text }
        #expect(ids.count == output.count + 1 && Set(ids).count == ids.count && ids.last == "eve:4")
        let unknown = try place.belfry("decisions", "list", "--after", "3")
        #expect(unknown.status == 2 && unknown.errors.contains("the cursor '3' is none"))
    }

    @Test func `one is shown with the signal that caused it`() throws {
        let shown = try JSON(place.belfry("decisions", "show", "ben:2").output)
        #expect(shown["decision"]?.map?["id"] == "ben:2")
        #expect(shown["signal"]?.map?["id"] == "s1" && shown["signal"]?.map?["subject"] == "ben")
        let none = try place.belfry("decisions", "show", "ben:9")
        #expect(none.status == 1 && none.errors.hasPrefix("there is no decision 'ben:9'\n"))
    }

    @Test func `the last ones are at the end`() throws {
        #expect(try place.belfry("decisions", "tail", "--lines", "2").lines == output.suffix(2))
    }

    @Test func `what an action came to is there also when a kill came before it was noted`() throws {
        let victim = try Victim(
            """
            app: shop
            campaigns: [ { id: offer, message: Now, onOpen: { type: confetti } } ]
            """,
            signals: [
                #"{"id":"1","type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"offer"}}"#,
                #"{"id":"2","type":"notification.opened","subject":"ana","time":"2026-03-02T09:01:00Z","data":{"notification":"offer/1"}}"#,
            ])
        // The decisions are durable, and it is not noted yet that they have left.
        try victim.live(Strike(call: 1, how: .after, file: "/decisions.jsonl"))
        try victim.live()
        let listed = try victim.place.belfry("decisions", "list", "--store", "sqlite:s.db")
        #expect(
            listed.lines == (try victim.remains()).decisions && listed.output.contains("unknown"), "\(listed.errors)")
    }

    @Test func `who was erased is left out, and cursors of others stay`() throws {
        let page = try JSON(place.belfry("decisions", "list", "--json", "--limit", "4").output)
        #expect(try place.belfry("state", "erase", "ana").status == 0)
        let rest = output.filter { !$0.contains(#""subject":"ana""#) }
        #expect(try place.belfry("decisions", "list").lines == rest)
        let cursor = try #require(page["next"]?.text)
        let after = try place.belfry("decisions", "list", "--after", cursor)
        #expect(after.lines == output.dropFirst(4).filter { !$0.contains(#""subject":"ana""#) })
        // Also where what an action came to was noted in a later entry.
        #expect(!(try place.belfry("decisions").output.contains("confetti")))
    }

    @Test func `the signals of a journal are decided again alike`() throws {
        let again = try place.belfry("run", "--signals", "journal:s.db", "--store", "memory:")
        #expect(again.status == 0 && again.lines == output, "\(again.errors)")
        let simulated = try place.belfry("simulate", "--signals", "journal:s.db", "--against", "belfry.yaml", "--json")
        #expect(try JSON(simulated.output)["signals"]?.map?["lines"] == 10, "\(simulated.errors)")
        let none = try place.belfry("run", "--signals", "journal:none.db", "--store", "memory:")
        #expect(none.status == 1 && none.errors.contains("none.db.journal"))
    }

    @Test func `the signals of a journal are in the order in which they came, whatever shards decided them`() throws {
        let lines = (0..<40).map { number in
            #"{"id":"1","type":"notification.requested","subject":"u\#(number)","time":"2026-03-02T09:00:00Z","data":{"campaign":"news"}}"#
        }
        let first = try place.belfry("run", "--shards", "4", "--store", "sqlite:many.db", input: lines.asFile)
        let again = try place.belfry("run", "--signals", "journal:many.db", "--store", "memory:")
        #expect(first.lines.count == 40 && again.lines == first.lines, "\(first.errors)\(again.errors)")
        // Each is found with its own signal.
        let story = try JSON(place.belfry("decisions", "show", "u7:1", "--store", "sqlite:many.db").output)
        #expect(story["signal"]?.map?["subject"] == "u7")
    }

    @Test func `a store in memory has none`() throws {
        let result = try place.belfry("decisions", "--store", "memory:")
        #expect(
            result.errors == """
                there is no journal to read
                  why: the store is in memory, and so is its journal
                  fix: name a store on a disk that a run has used, for example --store sqlite:belfry.db

                """)
    }

    @Test func `a list begins behind a decision, and not behind a cursor of another store`() throws {
        let behind = try place.belfry("decisions", "list", "--after", "ana:2")
        let index = try #require(output.firstIndex { $0.contains(#""id":"ana:2""#) })
        #expect(behind.lines == Array(output[(index + 1)...]))
        let unknown = try place.belfry("decisions", "list", "--after", "ana:99")
        #expect(unknown.status == 2 && unknown.errors.hasPrefix("there is no decision 'ana:99'\n  why: "))
        let last = try JSON(place.belfry("decisions", "list", "--json").output)["next"]?.text ?? ""
        let end = try place.belfry("decisions", "list", "--after", last)
        #expect(end.status == 0 && end.output == "")
        let series = try #require(last.split(separator: "-").last)
        let ahead = try place.belfry("decisions", "list", "--after", "d3e8-\(series)", "--json")
        #expect(ahead.status == 2 && ahead.output == "")
        #expect(ahead.errors.hasPrefix("this store has not come to the cursor 'd3e8-\(series)'\n  why: "))
        let foreign = try place.belfry("decisions", "list", "--after", "d1-1", "--json")
        #expect(foreign.status == 1 && foreign.output == "")
        #expect(
            foreign.errors == """
                decisions behind 'd1-1' are not kept any more
                  why: the journal is another one now
                  fix: leave --after out to begin with the oldest decision that is kept

                """)
        let type = try place.belfry("decisions", "list", "--type", "notification.creatd")
        #expect(type.status == 2 && type.errors.contains("notification.created"))
    }
}

import BelfryJournal
import BelfryModel
import Testing

@testable import BelfryDelivery
@testable import BelfryPluginCheck
@testable import BelfryRuntime

/// When and in which batches the queue is sent, with time moved by hand.
@Suite struct ForwardDeliveryTests {
    // MARK: When

    @Test func `an item waits for company, but not longer than configured`() throws {
        let errand = try Errand(every: .seconds(60))
        try errand.pass(until: .seconds(10))
        try errand.commit(1)
        try errand.pass(until: .seconds(40))
        try errand.commit(1)
        try errand.pass(until: .minutes(5))
        #expect(errand.posts == ["1m10s: e1 e2"])
    }

    @Test func `a full batch leaves at once, and the rest when its time comes`() throws {
        let errand = try Errand(batch: 3)
        try errand.commit(7)
        try errand.pass(until: .minutes(5))
        #expect(errand.posts == ["0s: e1 e2 e3", "0s: e4 e5 e6", "1m: e7"])
    }

    @Test func `without waiting everything leaves as soon as it is committed`() throws {
        let errand = try Errand(every: .zero)
        for second in [1, 2] {
            try errand.pass(until: .seconds(Int64(second)))
            try errand.commit(1)
        }
        try errand.pass(until: .seconds(3))
        #expect(errand.posts == ["1s: e1", "2s: e2"])
    }

    @Test func `what came while a batch was under way waits on its own`() throws {
        let errand = try Errand(batch: 2, answers: [500])
        try errand.commit(2)
        try errand.pass(until: .milliseconds(500))
        try errand.commit(1)
        try errand.pass(until: .minutes(5))
        #expect(errand.posts == ["0s: e1 e2", "1s: e1 e2", "1m500ms: e3"])
    }

    @Test func `a batch of large items is smaller`() throws {
        let errand = try Errand(every: .zero)
        try errand.commit(3, size: 400_000)
        try errand.commit(1, size: 2_000_000)
        try errand.pass(until: .seconds(1))
        #expect(errand.posts == ["0s: e1 e2", "0s: e3", "0s: e4"])
    }

    @Test func `what an earlier run left has waited long enough`() throws {
        let errand = try Errand(left: 2)
        try errand.pass(until: .seconds(1))
        #expect(errand.posts == ["0s: e1 e2"])
    }

    // MARK: Failures

    @Test func `pauses double up to five minutes`() throws {
        let errand = try Errand(every: .zero, answers: Array(repeating: 500, count: 12))
        try errand.commit(1)
        try errand.pass(until: .hours(1))
        #expect(
            errand.endpoint.posts.map { "\($0.time)" } == [
                "0s", "1s", "3s", "7s", "15s", "31s", "1m3s", "2m7s", "4m15s", "8m31s", "13m31s", "18m31s", "23m31s",
            ])
    }

    @Test func `the jitter is a share of the whole pause, and a success starts over`() throws {
        let errand = try Errand(every: .zero, share: 0.5, answers: [503, .silence, 408, 200, 500])
        try errand.commit(1)
        try errand.pass(until: .seconds(10))
        try errand.commit(1)
        try errand.pass(until: .seconds(20))
        let expected = ["0s: e1", "500ms: e1", "1s500ms: e1", "3s500ms: e1", "10s: e2", "10s500ms: e2"]
        #expect(errand.posts == expected)
        #expect(errand.status.forwarded == 2 && errand.status.failedAttempts == 4 && errand.status.waiting == 0)
    }

    @Test func `a batch is sent again as it was, under the same key`() throws {
        let errand = try Errand(every: .zero, answers: [500, .silence])
        try errand.commit(2)
        try errand.pass(until: .zero)
        try errand.commit(2)
        try errand.pass(until: .minutes(1))
        #expect(errand.posts == ["0s: e1 e2", "1s: e1 e2", "3s: e1 e2", "3s: e3 e4"])
        let posts = errand.endpoint.posts
        try #require(posts.count == 4)
        #expect(Set(posts[..<3].map(\.key)).count == 1 && Set(posts[..<3].map(\.body)).count == 1)
        #expect(posts[3].key != posts[0].key)
        #expect(Set(posts.flatMap(\.ids)).count == 4)
    }

    @Test func `an endpoint that names a time is left alone until then`() throws {
        let errand = try Errand(every: .zero, answers: [.busy("120"), 500])
        try errand.commit(1)
        try errand.pass(until: .minutes(5))
        #expect(errand.posts == ["0s: e1", "2m: e1", "2m2s: e1"])
    }

    @Test func `people hear of each trouble once, and when it is over`() throws {
        let errand = try Errand(every: .zero, answers: [500, 500, .silence, 200, 500])
        try errand.commit(2)
        try errand.pass(until: .minutes(1))
        try errand.commit(1)
        try errand.pass(until: .minutes(2))
        let broken = """
            warning: cannot forward: http://shop.example/events answers 500
              effect: 2 items are waiting, in order; none is lost, and it is tried again
            """
        let silent = broken.replacing("answers 500", with: "does not answer within 30s")
        let over = "note: forwarding goes on: http://shop.example/events takes items again"
        #expect(errand.texts == [broken, silent, over, broken.replacing("2 items", with: "1 items"), over])
    }

    // MARK: Erasure

    @Test func `what was erased before it was read does not leave`() throws {
        let errand = try Errand(batch: 1, answers: [500])
        for _ in 1...3 { try errand.commit(1) }
        try errand.pass(until: .zero)
        try errand.journal.rewrite { entry in
            let before = entry
            ForwardItems.remove(from: &entry) { String(decoding: $0, as: UTF8.self).contains(#""e2""#) }
            return entry != before
        }
        try errand.pass(until: .minutes(5))
        #expect(errand.posts == ["0s: e1", "1s: e1", "1s: e3"] && errand.status.waiting == 0)
    }

    @Test func `from its cut on a batch goes as it is, and what is erased behind it is counted once`() throws {
        let journal = try Journal(.memory, store: "test", checkpoint: 0)
        _ = try Errand(journal: journal, left: 4)
        let queue = try ForwardQueue(journal)
        // The delivery does not know of it yet.
        let batch = try #require(try queue.nextBatch(limit: 3, suspects: 0))
        #expect(batch.count == 3 && queue.forget("ana") == 1)
        try queue.remove(batch, noting: [:])
        #expect(queue.count == 0)
    }

    @Test func `a batch that is to be cut anew is not under way`() throws {
        let journal = try Journal(.memory, store: "test", checkpoint: 0)
        _ = try Errand(journal: journal, left: 3)
        let queue = try ForwardQueue(journal)
        _ = try queue.nextBatch(limit: 3, suspects: 0)
        queue.putBack()
        #expect(queue.forget("ana") == 3 && queue.count == 0)
        #expect(try queue.nextBatch(limit: 3, suspects: 0) == nil)
    }

    // MARK: Refusals

    @Test func `whoever is refused tries again every five minutes, and says what to do`() throws {
        let errand = try Errand(every: .zero, answers: [401, 401])
        try errand.commit(2)
        try errand.pass(until: .minutes(20))
        #expect(errand.posts == ["0s: e1 e2", "5m: e1 e2", "10m: e1 e2"])
        #expect(Set(errand.endpoint.posts.map(\.key)).count == 1)
        #expect(
            errand.texts.first == """
                warning: cannot forward: http://shop.example/events answers 401
                  effect: 2 items are waiting, in order; none is lost, and it is tried again
                  fix: check what 'forward.headers' says about who we are
                """)
    }

    @Test func `an item that the endpoint does not accept is found, and those before it arrive`() throws {
        let refusal = ScriptedEndpoint.Answer(
            EndpointAnswer(status: 422, phrase: "Unprocessable Content", text: "no 'e3',\nplease"))
        let errand = try Errand(every: .zero, answers: [refusal, 200, 200, refusal, 200, 200, 200])
        try errand.commit(4)
        try errand.pass(until: .zero)
        try errand.commit(2)
        try errand.pass(until: .minutes(20))
        #expect(
            errand.posts == [
                "0s: e1 e2 e3 e4", "0s: e1", "0s: e2", "0s: e3", "5m: e3", "5m: e4", "5m: e5 e6",
            ])
        let item = try #require(errand.endpoint.posts.first { $0.names == ["e3"] }?.body.dropFirst().dropLast())
        #expect(
            errand.texts.first == """
                warning: cannot forward: http://shop.example/events answers 422 Unprocessable Content
                  why: it says: no 'e3', please
                  item: \(item)
                  effect: 2 items are waiting, in order; none is lost, and it is tried again
                  fix: let the endpoint take it; what it has no use for it can take and throw away
                """)
    }

    // MARK: The end

    @Test func `at the end everything is sent without waiting`() throws {
        let errand = try Errand(batch: 2)
        try errand.commit(5)
        #expect(try errand.end())
        #expect(errand.posts == ["0s: e1 e2", "0s: e3 e4", "0s: e5"])
        #expect(errand.status == ForwardStatus(forwarded: 5))
    }

    @Test func `at the end a batch is tried four times`() throws {
        let errand = try Errand(batch: 2, answers: [200, 500, 500, .silence, 200, 500, 500, 500, 500])
        try errand.commit(7)
        #expect(try errand.end())
        #expect(
            errand.posts == [
                "0s: e1 e2", "0s: e3 e4", "1s: e3 e4", "3s: e3 e4", "7s: e3 e4",
                "7s: e5 e6", "8s: e5 e6", "10s: e5 e6", "14s: e5 e6",
            ])
        #expect(errand.status.waiting == 3)
        #expect(errand.status.trouble == "http://shop.example/events answers 500")
    }

    @Test(arguments: [401, 422]) func `at the end one refusal is enough`(status: Int) throws {
        let errand = try Errand(batch: 1, answers: [200, .init(EndpointAnswer(status: status))])
        try errand.commit(3)
        #expect(try errand.end())
        #expect(errand.posts == ["0s: e1", "0s: e2"] && errand.status.waiting == 2)
    }

    @Test func `at the end a pause is cut short`() throws {
        for answer: ScriptedEndpoint.Answer in [500, 401] {
            let errand = try Errand(every: .zero, answers: [answer])
            try errand.commit(1)
            try errand.pass(until: .milliseconds(1))
            #expect(try errand.end())
            #expect(errand.posts == ["0s: e1", "1ms: e1"])
        }
    }

    @Test func `at the end a pause that the endpoint asked for is kept, or is too long`() throws {
        let short = try Errand(every: .zero, answers: [.busy("3"), .busy("8")])
        try short.commit(1)
        try short.pass(until: .seconds(1))
        #expect(try short.end())
        #expect(short.posts == ["0s: e1", "3s: e1", "11s: e1"] && short.status.waiting == 0)

        let long = try Errand(every: .zero, answers: [.busy("60")])
        try long.commit(1)
        try long.pass(until: .milliseconds(1))
        #expect(try long.end())
        #expect(long.posts == ["0s: e1"] && long.status.waiting == 1)

        let late = try Errand(batch: 1, answers: [200, .busy("9")])
        try late.commit(2)
        #expect(try late.end())
        #expect(late.posts == ["0s: e1", "0s: e2"] && late.status.waiting == 1)
    }

    @Test func `what is given up on is sent no more`() throws {
        let errand = try Errand(every: .zero, answers: [500])
        try errand.commit(1)
        try errand.pass(until: .zero)
        #expect(try errand.giveUp())
        #expect(errand.posts == ["0s: e1"] && errand.status.waiting == 1)
    }

    @Test func `with nothing to send the end is at once`() throws {
        #expect(try Errand().end())
    }

    // MARK: Restarts

    @Test func `a batch that was under way is the same after a restart, whatever came after it`() throws {
        let errand = try Errand(batch: 3, answers: [.silence])
        try errand.commit(3)
        try errand.pass(until: .zero)
        try errand.commit(2)
        let next = try errand.restarted(batch: 100)
        try next.pass(until: .seconds(1))
        #expect(next.posts == ["0s: e1 e2 e3", "0s: e4 e5"])
        #expect(next.endpoint.posts[0].key == errand.endpoint.posts[0].key)
        #expect(next.endpoint.posts[0].body == errand.endpoint.posts[0].body)
    }

    @Test func `a batch that was taken is not sent again after a restart`() throws {
        let errand = try Errand(batch: 3)
        try errand.commit(4)
        try errand.pass(until: .zero)
        let next = try errand.restarted()
        try next.pass(until: .seconds(1))
        #expect(errand.posts == ["0s: e1 e2 e3"] && next.posts == ["0s: e4"])
    }

    @Test func `ids go on after a restart, and are the same when the same is decided anew`() throws {
        let errand = try Errand(every: .zero)
        try errand.commit(2)
        try errand.pass(until: .zero)
        let ids = errand.endpoint.posts.flatMap(\.ids)
        #expect(ids.map { $0.prefix(4) } == ["f-1-", "f-2-"])

        let again = try Errand(every: .zero)
        try again.commit(2)
        try again.pass(until: .zero)
        #expect(again.endpoint.posts.flatMap(\.ids) == ids)

        let next = try errand.restarted()
        try next.commit(1)
        #expect(try next.end())
        #expect(next.endpoint.posts.flatMap(\.ids).map { $0.prefix(4) } == ["f-3-"])
    }

    @Test func `what the journal has dropped before it was taken is passed over, and said once to be lost`() throws {
        let journal = try Journal(.memory, store: "test", checkpoint: 0, segmentSize: 1)
        let first = try Errand(every: .zero, journal: journal)
        try first.commit(1)
        try first.pass(until: .seconds(1))
        try first.commit(2)
        try journal.append(JournalEntry(writtenAt: .distantPast))
        journal.drop(through: journal.last)
        let second = try first.restarted()
        #expect(
            second.texts == [
                """
                warning: up to 2 items that waited to be forwarded are lost
                  why: they are not in the journal any more, which keeps what is not taken for a while only
                  fix: keep it for longer in the configuration: 'journal: { keep: { for: 7d, atMost: 90d } }', in that of a service 'serve: { keep: … }'
                """
            ])
        let third = try second.restarted()
        try third.commit(1)
        try third.pass(until: .minutes(5))
        #expect(third.texts.isEmpty && third.posts == ["1m: e1"])
    }

    @Test func `the queue is counted to its end`() throws {
        #expect(try Errand(left: 2500).status.waiting == 2500)
    }
}

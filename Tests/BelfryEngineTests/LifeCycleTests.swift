import BelfryEngine
import BelfryModel
import Testing

/// From creation to deletion (docs/chain.md, docs/decisions.md).
@Suite struct DeletionTests {
    @Test func `leaving the region that made it deletes it and frees the slot`() throws {
        let town = try Town { $0.currentLimit = 1 }
        town.send(.enter("store"), at: "10:00")
        #expect(town.current == ["sale/1"])
        #expect(town.send(.exit("store"), at: "11:00") == ["deleted sale/1"])
        #expect(town.current == [])
        #expect(town.send(.enter("store"), at: "12:00") == ["created sale/2"])
    }

    @Test func `leaving another region does not`() throws {
        let town = try Town()
        town.send(.enter("store"), at: "10:00")
        town.send(.enter("station"), at: "10:30")
        #expect(town.send(.exit("station"), at: "11:00") == [])
        #expect(town.current == ["sale/1"])
    }

    @Test func `it takes unanimity of the required, and all who were asked are told`() throws {
        let town = try Town { $0.chain = [.entry("a", deletion: .allow), .entry("b", deletion: .deny), .entry("c")] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.send(.exit("store"), at: "11:00") == ["kept sale/1: b"])
        for entry in ["a", "b", "c"] { #expect(town.told(entry) == ["10:00 created sale", "11:00 kept sale/1"]) }
    }

    @Test(arguments: [
        (Scripted.Word.abstain, Configuration.Control.required, "deleted sale/1"),
        (.allow, .required, "deleted sale/1"),
        (.deny, .observer, "deleted sale/1"), (.deny, .sufficient, "deleted sale/1"),
        (.deny, .optional, "kept sale/1: a"),
    ])
    func `control counts as for creation`(word: Scripted.Word, control: Configuration.Control, outcome: String) throws {
        let town = try Town { $0.chain = [.entry("a", deletion: word, control: control)] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.send(.exit("store"), at: "11:00") == [outcome])
    }

    @Test func `a fault keeps it`() throws {
        let town = try Town { $0.chain = [.entry("a", deletion: .fault)] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.send(.exit("store"), at: "11:00") == ["faulted a: it broke", "kept sale/1: a/fault"])
    }

    @Test func `a kept one is asked about again with the next exit of the same region`() throws {
        let town = try Town { $0.chain = [.entry("a", deletion: .deny)] }
        town.send(.enter("store"), at: "10:00")
        town.send(.exit("store"), at: "11:00")
        town.send(.enter("station"), at: "11:10")
        #expect(town.send(.exit("station"), at: "11:20") == [])
        try town.reconfigure { $0.chain = [.entry("a")] }
        town.send(.enter("store"), at: "12:00")
        #expect(town.send(.exit("store"), at: "13:00") == ["deleted sale/1", "deleted sale/2"])
    }

    @Test func `deleteOn never is not asked on exit, but on request`() throws {
        let town = try Town { $0[campaign: "sale"].deleteOn = .never }
        town.send(.enter("store"), at: "10:00")
        #expect(town.send(.exit("store"), at: "11:00") == [])
        #expect(town.send(.delete("sale"), at: "12:00") == ["deleted sale/1"])
    }

    @Test(arguments: [false, true])
    func `what an exit does stays so when the campaign has gone`(isDeleted: Bool) throws {
        let town = try Town { $0[campaign: "sale"].deleteOn = isDeleted ? .exit : .never }
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.campaigns = [] }
        #expect(town.send(.exit("store"), at: "11:00") == (isDeleted ? ["deleted sale/1"] : []))
    }

    @Test func `a request deletes all of the campaign's, oldest first, and a second one nothing`() throws {
        let town = try Town { $0.campaigns.append(.campaign("other", on: .request)) }
        for campaign in ["sale", "other", "sale"] { town.send(.request(campaign), at: "10:00") }
        #expect(town.send(.delete("sale"), at: "11:00") == ["deleted sale/1", "deleted sale/2"])
        #expect(town.send(.delete("sale"), at: "11:01") == [])
        #expect(town.current == ["other/1"])
    }

    @Test func `opening and dismissing free nothing`() throws {
        let town = try Town { $0.currentLimit = 1 }
        town.send(.enter("store"), at: "10:00")
        town.send(.open("sale/1"), at: "10:01")
        #expect(town.send(.dismissed(notification: "sale/1"), at: "10:02") == [])
        #expect(town.send(.request("sale"), at: "10:03") == ["suppressed sale: belfry/slot-taken"])
    }

    @Test func `one of a campaign that left the configuration is deleted like others`() throws {
        let town = try Town { $0.chain = [.entry("a")] }
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.campaigns = [] }
        #expect(town.send(.exit("store"), at: "11:00") == ["deleted sale/1"])
        #expect(town.told("a") == ["10:00 created sale", "11:00 deleted sale/1"])
    }

    @Test func `a larger limit makes room for more`() throws {
        let town = try Town { $0.currentLimit = 2 }
        for _ in 1...2 { town.send(.request("sale"), at: "10:00") }
        #expect(town.send(.request("sale"), at: "10:01") == ["suppressed sale: belfry/slot-taken"])
        #expect(town.decisions.first?.reasons.first?.message == "'sale/1', 'sale/2' are current and not deleted yet")
    }
}

/// Numbers, the switch, and what is remembered.
@Suite struct SubjectTests {
    @Test func `notifications are numbered per subject and campaign`() throws {
        let town = try Town { $0.campaigns.append(.campaign("other", on: .request)) }
        let created = ["sale", "other", "sale"].flatMap { town.send(.request($0), at: "10:00") }
        #expect(created == ["created sale/1", "created other/1", "created sale/2"])
        #expect(town.send(.request("sale"), at: "10:00", as: "bob") == ["created sale/1"])
    }

    @Test func `a refused one takes no number`() throws {
        let town = try Town { $0.chain = [.entry("a", .deny, until: ["10:30"])] }
        town.send(.request("sale"), at: "10:00")
        #expect(town.send(.request("sale"), at: "10:30") == ["created sale/1"])
    }

    @Test(arguments: [true, false])
    func `enableOnFirstRun holds until somebody switches`(enabled: Bool) throws {
        let town = try Town { $0.enableOnFirstRun = enabled }
        let first = enabled ? "created sale/1" : "suppressed sale: belfry/disabled"
        #expect(town.send(.request("sale"), at: "10:00") == [first])
        town.send(enabled ? .disabled : .enabled, at: "10:01")
        let second = enabled ? "suppressed sale: belfry/disabled" : "created sale/1"
        #expect(town.send(.request("sale"), at: "10:02") == [second])
        try town.reconfigure { $0.enableOnFirstRun.toggle() }
        #expect(town.send(.request("sale"), at: "10:03") == [enabled ? second : "created sale/2"])
    }

    @Test func `switching is recorded`() throws {
        let town = try Town()
        #expect(town.send(.disabled, at: "10:00") == ["recorded application uiPushDisabled"])
        #expect(town.send(.enabled, at: "10:01") == ["recorded application uiPushEnabled"])
    }

    @Test func `disabling keeps what is current, and it may still be deleted`() throws {
        let town = try Town()
        town.send(.enter("store"), at: "10:00")
        town.send(.disabled, at: "10:01")
        #expect(town.send(.exit("store"), at: "10:02") == ["deleted sale/1"])
    }

    @Test func `a reset is a fresh install`() throws {
        let town = try Town {
            $0.currentLimit = 1
            $0.chain = [.entry("a")]
        }
        town.send(.disabled, at: "09:00")
        town.send(.enabled, at: "09:01")
        town.send(.user(["tier": "gold"]), at: "09:02")
        town.send(.deviceRegistered(["osVersion": "9"]), at: "09:03", channel: "phone")
        town.send(.foregrounded, at: "09:04")
        town.send(.enter("store"), at: "10:00", id: "s-1")
        #expect(town.send(.reset, at: "10:01") == [])
        // Only the numbers that ids are made of go on.
        func rest(_ record: borrowing SubjectRecord) -> [Fields.Entry] {
            record.value.map?.entries.filter { $0.key != "decisions" } ?? []
        }
        #expect(rest(town.record()) == rest(try freshRecord(latest: "10:01")) && town.record().decisions > 0)
        #expect(town.send(.enter("store"), at: "10:02", id: "s-1") == ["created sale/1"])
    }

    /// A subject to whom nothing but the passing of time happened.
    private func freshRecord(latest: String) throws -> SubjectRecord {
        let other = try Town()
        other.send(.custom, at: latest)
        return other.record()
    }

    @Test func `a history keeps the newest`() throws {
        let town = try Town { $0.historyLimit = 2 }
        for _ in 1...3 { town.send(.request("sale"), at: "10:00") }
        #expect(town.history == ["sale/2", "sale/3"])
    }

    @Test func `clearing a history frees no slot and forgets no count`() throws {
        let town = try Town {
            $0.currentLimit = 1
            $0.chain = [.entry("a", .deny)]
            $0.chain[0].when = condition(["user.x": 1])
        }
        town.send(.request("sale"), at: "10:00")
        #expect(town.send(.historyCleared(.notifications), at: "10:01") == [])
        #expect(town.history == [])
        #expect(town.send(.request("sale"), at: "10:02") == ["suppressed sale: belfry/slot-taken"])
        town.send(.delete("sale"), at: "10:03")
        #expect(town.send(.request("sale"), at: "10:04") == ["created sale/2"])
    }

    @Test func `a short history frees no slot, and ends no notification`() throws {
        let town = try Town { ($0.currentLimit, $0.historyLimit) = (3, 2) }
        for number in 1...3 {
            #expect(town.send(.request("sale"), at: "10:0\(number)") == ["created sale/\(number)"])
        }
        #expect(town.send(.request("sale"), at: "10:04") == ["suppressed sale: belfry/slot-taken"])
        #expect(town.current == ["sale/1", "sale/2", "sale/3"])
        #expect(town.history.count == 2)
        town.send(.delete("sale"), at: "10:05")
        #expect(town.send(.request("sale"), at: "10:06") == ["created sale/4"])
    }

    @Test func `the lists are cleared apart`() throws {
        let town = try Town { $0.campaigns.append(.campaign("trigger", on: .request) { $0.kind = .geotrigger }) }
        town.send(.request("sale"), at: "10:00")
        town.send(.request("trigger"), at: "10:00")
        town.send(.historyCleared(.geotriggers), at: "10:01")
        #expect(town.record().notifications.count == 1)
        #expect(town.record().geotriggers.isEmpty)
    }

    @Test func `moves of the app are told once, to every counter with state`() throws {
        let town = try Town { $0.chain = [.entry("a"), .entry("b", per: .campaign), .entry("c", per: .campaign)] }
        town.send(.foregrounded, at: "09:00")
        town.send(.foregrounded, at: "09:01")
        town.send(.request("sale"), at: "10:00")
        town.send(.backgrounded, at: "11:00")
        #expect(town.told("a") == ["09:00 foreground", "10:00 created sale", "11:00 background"])
        #expect(town.told("b", counter: "sale") == ["10:00 created sale", "11:00 background"])
    }

    @Test func `a counter that was asked but has nothing to remember is not told`() throws {
        // Were it told while its state is at hand and not after a restart, a restart would change decisions.
        let town = try Town(town + [Quiet.self]) {
            $0.chain = [Configuration.Entry(strategy: "quiet")]
            $0.chain[0].per = .campaign
        }
        town.send(.request("sale"), at: "10:00")
        town.send(.backgrounded, at: "10:01")
        #expect(town.send(.request("sale"), at: "10:02") == ["created sale/2"])
    }

    @Test func `sessions are recorded`() throws {
        let town = try Town()
        #expect(town.send(.sessionStarted, at: "10:00") == ["recorded application sessionStart"])
        #expect(town.send(.sessionEnded, at: "10:01") == ["recorded application sessionEnd"])
    }

    @Test func `a custom signal is recorded by nobody, and triggers what waits for it`() throws {
        let town = try Town { $0.campaigns = [.campaign("thanks", on: .signal("order.paid"))] }
        #expect(town.send(.custom, at: "10:00", type: "order.paid") == ["created thanks/1"])
        #expect(town.send(.custom, at: "10:01", type: "order.sent") == [])
    }
}

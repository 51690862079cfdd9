import BelfryModel
import FuzzInput

/// Signals of all kinds, in a file that a run may be killed over: with timers, deferrals, actions, lines to reject, duplicates,
/// latecomers, and signals without an id.
enum BusyDay {
    static let until = "2026-03-04T00:00:00Z"

    static func configuration(batch: Int) -> String {
        """
        app: shop
        timeZone: Europe/Amsterdam
        batch: { signals: \(batch) }
        journal: { checkpoint: 1ms }
        fields: [shopName]
        chain:
          - { strategy: segmentation }
          - { strategy: schedule, parameters: { periods: [ { hours: ["08:00-20:00"] } ], outside: defer } }
          - { strategy: digest, when: { campaign.id: thanks }, parameters: { sliding: { by: 5m, atMost: 20m }, items: 4, keep: 3 } }
          - { strategy: digest, id: leading, when: { campaign.id: offer }, parameters: { window: 10m, leading: true } }
          - { strategy: max-per-period, id: cap, parameters: { max: 4, period: 2h } }
          - { strategy: cooldown, per: campaign }
        regions:
          - { id: store-14, kind: geofence, latitude: 52.37, longitude: 4.89, fields: { shopName: Alpha } }
          - { id: store-15, kind: geofence, latitude: 52.40, longitude: 4.95, fields: { shopName: Beta } }
        campaigns:
          - id: welcome
            message: "Welcome at {shopName}"
            triggers: [ { on: enter, regions: all } ]
            with: { cooldown: { period: 20m } }
            onOpen: { type: url, value: "https://shop.example" }
          - id: lingering
            message: Still here?
            triggers: [ { on: dwell, regions: all, dwell: 5m } ]
            category: help
          - { id: thanks, message: "Thank you", triggers: [ { on: purchase } ], onOpen: { type: confetti } }
          - { id: offer, message: Now }
          - { id: visit, kind: geotrigger, triggers: [ { on: enter, regions: [store-15] } ], onFire: { type: url, value: "https://a.example" }, with: { cap: off } }
          - { id: doubt, kind: geotrigger, triggers: [ { on: exit, regions: all } ], onFire: { type: confetti }, with: { cap: off } }
        experiments:
          - { id: more, seed: s, variants: [ { name: four }, { name: six, with: { cap: { max: 6 } } } ] }
        categories:
          - { id: help, buttons: [ { id: "yes", title: Call us, action: { type: dial, value: "112" } } ] }
        """
    }

    /// - Parameter count: how many lines.
    static func signals(_ count: Int, seed: UInt64) -> [String] {
        var dice = Dice(seed: seed)
        var lines: [String] = []
        var time = Instant(rfc3339: "2026-03-02T06:00:00Z")!
        for number in 1...count {
            time = time + .seconds(Int64.random(in: 0...90, using: &dice))
            lines.append(line(number, time, after: lines, &dice))
        }
        return lines
    }

    private static func line(_ number: Int, _ time: Instant, after lines: [String], _ dice: inout Dice) -> String {
        switch dice.next() % 40 {
        case 0: return dice.pick(["nope", #"{"type":"x"}"#, "{\"type\":\"purchase\",\"subject\":7}", "{"])
        case 1: return lines.randomElement(using: &dice) ?? ""
        case 2: return #"{"type":"clock.advanced","time":"\#(time + .minutes(10))"}"#
        default: break
        }
        let subject = dice.pick(["ana", "ben", "cem", "dot", "eva"])
        let time = dice.happens(0.1) ? time - .minutes(7) : time
        let id = dice.happens(0.7) ? #""id":"s-\#(number)","# : ""
        let (type, data) = event(&dice)
        return #"{\#(id)"type":"\#(type)","subject":"\#(subject)","time":"\#(time)","data":\#(data)}"#
    }

    private static func event(_ dice: inout Dice) -> (type: String, data: String) {
        switch dice.next() % 8 {
        case 0, 1: ("region.entered", #"{"region":"\#(dice.pick(["store-14", "store-15"]))"}"#)
        case 2: ("region.exited", #"{"region":"\#(dice.pick(["store-14", "store-15", "store-16"]))"}"#)
        case 3: ("location.updated", #"{"latitude":\#(dice.pick(["52.37", "52.385", "52.4"])),"longitude":4.95}"#)
        case 4: ("purchase", #"{"amount":12.5}"#)
        case 5: ("notification.requested", #"{"campaign":"offer","key":"k\#(dice.next() % 50)"}"#)
        case 6:
            (
                "notification.opened",
                #"{"notification":"\#(dice.pick(["welcome", "thanks"]))/\#(1 + dice.next() % 5)"}"#
            )
        default: ("attributes.set", #"{"scope":"user","values":{"tier":\#(dice.next() % 3)}}"#)
        }
    }
}

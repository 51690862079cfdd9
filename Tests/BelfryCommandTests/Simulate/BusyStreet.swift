import BelfryModel
import Foundation
import FuzzInput

/// A few hundred people in a street of shops, for days: every kind of candidate, refusal, timer, reject and duplicate, made up
/// with a seed.
struct BusyStreet {
    static let zones = ["Europe/Amsterdam", "Asia/Tokyo", "America/New_York"]
    private static let people = 40

    /// Where a subject is: the first zone is the configuration's, and no signal says so.
    static func zone(of subject: String) -> TimeZone {
        TimeZone(identifier: zones[(Int(subject.dropFirst()) ?? 0) % zones.count])!
    }

    /// - Parameters:
    ///   - cap: notifications a day.
    ///   - trial: how the cooldown that is on trial counts.
    static func configuration(cap: Int, trial: String = "observer", hasCoupon: Bool = true) -> String {
        """
        app: street
        timeZone: Europe/Amsterdam
        current: { limit: 2 }
        chain:
          - { strategy: max-per-period, id: cap, parameters: { max: \(cap), calendar: day } }
          - { strategy: cooldown, id: trial, control: \(trial), parameters: { period: 2h } }
          - { strategy: cooldown, per: campaign, when: { "campaign.kind": notification } }
          - { strategy: schedule, id: night, parameters: { periods: [ { hours: ["08:00-21:00"] } ], outside: defer } }
          - { strategy: max-per-period, id: fair, per: group }
        groups:
          - { id: loud, with: { fair: { max: 2, period: 6h } } }
          - { id: quiet, with: { fair: { max: 1, period: 1d } } }
        regions:
          - { id: dam, kind: geofence, latitude: 52.373, longitude: 4.893 }
          - { id: spui, kind: geofence, latitude: 52.368, longitude: 4.889 }
        campaigns:
          - { id: sale, message: Sale, groups: [loud], with: { cooldown: { period: 1h } } }
          - { id: welcome, message: Hello, priority: 1, groups: [loud, quiet], triggers: [ { regions: all } ] }
          - { id: linger, message: Still here, triggers: [ { id: stay, on: dwell, dwell: 10m, regions: all } ] }
          - { id: gone, kind: geotrigger, onFire: { type: url, value: "https://x.example" }, triggers: [ { on: exit, regions: [dam] } ], with: { night: off } }
          - { id: cart, message: Your cart, groups: [quiet], triggers: [ { id: left, on: cart.left } ] }
        \(hasCoupon ? "  - { id: coupon, message: A coupon }" : "")
        """
    }

    static func signals(_ count: Int) -> [String] {
        var dice = Dice(seed: 9)
        var lines = (0..<people).filter { !$0.isMultiple(of: zones.count) }.map { person in
            let zone = zones[person % zones.count]
            return
                #"{"type":"device.registered","subject":"p\#(person)","channel":"phone","time":"2026-03-01T00:00:00Z","#
                + #""data":{"attributes":{"timeZone":"\#(zone)"}}}"#
        }
        var time = Instant(rfc3339: "2026-03-02T00:00:00Z")!
        for number in 0..<count {
            time = time + .seconds(Int64.random(in: 0...700, using: &dice))
            let isLate = Int.random(in: 0..<50, using: &dice) == 0
            lines.append(signal(number, at: isLate ? time - .hours(1) : time, &dice))
            if Int.random(in: 0..<60, using: &dice) == 0 { lines.append(lines.randomElement(using: &dice)!) }
            if Int.random(in: 0..<80, using: &dice) == 0 { lines.append(["", "{", "[]"].randomElement(using: &dice)!) }
        }
        return lines
    }

    private static func signal(_ number: Int, at time: Instant, _ dice: inout Dice) -> String {
        let person = Int.random(in: 0..<people, using: &dice)
        let region = ["dam", "spui"].randomElement(using: &dice)!
        let (type, data) = [
            ("notification.requested", #"{"campaign":"sale"}"#), ("notification.requested", #"{"campaign":"sale"}"#),
            ("notification.requested", #"{"campaign":"coupon"}"#), ("cart.left", "{}"),
            ("notification.requested", #"{"campaign":"sale","delete":true}"#),
            ("region.entered", #"{"region":"\#(region)"}"#), ("region.entered", #"{"region":"\#(region)"}"#),
            ("region.exited", #"{"region":"\#(region)"}"#), ("region.exited", #"{"region":"\#(region)"}"#),
            ("region.exited", #"{"region":"nowhere"}"#), ("notification.opened", #"{"notification":"sale/1"}"#),
            ("app.foregrounded", "{}"), ("subject.disabled", "{}"), ("subject.enabled", "{}"),
            ("subject.enabled", "{}"),
        ].randomElement(using: &dice)!
        let id = number.isMultiple(of: 3) ? #""id":"s-\#(number)","# : ""
        return #"{\#(id)"type":"\#(type)","subject":"p\#(person)","time":"\#(time)","data":\#(data)}"#
    }
}

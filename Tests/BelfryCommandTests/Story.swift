import BelfryModel
import Foundation
import Testing

/// What happened to one subject, told to the built command with its real plugins, and what was decided, in short.
struct Story {
    private let place: Workplace

    init(_ configuration: String) throws { place = try Workplace(["belfry.yaml": configuration]) }

    /// Each moment is a time of one day and what happened: `enter shop`, `exit shop`, `sight 7/2`, `sight 7/2 2.5` (in m),
    /// `request sale`, `open sale/1`, `dismiss sale/1`; any other word is a custom event.
    ///
    /// - Returns: a line per decision: `09:00:30 created sale/1`, `09:01 suppressed sale by cooldown, belfry`.
    func tell(_ moments: (time: String, what: String)...) throws -> [String] { try tell(moments) }

    func tell(_ moments: [(time: String, what: String)]) throws -> [String] {
        let result = try place.belfry("run", input: moments.map { Self.signal($0.time, $0.what) }.asFile)
        #expect(result.status == 0, "\(result.errors)")
        return try result.lines.map { Self.brief(try JSON($0)) }
    }

    private static func signal(_ time: String, _ what: String) -> String {
        let words = what.split(separator: " ").map(String.init)
        let last = words.last ?? ""
        let (type, data): (String, String)
        switch words[0] {
        case "enter": (type, data) = ("region.entered", #"{"region":"\#(last)"}"#)
        case "exit": (type, data) = ("region.exited", #"{"region":"\#(last)"}"#)
        case "sight":
            let beacon = words[1].split(separator: "/")
            let distance = words.count > 2 ? #","distance":\#(last)"# : ""
            (type, data) = (
                "beacon.ranged", #"{"uuid":"F7826DA6","major":\#(beacon[0]),"minor":\#(beacon[1])\#(distance)}"#
            )
        case "request": (type, data) = ("notification.requested", #"{"campaign":"\#(last)"}"#)
        case "open": (type, data) = ("notification.opened", #"{"notification":"\#(last)"}"#)
        case "dismiss": (type, data) = ("notification.dismissed", #"{"notification":"\#(last)"}"#)
        default: (type, data) = (what, "{}")
        }
        return #"{"type":"\#(type)","subject":"ana","time":"2026-03-02T\#(time)Z","data":\#(data)}"#
    }

    private static func brief(_ decision: JSON) -> String {
        let data = decision["data"]?.map
        let time = decision["time"]?.text?.dropFirst("2026-03-02T".count).dropLast() ?? "?"
        let what = (decision["type"]?.text ?? "?").split(separator: ".").last.map(String.init) ?? "?"
        let reasons = data?["reasons"]?.list?.compactMap { $0.map?["strategy"]?.text } ?? []
        let subject = data?["notification"]?.text ?? data?["campaign"]?.text ?? "?"
        return "\(time) \(what) \(subject)" + (reasons.isEmpty ? "" : " by \(reasons.joined(separator: ", "))")
    }
}

import BelfryModel
import Foundation
import Testing

/// What happened to one subject, told to the built command with its real plugins, and what was decided, in short.
struct Story {
    private let place: Workplace

    /// - Parameter plugins: sources in C, for a configuration that names the folder `plugins`.
    init(_ configuration: String, plugins: [URL] = []) throws {
        place = try Workplace(["belfry.yaml": configuration])
        if !plugins.isEmpty { try PluginFiles.compile(plugins, into: place.file("plugins")) }
    }

    /// Each moment is a time of one day, or a whole date-time, and what happened:
    ///
    /// - `enter shop`, `exit shop`, `at 52.37 4.89`, `at 52.37 4.89 60` (accuracy in m), `sight 7/2`, `sight 7/2 2.5` (in m)
    /// - `request sale`, `open sale/1`, `open sale/1 Accept`, `dismiss sale/1`
    /// - `set {"tier":1}`, `update {"tier":1}`, `register {"timeZone":"Asia/Tokyo"}`, `clear notifications`
    /// - any other word is the type of a signal, custom or not
    ///
    /// A word with a colon in front of all that is the channel: `phone: enter shop`.
    ///
    /// - Returns: a line per decision: `09:00:30 created sale/1`, `09:01 suppressed sale by cooldown, belfry`.
    func tell(_ moments: (time: String, what: String)..., until: String? = nil) throws -> [String] {
        try tell(moments, until: until)
    }

    func tell(_ moments: [(time: String, what: String)], until: String? = nil) throws -> [String] {
        try decisions(moments, until: until).map(Self.brief)
    }

    /// The same with every decision as it was printed.
    func decisions(_ moments: (time: String, what: String)..., until: String? = nil) throws -> [JSON] {
        try decisions(moments, until: until)
    }

    func decisions(_ moments: [(time: String, what: String)], until: String? = nil) throws -> [JSON] {
        let result = try run(moments, until: until)
        #expect(result.status == 0, "\(result.errors)")
        return try result.lines.map { try JSON($0) }
    }

    /// The same with what it says of itself on standard error.
    func run(_ moments: (time: String, what: String)..., until: String? = nil) throws -> Command.Result {
        try run(moments, until: until)
    }

    func run(_ moments: [(time: String, what: String)], until: String? = nil) throws -> Command.Result {
        let input = moments.map { Self.signal($0.time, $0.what) }.asFile
        return try place.belfry(
            ["run"] + (until.map { ["--until", Self.dateTime($0)] } ?? []), input: Data(input.utf8))
    }

    /// Another command in the same folder, over the same store.
    func belfry(_ arguments: String...) throws -> Command.Result { try belfry(arguments) }

    func belfry(_ arguments: [String]) throws -> Command.Result { try place.belfry(arguments, input: Data()) }

    /// Replaces the configuration, for the commands to come.
    func configure(_ configuration: String) throws { try place.write(configuration, to: "belfry.yaml") }

    private static let day = "2026-03-02T"

    private static func dateTime(_ time: String) -> String { time.contains("T") ? time : "\(day)\(time)Z" }

    static func signal(_ time: String, _ what: String) -> String {
        var words = what.split(separator: " ").map(String.init)
        let channel = words[0].hasSuffix(":") ? words.removeFirst().dropLast() : nil
        let (type, data) = event(words)
        let device = channel.map { #","channel":"\#($0)""# } ?? ""
        return #"{"type":"\#(type)","subject":"ana"\#(device),"time":"\#(dateTime(time))","data":\#(data)}"#
    }

    private static func event(_ words: [String]) -> (type: String, data: String) {
        let last = words.last ?? ""
        let rest = words.dropFirst().joined(separator: " ")
        switch words[0] {
        case "enter": return ("region.entered", #"{"region":"\#(last)"}"#)
        case "exit": return ("region.exited", #"{"region":"\#(last)"}"#)
        case "at":
            let accuracy = words.count > 3 ? #","accuracy":\#(last)"# : ""
            return ("location.updated", #"{"latitude":\#(words[1]),"longitude":\#(words[2])\#(accuracy)}"#)
        case "sight":
            let beacon = words[1].split(separator: "/")
            let distance = words.count > 2 ? #","distance":\#(last)"# : ""
            return ("beacon.ranged", #"{"uuid":"F7826DA6","major":\#(beacon[0]),"minor":\#(beacon[1])\#(distance)}"#)
        case "request": return ("notification.requested", #"{"campaign":"\#(last)"}"#)
        case "open":
            let button = words.count > 2 ? #","button":"\#(last)""# : ""
            return ("notification.opened", #"{"notification":"\#(words[1])"\#(button)}"#)
        case "dismiss": return ("notification.dismissed", #"{"notification":"\#(last)"}"#)
        case "set": return ("attributes.set", #"{"values":\#(rest)}"#)
        case "update": return ("attributes.updated", #"{"values":\#(rest)}"#)
        case "register": return ("device.registered", #"{"attributes":\#(rest)}"#)
        case "clear": return ("history.cleared", #"{"list":"\#(last)"}"#)
        default: return (words[0], rest.isEmpty ? "{}" : rest)
        }
    }

    static func brief(_ decision: JSON) -> String {
        let data = decision["data"]?.map
        let time =
            decision["time"]?.text.map { $0.hasPrefix(day) ? $0.dropFirst(day.count).dropLast() : $0[...] } ?? "?"
        let what = (decision["type"]?.text ?? "?").split(separator: ".").last.map(String.init) ?? "?"
        let reasons = data?["reasons"]?.list?.compactMap { $0.map?["strategy"]?.text } ?? []
        let subject = data?["notification"]?.text ?? data?["campaign"]?.text ?? data?["name"]?.text ?? "?"
        return "\(time) \(what) \(subject)" + (reasons.isEmpty ? "" : " by \(reasons.joined(separator: ", "))")
    }
}

import BelfryModel
import Foundation
import Testing

/// What an app that ran on IBM MCE relies on, through the built command and its real plugins (docs/seed-coverage.md).
@Suite enum MCETests {}

/// An app of one subject, ana, whose devices send signals.
struct MCEApp {
    private let place: Workplace

    /// - Parameter plugins: those of `Plugins`, beside the bundled ones.
    init(_ configuration: String = "", plugins: [String] = []) throws {
        place = try Workplace(["belfry.yaml": "app: shop\nstore: sqlite:shop.db\n" + configuration])
        try PluginFiles.compile(plugins.map(PluginFiles.own), into: place.file("plugins"))
    }

    /// What a process of its own makes of these signals; every further call is after a restart.
    func decide(_ signals: [String], _ arguments: String...) throws -> Decided {
        let result = try place.belfry(
            ["run"] + arguments, input: Data(signals.asFile.utf8),
            environment: ["BELFRY_PLUGIN_PATH": place.file("plugins").path])
        return try Decided(result)
    }

    /// The configuration that the next process reads.
    func reconfigure(_ configuration: String) throws {
        try place.write("app: shop\nstore: sqlite:shop.db\n" + configuration, to: "belfry.yaml")
    }

    /// What `belfry state show` has about ana.
    func record() throws -> JSON { try JSON(place.belfry("state", "show", "ana", "--json").output) }

    /// One channel's attributes: those that were set, or the automatic ones.
    func channel(_ id: String, _ attributes: String = "attributes") throws -> Value? {
        try record()["channels"]?.list?.first { $0.map?["id"]?.text == id }?.map?[attributes]
    }
}

extension MCEApp {
    struct Decided {
        let status: Int32
        let decisions: [JSON]
        let rejects: [JSON]
        /// Lines of standard error that say so, without that word.
        let warnings: [String]
        let output: String
        let errors: String

        fileprivate init(_ result: Command.Result) throws {
            let errors = result.errors.split(separator: "\n").map(String.init)
            status = result.status
            decisions = try result.lines.map(JSON.init)
            rejects = try errors.filter { $0.hasPrefix("{") }.map(JSON.init)
            warnings = errors.filter { $0.hasPrefix("warning: ") }.map { String($0.dropFirst("warning: ".count)) }
            (output, self.errors) = (result.output, result.errors)
        }

        /// The data of all decisions of a type.
        func data(_ type: String) -> [Fields] {
            decisions.filter { $0["type"]?.text == type }.compactMap { $0["data"]?.map }
        }

        /// A line each: `created sale/1`, `opened sale/1 by Accept`, `invoked dial 112 ok`, `recorded application sessionStart`.
        var brief: [String] { decisions.map(Self.brief) }

        private static func brief(_ decision: JSON) -> String {
            let type = decision["type"]?.text?.split(separator: ".").last.map(String.init) ?? "?"
            let data = decision["data"]?.map ?? Fields()
            func words(_ keys: String...) -> String {
                ([type] + keys.compactMap { data[$0]?.text ?? data[$0]?.json }).joined(separator: " ")
            }
            switch type {
            case "invoked": return words("type", "value", "status")
            case "recorded": return words("type", "name")
            case "opened": return words("notification") + (data["button"]?.text.map { " by \($0)" } ?? "")
            default: return data["notification"] == nil ? words("campaign") : words("notification")
            }
        }
    }
}

/// A signal of ana, at a time of one day.
func signal(
    _ type: String, _ data: String = "{}", at time: String, channel: String? = nil, id: String? = nil
) -> String {
    let (id, channel) = (id.map { #""id":"\#($0)","# } ?? "", channel.map { #""channel":"\#($0)","# } ?? "")
    return #"{\#(id)"type":"\#(type)","subject":"ana",\#(channel)"time":"2026-03-02T\#(time)","data":\#(data)}"#
}

/// A request for `sale`, with more members.
func request(_ members: String = "", at time: String, channel: String? = nil) -> String {
    let members = members.isEmpty ? "" : "," + members
    return signal("notification.requested", #"{"campaign":"sale"\#(members)}"#, at: time, channel: channel)
}

/// A tap on a notification, or on a button of it.
func tap(_ notification: String, _ button: String? = nil, at time: String, channel: String? = nil) -> String {
    let button = button.map { #","button":"\#($0)""# } ?? ""
    return signal("notification.opened", #"{"notification":"\#(notification)"\#(button)}"#, at: time, channel: channel)
}

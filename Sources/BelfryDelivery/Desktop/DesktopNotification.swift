import BelfryEngine
import BelfryModel

/// What is shown of a decision (Desktop Notifications Specification 1.2).
struct DesktopNotification {
    private let settings: Configuration.Sink.Desktop
    let summary: String
    private let body: String
    private let buttons: [(id: String, title: String)]
    /// Whether it can be opened.
    private let isNotification: Bool

    init(_ decision: Fields, _ settings: Configuration.Sink.Desktop) {
        self.settings = settings
        let data = decision["data"]?.map ?? [:]
        let (title, message) = (data["title"]?.text ?? "", data["message"]?.text ?? "")
        let name = data["notification"]?.text ?? decision["type"]?.text ?? ""
        // A summary is required, a body is not.
        let summary = title.isEmpty ? message : title
        self.summary = summary.isEmpty ? name : summary
        body = title.isEmpty ? "" : message
        isNotification = decision["type"]?.text == Decision.Kind.created.rawValue
        buttons = (data["buttons"]?.list ?? []).compactMap { button in
            guard let fields = button.map, let id = fields["id"]?.text else { return nil }
            return (id, fields["title"]?.text ?? id)
        }
    }

    /// The arguments of `Notify`.
    ///
    /// - Parameter capabilities: what the service says that it can do.
    func write(to message: BusMessage, _ capabilities: [String]) {
        message.write(settings.name)
        message.write(UInt32(0))
        message.write(settings.icon ?? "")
        message.write(summary)
        message.write(capabilities.contains("body-markup") ? body.escaped : body)
        message.write("a", of: "s") {
            // Some services that know no actions open a window for them.
            guard capabilities.contains("actions"), isNotification else { return }
            for (key, label) in [(Self.tap, "Open")] + buttons { for text in [key, label] { message.write(text) } }
        }
        message.write("a", of: "{sv}") {
            message.write("e", of: "sv") {
                message.write("urgency")
                message.write("v", of: "y") { message.write(settings.urgency.level) }
            }
        }
        message.write(settings.visible.map { Int32(clamping: $0.milliseconds) } ?? -1)
    }

    /// The key of the action that is the notification itself.
    static let tap = "default"
}

extension String {
    /// Without what markup would take for its own.
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

extension Configuration.Sink.Desktop.Urgency {
    fileprivate var level: UInt8 {
        switch self {
        case .low: 0
        case .normal: 1
        case .critical: 2
        }
    }
}

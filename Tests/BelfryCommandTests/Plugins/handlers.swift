import BelfryPlugin

/// Handlers in Swift with every type of argument. Each says what it got.
struct Handlers: ActionProvider {
    static var actions: [Action] {
        [
            Action(
                signature: """
                    swift-all(flag: bool = true, count: int = -7, price: double = 2.5, name: string = "Zoë", \
                    blob: bytes = "AAH/", at: instant = "2026-03-02T09:00:00Z")
                    """, summary: "Tells every argument.", handler: tellAll),
            Action(type: "swift-action", summary: "Tells the action.") { perform(tellAction, $0, $1) },
            Action(type: "swift-both", summary: "Tells action and notification.") { perform(tellBoth, $0, $1, $2) },
            Action(signature: "swift-refuse(why: string)", summary: "Fails.", handler: refuse),
        ]
    }
}

private let tellAll:
    @convention(c) (
        belfry_bool, Int64, Double, UnsafePointer<CChar>, UnsafePointer<UInt8>, UInt64, Int64, ActionResult
    ) -> belfry_status = { flag, count, price, name, blob, length, at, result in
        perform(result) { () throws(StrategyError) in
            let bytes = UnsafeBufferPointer(start: blob, count: Int(length))
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let hundredths = Int((abs(price) * 100).rounded())
            let price =
                "\(price < 0 ? "-" : "")\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
            let name = String(cString: name)
            return .text("flag \(flag), count \(count), price \(price), name '\(name)', blob \(hex), at \(at)")
        }
    }

private let refuse: @convention(c) (UnsafePointer<CChar>, ActionResult) -> belfry_status = { why, result in
    perform(result) { () throws(StrategyError) in throw StrategyError(String(cString: why)) }
}

private func tellAction(_ call: ActionCall) throws(StrategyError) -> Value? {
    .text("type of \(call.type.utf8.count) bytes, \(call.action.count) fields")
}

private func tellBoth(_ call: ActionCall) throws(StrategyError) -> Value? {
    .text("\(call.action.count) fields, message of \(call.payload["message"]?.text?.utf8.count ?? -1) bytes")
}

private let plugin = Plugin(id: "test.handlers-swift", version: "1.0.0", actions: [Handlers.self])

@c @implementation
public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
    plugin.root
}

import BelfryPlugin

/// Shows a coupon when a notification is opened.
struct MyPlugin: ActionProvider {
    static var actions: [Action] {
        [
            Action(
                signature: "my-plugin(code: string, percent: int = 10)", summary: "Shows a coupon.", handler: showCoupon
            )
        ]
    }
}

/// Answers what the device is to show. Its type follows from the signature; the host has read, checked and converted the
/// arguments.
private let showCoupon: @convention(c) (UnsafePointer<CChar>, Int64, ActionResult) -> belfry_status = {
    code, percent, result in
    perform(result) { () throws(StrategyError) in
        guard (1...100).contains(percent) else { throw StrategyError("'percent' should be from 1 to 100") }
        return ["coupon": .text(String(cString: code)), "percent": .integer(percent)]
    }
}

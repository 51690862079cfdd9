import BelfryPlugin

/// Offers the choice when a notification is opened and no button was tapped.
///
/// Meant for `onOpen` of a campaign with a category. The device shows what is in the result, and the person's choice comes back
/// as another opening, with that button (IBM MCE: "Action Menu Plugin").
struct ActionMenu: ActionProvider {
    static var actions: [Action] {
        [
            Action(type: "showactions", summary: "offers the buttons of the notification with their actions") {
                perform(offerButtons, $0, $1, $2)
            }
        ]
    }
}

private func offerButtons(_ call: ActionCall) throws(StrategyError) -> Value? {
    guard let buttons = call.payload["buttons"]?.list, !buttons.isEmpty else {
        throw StrategyError("there is nothing to choose from: the notification has no buttons")
    }
    return ["buttons": .list(buttons)]
}

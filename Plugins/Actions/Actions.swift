import BelfryPlugin

/// The actions that every host has, those of the handlers `url`, `landingPage` and `applink` among them.
///
/// They check their value and answer what a device is to do with it.
struct Actions: ActionProvider {
    static var actions: [Action] {
        [
            Action(type: "url", summary: "opens a web address or a link into an app") { perform(openURL, $0, $1) },
            Action(type: "landingPage", summary: "shows a web page over the whole screen") { perform(openURL, $0, $1) },
            Action(type: "applink", summary: "opens a link into another app") { perform(openURL, $0, $1) },
            Action(type: "openApp", summary: "opens the app, at a place in it if there is a value") {
                perform(openApp, $0, $1)
            },
            Action(type: "dial", summary: "calls a phone number") { perform(dial, $0, $1) },
        ]
    }
}

private func openURL(_ action: ActionCall) throws(StrategyError) -> Value? {
    guard let url = action.value?.text else {
        throw StrategyError("the action needs a value that is an address, such as https://shop.example")
    }
    guard hasScheme(url) else {
        throw StrategyError("'\(url)' is no address: it has no scheme, such as https: in front")
    }
    return ["opened": .text(url)]
}

/// The value, if there is one, says which place in the app; what it means is the app's own affair.
private func openApp(_ action: ActionCall) throws(StrategyError) -> Value? {
    ["opened": action.value ?? true]
}

private func dial(_ action: ActionCall) throws(StrategyError) -> Value? {
    guard let number = action.value?.text ?? action.value?.integer.map(String.init) else {
        throw StrategyError("a dial action needs a value that is a phone number, such as \"+31 20 1234567\"")
    }
    guard isPhoneNumber(number) else {
        throw StrategyError(
            "'\(number)' is no phone number: it should have digits, with + ( ) . - / * # and spaces only")
    }
    return ["dialled": .text(number)]
}

/// RFC 3986: a letter, then letters, digits, `+`, `-` and `.`, then a colon and something after it.
private func hasScheme(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text[..<colon]
    return scheme.first.map { $0.isASCII && $0.isLetter } == true
        && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        && text.utf8.index(after: colon) < text.utf8.endIndex
        && !text.contains(where: \.isWhitespace)
}

private func isPhoneNumber(_ text: String) -> Bool {
    let number = text.hasPrefix("tel:") ? text.dropFirst(4) : text[...]
    return number.contains { $0.isASCII && $0.isNumber }
        && number.allSatisfy { $0.isASCII && ($0.isNumber || "+()./-*# ".contains($0)) }
}

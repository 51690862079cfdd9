import BelfryModel
import CBelfry

// What the other side hands over and the contract rules out. Taken in good faith, it would be kept and passed on.

extension belfry_text {
    /// Whether its bytes are UTF-8. An absent text is.
    var isUTF8: Bool {
        guard let bytes else { return true }
        guard let count = Int(exactly: length) else { return false }
        return String(validating: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self) != nil
    }
}

extension belfry_value {
    /// What it has that no JSON value has, to stand behind "with": nil if there is nothing of the kind.
    ///
    /// Durations and instants are for parameters only.
    package var nonsense: String? { nonsense(depth: 0) }

    private func nonsense(depth: Int) -> String? {
        guard depth < Value.depthLimit else { return "values nested more than \(Value.depthLimit) deep" }
        return switch kind {
        case BELFRY_NULL, BELFRY_BOOLEAN, BELFRY_INTEGER: nil
        case BELFRY_NUMBER: number.isFinite ? nil : "a number that is not finite"
        case BELFRY_TEXT: text.isUTF8 ? nil : "a text that is no UTF-8"
        case BELFRY_LIST: nonsenseInItems(depth: depth)
        case BELFRY_MAP: nonsenseInItems(depth: depth, haveKeys: true)
        default: "a value of the unknown kind \(kind)"
        }
    }

    private func nonsenseInItems(depth: Int, haveKeys: Bool = false) -> String? {
        guard let items else { return count == 0 ? nil : "a list or mapping without its items" }
        for item in UnsafeBufferPointer(start: items, count: Int(clamping: count)) {
            if haveKeys, item.key.bytes == nil || !item.key.isUTF8 { return "a key that is no UTF-8 text" }
            if let nonsense = item.nonsense(depth: depth + 1) { return nonsense }
        }
        return nil
    }
}

extension Value {
    /// What keeps it from being the buttons of a notification, to stand behind "it set": nil if nothing does.
    var buttonNonsense: String? {
        guard let list else { return "buttons that are \(kindName), not a list" }
        var ids: Set<SubjectKey> = []
        for button in list {
            guard let button = button.map else { return "a button that is \(button.kindName), not a mapping" }
            guard let id = button["id"]?.text, !id.isEmpty else { return "a button without an id" }
            guard ids.insert(SubjectKey(id)).inserted else { return "two buttons with the id '\(id)'" }
            if let nonsense = Self.nonsense(inButton: button) { return "the button '\(id)' with \(nonsense)" }
        }
        return nil
    }

    /// What a configuration would not accept either, to stand behind "with".
    private static func nonsense(inButton button: Fields) -> String? {
        if button["title"]?.text == nil { return "no title" }
        if let action = button["action"], action.map?["type"]?.text?.isEmpty ?? true {
            return "an action that has no type"
        }
        let flags = ["destructive", "authenticationRequired", "foreground"]
        for entry in button.entries where !["id", "title", "action"].contains(entry.key) {
            guard flags.contains(entry.key) else { return "the unknown key '\(entry.key)'" }
            guard case .bool = entry.value else {
                return "'\(entry.key)' that is \(entry.value.kindName), not a boolean"
            }
        }
        return nil
    }
}

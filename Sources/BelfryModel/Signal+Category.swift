extension Signal {
    /// The category that a request brings along: a set of buttons made by the marketer (IBM MCE: dynamic categories), or the name
    /// of a set that is configured.
    public struct Category: Sendable, Hashable {
        public var id: String
        /// As in `buttons` of a decision, flags that are false left out. Nil if the category is only named.
        public var buttons: [Value]?

        public init(id: String, buttons: [Value]? = nil) {
            self.id = id
            self.buttons = buttons
        }
    }
}

extension Signal.Category {
    /// What is wrong with a category, and where in the mapping that has it.
    public struct Malformation: Error, Sendable, Hashable {
        /// For example `category.buttons[1].title`.
        public var place: String
        /// Nil: it is missing.
        public var found: Value?
        /// In words.
        public var expected: String
    }

    /// The category of a mapping: `category`, an id or a mapping with `id`, and `buttons` inside it or beside it.
    ///
    /// Nil if the mapping has neither. Members that a category or a button does not have are passed over, as everywhere in signals.
    public init?(in fields: Fields) throws(Malformation) {
        let beside = fields.present("buttons")
        switch fields.present("category") {
        case nil where beside == nil: return nil
        case .map(let category)?:
            id = try category.name("id", of: "category")
            let inside = category.present("buttons")
            if inside != nil, let beside {
                throw Malformation(
                    place: "buttons", found: beside, expected: "the buttons in 'category' or beside it, not both")
            }
            buttons =
                beside == nil
                ? try Self.buttons(inside, at: "category.buttons") : try Self.buttons(beside, at: "buttons")
        default:
            id = try fields.name("category", expected: "the id of a category, or a mapping with 'id' and 'buttons'")
            buttons = try Self.buttons(beside, at: "buttons")
        }
    }

    /// The category inside data that is free in form, where `category` may mean anything: it counts only with a list of buttons.
    public init?(inside data: Value?) throws(Malformation) {
        guard let fields = data?.map, let category = fields["category"],
            (category.map?["buttons"] ?? fields["buttons"])?.list != nil
        else { return nil }
        try self.init(in: fields)
    }

    private static func buttons(_ value: Value?, at place: String) throws(Malformation) -> [Value]? {
        guard let value else { return nil }
        guard let items = value.list else {
            throw Malformation(place: place, found: value, expected: "a list of buttons")
        }
        var buttons: [Value] = []
        var ids: Set<String> = []
        for (index, item) in items.enumerated() {
            let place = "\(place)[\(index)]"
            guard let members = item.map else {
                throw Malformation(place: place, found: item, expected: "a button: a mapping with 'id' and 'title'")
            }
            let id = try members.name("id", of: place)
            guard ids.insert(id).inserted else {
                throw Malformation(place: "\(place).id", found: .text(id), expected: "an id that no other button has")
            }
            buttons.append(.map(try members.button(id, at: place)))
        }
        return buttons
    }
}

extension Fields {
    /// Null is as good as absent.
    fileprivate func present(_ key: String) -> Value? { self[key].flatMap { $0.isNull ? nil : $0 } }

    fileprivate func name(
        _ key: String, of place: String? = nil, expected: String = "text that is not empty"
    ) throws(Signal.Category.Malformation) -> String {
        let value = present(key)
        guard let name = value?.text, !name.isEmpty else {
            throw Signal.Category.Malformation(
                place: place.map { "\($0).\(key)" } ?? key, found: value, expected: expected)
        }
        return name
    }

    /// The members of a button, those that it may have and in the order of a decision.
    fileprivate func button(_ id: String, at place: String) throws(Signal.Category.Malformation) -> Fields {
        guard let title = present("title"), title.text != nil else {
            throw Signal.Category.Malformation(place: "\(place).title", found: present("title"), expected: "text")
        }
        var button = Fields([("id", .text(id)), ("title", title)])
        for flag in ["destructive", "authenticationRequired", "foreground"] {
            guard let value = present(flag) else { continue }
            guard let isSet = value.bool else {
                throw Signal.Category.Malformation(place: "\(place).\(flag)", found: value, expected: "true or false")
            }
            if isSet { button[flag] = true }
        }
        if let action = present("action") {
            guard let members = action.map else {
                throw Signal.Category.Malformation(
                    place: "\(place).action", found: action, expected: "a mapping with a 'type'")
            }
            _ = try members.name("type", of: "\(place).action")
            button["action"] = action
        }
        return button
    }
}

extension Signal.Category.Malformation {
    /// `'data.buttons[0].title' is 7; expected text`.
    public func sentence(below parent: String) -> String {
        let found = found.map { "is \($0.quotedInShort)" } ?? "is missing"
        return "'\(parent).\(place)' \(found); expected \(expected)"
    }
}

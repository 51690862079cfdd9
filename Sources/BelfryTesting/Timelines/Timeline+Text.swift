import BelfryModel

// MARK: Writing

extension Timeline: CustomStringConvertible {
    /// The text form.
    public var description: String { steps.map(\.description).joined(separator: "\n") }
}

extension Timeline.Step: CustomStringConvertible {
    /// A line of the text form.
    public var description: String { expected.map { "\(what)  -> \($0.text)" } ?? what }

    /// The line up to its arrow.
    var what: String { time.map { "\($0)  \(event)" } ?? "\(event)" }
}

extension Timeline.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wait: "wait"
        case .request(let campaign, let data): Self.words("request", campaign, data)
        case .delete(let campaign): Self.words("delete", campaign)
        case .open(let notification, let button):
            Self.words("open", notification) + (button.map { " " + $0.asWord } ?? "")
        case .enter(let region): Self.words("enter", region)
        case .exit(let region): Self.words("exit", region)
        case .send(let type, let data): Self.words("send", type, data)
        case .user(let attributes): Self.words("user", nil, attributes)
        case .channel(let attributes): Self.words("channel", nil, attributes)
        case .zone(let name): Self.words("zone", name)
        case .foreground: "foreground"
        case .background: "background"
        case .reset: "reset"
        case .subject(let name): Self.words("subject", name)
        case .device(let name): Self.words("device", name)
        case .others(let deny): deny ? "others deny" : "others allow"
        case .parameters(let parameters): Self.words("parameters", nil, parameters)
        case .saveAndLoad: "save and load"
        }
    }

    private static func words(_ verb: String, _ name: String?, _ fields: Fields = Fields()) -> String {
        let pairs = fields.entries.map { "\($0.key)=\(($0.value.text ?? $0.value.json).asWord)" }
        return ([verb] + [name?.asWord].compactMap(\.self) + pairs).joined(separator: " ")
    }
}

extension [Timeline.Expectation] {
    var text: String { isEmpty ? "nothing" : map(\.text).joined(separator: ", ") }
}

extension Timeline.Expectation {
    fileprivate var text: String {
        kind.rawValue + (code.map { " (\($0))" } ?? "") + (until.map { " until \($0)" } ?? "")
            + (message.map { ": \($0)" } ?? "")
    }
}

extension String {
    /// In quotes where it would not be one word otherwise.
    fileprivate var asWord: String { isEmpty || contains(" ") ? "\"\(self)\"" : self }
}

// MARK: Reading

extension Timeline {
    init(text: String) {
        self.init([])
        for line in text.split(separator: "\n") {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            do throws(Mistake) {
                steps.append(try Step(reading: line))
            } catch {
                mistake = error
                return
            }
        }
    }
}

extension Timeline.Step {
    fileprivate init(reading line: String) throws(Timeline.Mistake) {
        let arrow = line.firstIndex(of: "->")
        var words = (arrow.map { String(line[..<$0]) } ?? line).words
        if let first = words.first, Instant(first, after: Instant(milliseconds: 0)) != nil {
            time = words.removeFirst()
        }
        guard let event = words.isEmpty ? .wait : Timeline.Event(words: words) else {
            throw Timeline.Mistake(line: line, why: Self.complaint(about: words))
        }
        self.event = event
        guard let arrow else { return }
        let outcomes = String(line[line.index(arrow, offsetBy: 2)...]).trimmed
        guard let expected = [Timeline.Expectation](reading: outcomes) else {
            throw Timeline.Mistake(line: line, why: Self.complaint(aboutOutcomes: outcomes))
        }
        self.expected = expected
    }

    private static func complaint(about words: [String]) -> String {
        if words[0].first.map({ $0.isNumber || $0 == "+" || $0 == "-" }) ?? false {
            return "'\(words[0])' is no time; write it as \(Instant.timelineForms)"
        }
        guard Timeline.Event.verbs.contains(words[0]) else {
            let nearest = nearestMatch(to: words[0], among: Timeline.Event.verbs)
            return "'\(words[0])' is neither a time nor anything that can happen"
                + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        }
        return "'\(words.joined(separator: " "))' is not how '\(words[0])' is written"
    }
}

extension Timeline.Step {
    private static func complaint(aboutOutcomes outcomes: String) -> String {
        // Behind the colon is a message.
        let said = outcomes[..<(outcomes.firstIndex(of: ": ") ?? outcomes.endIndex)]
        if let until = said.words.drop(while: { $0 != "until" }).dropFirst().first, !Timeline.Expectation.isTime(until)
        {
            return "'\(until)' is no time; write it as \(Instant.timelineForms), or never"
        }
        let kinds = Timeline.Result.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        return "'\(outcomes)' is nothing that can come of a step: that is one of \(kinds), nothing"
    }
}

extension Timeline.Event {
    fileprivate static let verbs = [
        "request", "delete", "open", "enter", "exit", "send", "user", "channel", "zone", "foreground", "background",
        "reset",
        "subject", "device", "others", "parameters", "save", "wait",
    ]

    fileprivate init?(words: [String]) {
        let pairs = words.dropFirst().compactMap(\.pair)
        let fields = Fields(pairs)
        // Pairs come last.
        let names = Array(words.dropFirst().dropLast(pairs.count))
        guard names.allSatisfy({ $0.pair == nil }) else { return nil }
        switch (words[0], names.count) {
        case ("request", 0...1): self = .request(names.first, data: fields)
        case ("send", 1): self = .send(names[0], data: fields)
        case ("user", 0): self = .user(fields)
        case ("channel", 0): self = .channel(fields)
        case ("parameters", 0): self = .parameters(fields)
        default:
            guard fields.isEmpty else { return nil }
            self.init(words[0], names)
        }
    }

    private init?(_ verb: String, _ names: [String]) {
        switch (verb, names.count) {
        case ("wait", 0): self = .wait
        case ("delete", 0...1): self = .delete(names.first)
        case ("open", 0...2): self = .open(names.first, button: names.dropFirst().first)
        case ("enter", 0...1): self = .enter(names.first)
        case ("exit", 0...1): self = .exit(names.first)
        case ("zone", 1): self = .zone(names[0])
        case ("foreground", 0): self = .foreground
        case ("background", 0): self = .background
        case ("reset", 0): self = .reset
        case ("subject", 1): self = .subject(names[0])
        case ("device", 0...1): self = .device(names.first)
        case ("others", 1) where names[0] == "deny" || names[0] == "allow": self = .others(deny: names[0] == "deny")
        case ("save", 2) where names == ["and", "load"]: self = .saveAndLoad
        default: return nil
        }
    }
}

extension [Timeline.Expectation] {
    fileprivate init?(reading text: String) {
        self = []
        if text == "nothing" { return }
        // A comma begins another outcome only where one follows: messages have commas too.
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let next = Timeline.Expectation(reading: piece.trimmed) {
                append(next)
            } else if let last = indices.last, let message = self[last].message {
                self[last].message = "\(message),\(piece)"
            } else {
                return nil
            }
        }
    }
}

extension Timeline.Expectation {
    /// `KIND [(CODE)] [until TIME] [: MESSAGE]`.
    fileprivate init?(reading text: String) {
        guard let kind = Timeline.Result.Kind.allCases.first(where: { text.hasPrefix($0.rawValue) }) else { return nil }
        self.init(kind: kind)
        var rest = text.dropFirst(kind.rawValue.count)
        if let colon = rest.firstIndex(of: ": ") {
            message = rest[rest.index(colon, offsetBy: 2)...].trimmed
            rest = rest[..<colon]
        }
        var words = String(rest).words[...]
        if let word = words.first, word.hasPrefix("("), word.hasSuffix(")") {
            code = String(word.dropFirst().dropLast())
            words.removeFirst()
        }
        if words.first == "until", words.count == 2 {
            until = words.removeLast()
            words.removeLast()
        }
        guard words.isEmpty, until.map(Self.isTime) ?? true else { return nil }
    }

    fileprivate static func isTime(_ text: String) -> Bool {
        text == "never" || Instant(text, after: Instant(milliseconds: 0)) != nil
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    fileprivate func firstIndex(of part: String) -> Index? {
        indices.first { self[$0...].hasPrefix(part) }
    }

    /// Words between blanks; in quotes a blank is part of one.
    fileprivate var words: [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in self {
            if character == "\"" {
                isQuoted.toggle()
                word = word ?? ""
            } else if character.isWhitespace, !isQuoted {
                word.map { words.append($0) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap(\.self)
    }

    /// `KEY=VALUE`: a number, a boolean or null where it looks like one, else text.
    fileprivate var pair: (String, Value)? {
        guard let sign = firstIndex(where: { $0 == "=" }), sign > startIndex else { return nil }
        return (String(self[..<sign]), Value(word: String(self[index(after: sign)...])))
    }
}

extension Value {
    fileprivate init(word: String) {
        self =
            switch word {
            case "true": true
            case "false": false
            case "null": .null
            case _ where word.first?.isNumber != true && word.first != "-": .text(word)
            default: Int64(word).map(Value.integer) ?? Double(word).map(Value.number) ?? .text(word)
            }
    }
}

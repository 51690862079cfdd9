import BelfryEngine
import BelfryModel

extension PartReader {
    /// Where decisions are delivered to.
    var sink: Rule<Configuration.Sink> {
        .map { map in
            let id = map.required("id", sinkID)
            guard let type = map.required("type", sinkType) else {
                map.acceptOthers()
                return nil
            }
            let kind = Configuration.Sink.Kind(rawValue: type)
            let target = target(map, kind, type)
            guard let id, let target else {
                _ = settings(map, Configuration.Sink(id: "", target: .file("")), kind)
                return nil
            }
            return settings(map, Configuration.Sink(id: id, target: target), kind)
        }
    }

    /// It is part of the names of values in the journal, and of labels. What is `forward`ed goes by that name.
    private var sinkID: Rule<String> {
        Rule("a word of letters, digits, '-', '_' and '.', such as crm, and not forward") { value in
            value.text.flatMap { text in
                !text.isEmpty && text != "forward"
                    && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) } ? text : nil
            }
        }
    }

    private var sinkType: Rule<String> {
        let own = Configuration.Sink.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        return Rule("\(own), or a type of sinks that a plugin has") { value in
            value.text.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// Whether there is such a plugin is looked at later.
    private func plugin(_ map: MapReader, _ type: String) -> Configuration.Sink.Plugin {
        let parameters = map.optional("parameters", .mapping)
        // A misspelt type of Belfry's own has keys of its own.
        let own = Configuration.Sink.Kind.allCases.map(\.rawValue)
        if parameters == nil, nearestMatch(to: type, among: own) != nil { map.acceptOthers() }
        return Configuration.Sink.Plugin(type: type, parameters: parameters)
    }

    private func target(
        _ map: MapReader, _ kind: Configuration.Sink.Kind?, _ type: String
    ) -> Configuration.Sink.Target? {
        switch kind {
        case nil: .plugin(plugin(map, type))
        case .webhook: webhook(map).map { .webhook($0) }
        case .exec: map.required("command", command).map { .exec($0) }
        case .file: map.required("path", .name).map { .file($0) }
        case .ntfy: ntfy(map).map { .ntfy($0) }
        case .desktop: .desktop(desktop(map))
        case .webPush: webPush(map).map { .webPush($0) }
        }
    }

    private func settings(
        _ map: MapReader, _ sink: Configuration.Sink, _ kind: Configuration.Sink.Kind?
    ) -> Configuration.Sink {
        var sink = sink
        map.set(&sink.types, "types", decisionTypes)
        map.set(&sink.when, "when", condition(on: Self.sinkRoots))
        map.set(&sink.rate, "rate", rate)
        map.set(&sink.expires, "expires", .duration(.seconds(1) ... .days(3650)))
        if kind != .file { map.set(&sink.timeout, "timeout", .duration(.milliseconds(1) ... .minutes(10))) }
        if kind?.isConcurrent == true { map.set(&sink.concurrency, "concurrency", .whole(1...1000)) }
        map.set(&sink.receipts, "receipts", .choice)
        if sink.types == nil { sink.types = types(of: kind) }
        if case .webPush(let push) = sink.target, sink.expires == nil { sink.expires = push.ttl }
        sink.document = map.node.value
        return sink
    }

    /// What it gets if it does not say; nil: all.
    private func types(of kind: Configuration.Sink.Kind?) -> Set<String>? {
        switch kind {
        case .webhook, .exec, .file, nil: nil
        case .ntfy, .webPush: [Decision.Kind.created.rawValue]
        case .desktop: [Decision.Kind.created.rawValue, Decision.Kind.deleted.rawValue]
        }
    }

    /// What `when` of a sink can see.
    private static let sinkRoots = ["campaign", "data", "type", "subject", "time", "cause"]

    private var decisionTypes: Rule<Set<String>> {
        Rule("a list of types of decisions") { node, reports in
            guard let kinds = Rule.list(of: Rule<Decision.Kind>.choice).read(node, reports) else { return nil }
            guard kinds.isEmpty, node.items?.isEmpty != false else { return Set(kinds.map(\.rawValue)) }
            return reports.refuse(
                node, found: "an empty list", expected: "at least one type of decisions",
                fix: "leave 'types' out for all of them")
        }
    }

    private var rate: Rule<Configuration.Sink.Rate> {
        Rule("a number in a time, such as 500/s, 30/m or 100/h") { $0.text.flatMap(Configuration.Sink.Rate.init) }
    }

    // MARK: Over the network

    private func webhook(_ map: MapReader) -> Configuration.Sink.Webhook? {
        let url = map.required("url", url)
        var webhook = Configuration.Sink.Webhook(url: url ?? "")
        map.set(&webhook.secret, "secret", secrets)
        map.set(
            &webhook.headers, "headers",
            headers(besides: ["webhook-id", "webhook-timestamp", "webhook-signature"]))
        map.set(&webhook.body, "body", body)
        map.set(&webhook.allow, "allow", .list(of: addresses))
        return url == nil ? nil : webhook
    }

    var body: Rule<Value> {
        Rule("a mapping or list to be sent as JSON, with {placeholders} in its texts") { node, reports in
            let isRight = checkTemplates(in: node, reports)
            if node.members != nil || node.items != nil { return isRight ? node.value : nil }
            return reports.refuse(
                node, expected: "a mapping or list, which is sent as JSON",
                fix: "write for example { text: '{data.title}' }")
        }
    }

    /// - Returns: whether every text below a node is a template of what there is.
    func checkTemplates(in node: ConfigurationNode, _ reports: ConfigurationReports) -> Bool {
        let parts = node.members?.map(\.node) ?? node.items ?? []
        let results = parts.map { checkTemplates(in: $0, reports) }
        guard let text = node.value.text else { return !results.contains(false) }
        do throws(Template.Fault) {
            let names = try Template(text).placeholders
            let wrong = names.filter { !(Self.sinkRoots + ["id"]).contains(String($0.prefix { $0 != "." })) }
            for name in wrong {
                reports.add(
                    at: node.place, found: "the placeholder '{\(name)}'",
                    expected: "one that begins with \((Self.sinkRoots + ["id"]).joined(separator: ", "))")
            }
            return wrong.isEmpty
        } catch {
            reports.add(at: node.place, found: error.found, expected: "text with {placeholders}", fix: error.fix)
            return false
        }
    }

    private func ntfy(_ map: MapReader) -> Configuration.Sink.Ntfy? {
        let url = map.required("url", topic)
        var ntfy = Configuration.Sink.Ntfy(url: url ?? "")
        map.set(&ntfy.token, "token", headerValue)
        map.set(&ntfy.allow, "allow", .list(of: addresses))
        return url == nil ? nil : ntfy
    }

    private var topic: Rule<String> {
        url.then { url, node, reports in
            let path = url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
            if let topic = path.last, !topic.isEmpty, !url.contains("?") { return url }
            return reports.refuse(node, expected: "an address that ends with the topic, such as https://ntfy.sh/shop")
        }
    }

    var addresses: Rule<String> {
        Rule("a range of addresses, such as 127.0.0.0/8 or fd00::/8") { value in
            value.text.flatMap { AddressRange($0) == nil ? nil : $0 }
        }
    }

    /// Keys of Standard Webhooks, or variables that have them. What is no key may be meant as one, and is not shown.
    private var secrets: Rule<String> {
        let expected =
            "a key such as whsec_… in Base64, or two with a space between; ${NAME} is a variable of the environment"
        return Rule(expected) { node, reports in
            if let text = node.value.text, HeaderText(text)?.hasVariables == true || WebhookKeys(text) != nil {
                return text
            }
            return reports.refuse(
                node, found: "something else", expected: expected,
                fix: "make one: echo whsec_$(openssl rand -base64 32)")
        }
    }

    // MARK: This machine

    private func desktop(_ map: MapReader) -> Configuration.Sink.Desktop {
        var desktop = Configuration.Sink.Desktop()
        map.set(&desktop.name, "name", .name)
        map.set(&desktop.icon, "icon", .name)
        map.set(&desktop.urgency, "urgency", .choice)
        map.set(&desktop.visible, "visible", .duration(.zero ... .days(1)))
        return desktop
    }

    private var command: Rule<[String]> {
        Rule("a program and its arguments, such as [./send.sh]") { node, reports in
            if node.items == nil, let text = node.value.text, !text.isEmpty, !text.contains(" ") { return [text] }
            guard let words = Rule.list(of: Rule<String>.textOrNumber).read(node, reports) else { return nil }
            if words.first?.isEmpty == false { return words }
            return reports.refuse(node, expected: "a program and its arguments, such as [./send.sh]")
        }
    }
}

extension Configuration {
    /// How long the journal is kept: a time, or a mapping of two.
    struct Keep {
        var duration: Duration
        /// What a sink has not taken.
        var atMost: Duration?
    }
}

extension PartReader {
    /// `7d`, or `{ for: 7d, atMost: 30d }`.
    var keep: Rule<Configuration.Keep> {
        let range = Duration.zero...(.days(3650))
        return Rule("a duration, or { for: 7d, atMost: 30d }") { node, reports in
            guard node.members != nil else {
                return Rule.duration(range).read(node, reports).map { Configuration.Keep(duration: $0) }
            }
            return MapReader.read(node, reports) { map in
                guard let duration = map.required("for", .duration(range)) else {
                    _ = map.optional("atMost", .duration(range))
                    return nil
                }
                return Configuration.Keep(
                    duration: duration, atMost: map.optional("atMost", .duration(duration...(.days(3650)))))
            }
        }
    }
}

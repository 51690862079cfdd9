import BelfryEngine
import BelfryModel

extension PartReader {
    /// What keeps some notifications quiet for a while.
    var silence: Rule<Silence> {
        .map { map in
            let id = map.required("id", .name)
            let matchers = map.required("matchers", matchers)
            var silence = Silence(id: id ?? "", matchers: matchers ?? [])
            map.set(&silence.from, "from", .instant)
            map.set(&silence.until, "until", .instant)
            map.set(&silence.comment, "comment", .text)
            map.set(&silence.by, "by", .text)
            map.set(&silence.updated, "updated", .instant)
            guard id != nil, matchers != nil else { return nil }
            if let fault = silence.fault { map.reports.add(fault, at: map.node) }
            return silence
        }
    }

    /// A mapping from properties to what they have to be, or a list of Alertmanager's texts. What is wrong in one is left out.
    private var matchers: Rule<[SilenceMatcher]> {
        Rule("matchers, such as { campaign: sale } or ['campaign=~\"promo-.*\"']") { node, reports in
            if let members = node.members {
                let matchers = members.map { matcher($0.key, $0.node, reports) }
                return matchers.contains { $0 == nil } ? nil : matchers.compactMap { $0 }
            }
            guard let texts = Rule.list(of: .name).read(node, reports) else { return nil }
            guard texts.count == node.items?.count ?? 0 else { return nil }
            let matchers = zip(texts, node.items ?? []).map { text, item in
                Self.made(at: item, reports) { () throws(SilenceMatcher.Fault) in try SilenceMatcher(parsing: text) }
            }
            return matchers.contains { $0 == nil } ? nil : matchers.compactMap { $0 }
        }
    }

    private func matcher(
        _ name: String, _ node: ConfigurationNode, _ reports: ConfigurationReports
    ) -> SilenceMatcher? {
        let text = node.value.bool.map { String($0) } ?? Rule.textOrNumber.read(node, reports)
        guard let text else { return nil }
        return Self.made(at: node, reports) { () throws(SilenceMatcher.Fault) in
            try SilenceMatcher(SilenceMatcher.Property(named: name), .equal, text)
        }
    }

    private static func made(
        at node: ConfigurationNode, _ reports: ConfigurationReports,
        _ make: () throws(SilenceMatcher.Fault) -> SilenceMatcher
    ) -> SilenceMatcher? {
        do throws(SilenceMatcher.Fault) {
            return try make()
        } catch {
            reports.add(error, at: node)
            return nil
        }
    }
}

extension ConfigurationReports {
    func add(_ fault: SilenceMatcher.Fault, at node: ConfigurationNode) {
        add(at: node.place, found: fault.found, expected: fault.expected, fix: fault.fix)
    }
}

extension Rule where Result == Instant {
    static var instant: Rule {
        Rule(
            "an instant, such as 2026-03-02T09:00:00Z",
            fix: { value in
                value.text.flatMap(Instant.completion).map { "it has no \($0.missing): write for example \($0.whole)" }
            }
        ) { $0.text.flatMap { Instant(rfc3339: $0) } }
    }
}

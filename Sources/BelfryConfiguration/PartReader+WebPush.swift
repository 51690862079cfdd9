import BelfryEngine
import BelfryModel

extension PartReader {
    /// A sink of type web-push.
    func webPush(_ map: MapReader) -> Configuration.Sink.WebPush? {
        let subscription = map.required("subscription", subscription)
        let vapid = map.required("vapid", vapid)
        var push = Configuration.Sink.WebPush(
            subscription: subscription ?? .null, subject: vapid?.subject ?? "", key: vapid?.key ?? "")
        // Four weeks are what browsers' push services keep at most.
        map.set(&push.ttl, "ttl", .duration(.zero ... .days(28)))
        map.set(&push.urgency, "urgency", .choice)
        map.set(&push.topic, "topic", template)
        map.set(&push.body, "body", body)
        map.set(&push.allow, "allow", .list(of: addresses))
        return subscription == nil || vapid == nil ? nil : push
    }

    private var subscription: Rule<Value> {
        let expected = "where a decision has it, such as '{data.data.push}'"
        return Rule(expected) { node, reports in
            guard checkTemplates(in: node, reports) else { return nil }
            if node.members != nil || node.value.text?.contains("{") == true { return node.value }
            return reports.refuse(node, expected: expected)
        }
    }

    private var template: Rule<String> {
        Rule.name.then { text, node, reports in checkTemplates(in: node, reports) ? text : nil }
    }

    // MARK: Who sends

    private var vapid: Rule<(subject: String, key: String)> {
        .map { map in
            let subject = map.required("subject", contact)
            let key = map.required("key", key)
            guard let subject, let key else { return nil }
            return (subject, key)
        }
    }

    private var contact: Rule<String> {
        Rule("an address that push services can write to, such as mailto:you@example.org or https://example.org") {
            $0.text.flatMap { $0.hasPrefix("mailto:") && $0.contains("@") || $0.hasPrefix("https://") ? $0 : nil }
        }
    }

    /// What is no key may be meant as one, and is not shown.
    private var key: Rule<String> {
        let expected = "\(VapidKey.expected); ${NAME} is a variable of the environment"
        return Rule(expected) { node, reports in
            if let text = node.value.text, HeaderText(text)?.hasVariables == true || VapidKey(text) != nil {
                return text
            }
            return reports.refuse(node, found: "something else", expected: expected, fix: VapidKey.fix)
        }
    }
}

import BelfryEngine
import BelfryModel
import Foundation

extension PartReader {
    var forward: Rule<Configuration.Forward> {
        .map { map in
            guard let url = map.required("url", url) else {
                _ = settings(map, Configuration.Forward(url: ""))
                return nil
            }
            return settings(map, Configuration.Forward(url: url))
        }
    }

    private func settings(_ map: MapReader, _ forward: Configuration.Forward) -> Configuration.Forward {
        var forward = forward
        map.set(&forward.batch, "batch", .whole(1...10_000))
        map.set(&forward.every, "every", .duration(.milliseconds(1) ... .days(1)))
        map.set(&forward.immediate, "immediate", .bool)
        map.set(&forward.attributes, "attributes", .choice)
        map.set(&forward.timeout, "timeout", .duration(.milliseconds(1) ... .minutes(10)))
        map.set(&forward.headers, "headers", headers(besides: ["idempotency-key"]))
        return forward
    }

    var url: Rule<String> {
        let expected = "an http or https address, such as https://example.org/events"
        return Rule(expected) { node, reports in
            guard let text = node.value.text, let url = URL(string: text), url.isWebAddress, url.fragment == nil else {
                return reports.refuse(node, expected: expected)
            }
            guard url.user == nil, url.password == nil else {
                reports.add(
                    at: node.place, found: "an address with a user or a password in it", expected: expected,
                    fix: #"put it into 'headers', from the environment: { Authorization: "Bearer ${NAME}" }"#)
                return nil
            }
            return text
        }
    }

    /// - Parameter own: fields that Belfry sets itself, in lower case.
    func headers(besides own: [String]) -> Rule<[Configuration.Forward.Header]> {
        Rule.members("a mapping of header fields to text").then { members, _, reports in
            members.compactMap { member in
                guard isHeaderName(member, own, reports) else { return nil }
                return headerValue.read(member.node, reports).map { .init(name: member.key, value: $0) }
            }
        }
    }

    private func isHeaderName(
        _ member: ConfigurationNode.Member, _ own: [String], _ reports: ConfigurationReports
    ) -> Bool {
        let always = ["connection", "content-length", "content-type", "date", "host", "transfer-encoding"]
        if (own + always).contains(member.key.lowercased()) {
            reports.add(
                at: member.node.place, found: "the header '\(member.key)'",
                expected: "one that Belfry does not set itself")
            return false
        }
        // RFC 9110, section 5.6.2: a token.
        if !member.key.isEmpty, member.key.utf8.allSatisfy({ $0.isTokenByte }) { return true }
        reports.add(at: member.node.place, found: "'\(member.key)'", expected: "the name of a header field")
        return false
    }

    /// One line of text, with `${NAME}` for what the environment knows.
    var headerValue: Rule<String> {
        Rule("one line of text; ${NAME} is a variable of the environment") { value in
            value.text.flatMap { text in
                text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && HeaderText(text) != nil ? text : nil
            }
        }
    }
}

extension URL {
    fileprivate var isWebAddress: Bool {
        ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false
    }
}

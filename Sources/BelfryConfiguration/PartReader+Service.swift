import BelfryEngine
import BelfryModel

extension PartReader {
    var service: Rule<Configuration.Service> {
        .map { map in
            var service = Configuration.Service()
            map.set(&service.listen, "listen", address)
            map.set(&service.manage, "manage", address)
            service.advertise = map.optional("advertise", networkAddress)
            map.set(&service.tokens, "tokens", .name)
            service.jwt = map.optional("jwt", jwt)
            service.tls = map.optional("tls", serviceTLS)
            if let keep = map.optional("keep", keep) { (service.keep, service.atMost) = (keep.duration, keep.atMost) }
            map.set(&service.limits, "limits", serviceLimits)
            return service
        }
    }

    private var serviceTLS: Rule<Configuration.Service.TLS> {
        .map { map in
            Configuration.Service.TLS(
                certificate: map.required("certificate", .name) ?? "", key: map.required("key", .name) ?? "",
                clientCA: map.optional("clientCA", .name))
        }
    }

    private var jwt: Rule<Configuration.Service.JWT> {
        .map { map in
            var jwt = Configuration.Service.JWT(
                keys: map.required("keys", .name) ?? "", issuer: map.required("issuer", .name) ?? "",
                audience: map.required("audience", .name) ?? "")
            map.set(&jwt.claim, "claim", .name)
            map.set(&jwt.roles, "roles", roles)
            return jwt
        }
    }

    /// What a claim may say, with the role that it stands for.
    private var roles: Rule<[String: String]> {
        let expected = "a mapping from what the claim says to submit, read, operate or admin"
        return Rule.members(expected).then { members, node, reports in
            // Without `roles` the claim names roles itself: that must not come of having removed the last of them.
            guard !members.isEmpty else { return reports.refuse(node, expected: expected, fix: "or leave 'roles' out") }
            let pairs = members.compactMap { member in
                Rule<RoleName>.choice.read(member.node, reports).map { (member.key, $0.rawValue) }
            }
            return Dictionary(pairs) { $1 }
        }
    }

    private var serviceLimits: Rule<Configuration.Service.Limits> {
        .map { map in
            var limits = Configuration.Service.Limits()
            map.set(&limits.body, "body", size)
            map.set(&limits.connections, "connections", .whole(1...1_000_000))
            map.set(&limits.streams, "streams", .whole(1...1_000_000))
            map.set(&limits.queue, "queue", .whole(1...10_000_000))
            map.set(&limits.rate, "rate", .whole(1...1_000_000))
            map.set(&limits.idle, "idle", .duration(.seconds(1) ... .hours(1)))
            return limits
        }
    }

    private var size: Rule<Int> {
        Rule("a size with its unit, such as 8MiB, at most 1GiB") { value in
            value.text.flatMap(ByteSize.init(text:)).flatMap { 1...(1 << 30) ~= $0.bytes ? $0.bytes : nil }
        }
    }

    /// `HOST:PORT`: no replica passes on to a unix socket.
    private var networkAddress: Rule<String> {
        Rule("an address that other replicas reach, with a port, such as 10.0.0.2:8787") { value in
            value.text.flatMap { text in
                if case .network? = SocketAddressText(text) { text } else { nil }
            }
        }
    }

    /// `HOST:PORT` or `unix:PATH`.
    private var address: Rule<String> {
        Rule("an address with a port, such as 127.0.0.1:8787, or unix:PATH") { value in
            value.text.flatMap { SocketAddressText($0) == nil ? nil : $0 }
        }
    }
}

/// The roles of callers of a service.
private enum RoleName: String, CaseIterable {
    case submit, read, operate, admin
}

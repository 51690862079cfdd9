import BelfryConfiguration
import BelfryEngine
import BelfryModel

/// Puts the values of variables into what sinks, and `forward`, are configured with.
struct VariableFiller {
    private let environment: [String: String]
    /// Every variable that is not set, or has no key in it.
    private(set) var problems: [ConfigurationProblem] = []

    init(environment: [String: String]) { self.environment = environment }

    /// - Parameter path: where the sink is in the configuration.
    mutating func filled(_ sink: Configuration.Sink, _ path: [String]) -> Configuration.Sink {
        var sink = sink
        switch sink.target {
        case .webhook(var webhook):
            webhook.secret = webhook.secret.flatMap { secret($0, path + ["secret"]) }
            webhook.headers = filled(webhook.headers, path + ["headers"])
            sink.target = .webhook(webhook)
        case .ntfy(var ntfy):
            ntfy.token = ntfy.token.map { filled($0, path + ["token"]) }
            sink.target = .ntfy(ntfy)
        case .webPush(var push):
            push.key = vapidKey(push.key, path + ["vapid", "key"])
            sink.target = .webPush(push)
        case .plugin(var plugin):
            plugin.parameters = plugin.parameters.map { filled($0, path + ["parameters"]) }
            sink.target = .plugin(plugin)
        case .exec, .file, .desktop: break
        }
        return sink
    }

    mutating func filled(_ forward: Configuration.Forward) -> Configuration.Forward {
        var forward = forward
        forward.headers = filled(forward.headers, ["forward", "headers"])
        return forward
    }

    private mutating func filled(
        _ headers: [Configuration.Forward.Header], _ path: [String]
    ) -> [Configuration.Forward.Header] {
        headers.map { .init(name: $0.name, value: filled($0.value, path + [$0.name])) }
    }

    /// With every text in it filled.
    private mutating func filled(_ value: Value, _ path: [String]) -> Value {
        switch value {
        case .text(let text): .text(filled(text, path))
        case .list(let items):
            .list(items.enumerated().map { index, item in filled(item, path + [String(index)]) })
        case .map(let fields): .map(Fields(fields.entries.map { ($0.key, filled($0.value, path + [$0.key])) }))
        default: value
        }
    }

    private mutating func filled(_ text: String, _ path: [String]) -> String {
        do throws(MissingVariable) {
            return try HeaderText(text)?.filled(from: environment) ?? text
        } catch {
            problems.append(
                ConfigurationProblem(
                    path: path, found: "the variable '\(error.name)', which is not set",
                    expected: "its value in the environment", fix: "export \(error.name)=… where belfry runs"))
            return ""
        }
    }

    private mutating func secret(_ text: String, _ path: [String]) -> String? {
        let text = filled(text, path)
        if text.isEmpty || WebhookKeys(text) != nil { return text }
        problems.append(
            ConfigurationProblem(
                path: path, found: "a variable with something else",
                expected: "a key such as whsec_… in Base64, or two with a space between",
                fix: "make one: echo whsec_$(openssl rand -base64 32)"))
        return nil
    }

    private mutating func vapidKey(_ text: String, _ path: [String]) -> String {
        let text = filled(text, path)
        if text.isEmpty || VapidKey(text) != nil { return text }
        problems.append(
            ConfigurationProblem(
                path: path, found: "a variable with something else",
                expected: VapidKey.expected, fix: VapidKey.fix))
        return ""
    }
}

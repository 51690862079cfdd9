import BelfryConfiguration
import BelfryEngine
import BelfryModel
import BelfryPluginHost

extension Workspace {
    /// The types of sinks that neither Belfry nor a plugin that was found has.
    var missingSinks: [ConfigurationProblem] {
        pluginSinks.compactMap { sink, index in
            plugins.provider(ofSink: sink.type) == nil ? missing(sink.type, at: index) : nil
        }
    }

    private func missing(_ type: String, at index: Int) -> ConfigurationProblem {
        let missing = plugins.missingSink(type)
        let own = Configuration.Sink.Kind.allCases.map(\.rawValue)
        let near = nearestMatch(to: type, among: own + missing.offered).map { "did you mean '\($0)'?" }
        return ConfigurationProblem(
            path: ["sinks", String(index), "type"], found: "the unknown type '\(type)'",
            expected: "one of \(own.joined(separator: ", ")), or \(missing.expected)", fix: near ?? missing.fix)
    }

    /// What is wrong with the parameters of sinks, by what the plugins said when they were scanned.
    var wrongSinkParameters: [ConfigurationProblem] {
        pluginSinks.flatMap { sink, index -> [ConfigurationProblem] in
            guard let provider = plugins.provider(ofSink: sink.type) else { return [] }
            let path = ["sinks", String(index), "parameters"]
            guard let schema = provider.sink.parameters?.schema else {
                let none = "none: sinks of the type '\(sink.type)' take no parameters"
                guard let parameters = sink.parameters, parameters.map?.isEmpty != true else { return [] }
                return [ConfigurationProblem(path: path, found: "parameters", expected: none)]
            }
            let parameters = sink.parameters ?? .map([:])
            return schema.problems(in: parameters, at: path) + schema.missing(in: parameters, at: path)
        }
    }

    /// The sinks of plugins, and their places in the configuration.
    private var pluginSinks: [(sink: Configuration.Sink.Plugin, index: Int)] {
        configuration.sinks.enumerated().compactMap { index, sink in
            if case .plugin(let plugin) = sink.target { (plugin, index) } else { nil }
        }
    }

    /// For what delivers without deciding.
    ///
    /// - Throws: `ConfigurationFailure`, `UntrustedPlugins`.
    package func checkSinks() throws {
        if let failure = failure(missing: missingSinks, others: wrongSinkParameters) { throw failure }
    }

    /// What is wrong with a configuration: with the plugins that may not be loaded, if it lacks something that they may have.
    func failure(missing: [ConfigurationProblem], others: [ConfigurationProblem]) -> (any Error)? {
        if missing.isEmpty, others.isEmpty { return nil }
        let failure = document.locate(missing + others)
        let untrusted = plugins.refusals.filter(\.isOfTrust)
        return missing.isEmpty || untrusted.isEmpty
            ? failure : UntrustedPlugins(refusals: untrusted, failure: failure)
    }
}

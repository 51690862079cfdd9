import BelfryConfiguration
import BelfryCore
import BelfryEngine

extension Workspace {
    /// The header fields that go with what is forwarded, with what the environment knows.
    ///
    /// - Throws: `ConfigurationFailure` for every variable that is not set, or empty.
    func forwardHeaders(environment: [String: String]) throws -> [Configuration.Forward.Header] {
        var (headers, problems): ([Configuration.Forward.Header], [ConfigurationProblem]) = ([], [])
        for var header in configuration.forward?.headers ?? [] {
            do throws(MissingVariable) {
                header.value = try HeaderText(header.value)?.filled(from: environment) ?? header.value
                headers.append(header)
            } catch {
                problems.append(
                    ConfigurationProblem(
                        path: ["forward", "headers", header.name],
                        found: "the variable '\(error.name)', which is not set",
                        expected: "its value in the environment", fix: "export \(error.name)=… where belfry runs"))
            }
        }
        if !problems.isEmpty { throw document.locate(problems) }
        return headers
    }
}

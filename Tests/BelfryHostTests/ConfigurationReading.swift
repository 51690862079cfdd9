import Testing

@testable import BelfryConfiguration

/// What tests of the reader share: they write a configuration, and compare what is read or said of it.
protocol ConfigurationReading {}

extension ConfigurationReading {
    func campaign(_ line: String) -> String { "app: a\ncampaigns:\n  - id: c\n    \(line)\n" }

    func read(_ yaml: String) throws -> ConfigurationDocument {
        try Folder(["belfry.yaml": yaml]).read()
    }

    func failure(_ yaml: String) -> String {
        (try? Folder(["belfry.yaml": yaml]).failure()) ?? "no folder"
    }

    func expect(_ yaml: String, fails text: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(failure(yaml) == text, sourceLocation: location)
    }

    func expect(_ yaml: String, failsAt position: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(failure(yaml).hasPrefix(position + "\n"), "\(failure(yaml))", sourceLocation: location)
    }

    func expect(_ yaml: String, failsWith found: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(failure(yaml).contains("found: \(found)"), "\(failure(yaml))", sourceLocation: location)
    }
}

extension ConfigurationReaderTests: ConfigurationReading {}
extension ConfigurationRefusalTests: ConfigurationReading {}
extension ConfigurationFilesTests: ConfigurationReading {}

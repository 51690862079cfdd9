import BelfryCore
import BelfryStore
import Foundation

// What an option that names a file for output must not name, for `Descriptor.refuseSharing`.

extension Workspace {
    /// The files of the configuration, and those that it names.
    var filesToSpare: [(what: String, path: String)] {
        let service = configuration.service
        let keys = [
            service.tokens, service.jwt?.keys, service.tls?.certificate, service.tls?.key, service.tls?.clientCA,
        ]
        let sinks = configuration.sinks.compactMap { sink -> (what: String, path: String)? in
            guard case .file(let path) = sink.target else { return nil }
            return ("the file of sink '\(sink.id)'", document.path(of: path))
        }
        return sources.files.map { ("a file of the configuration", $0) }
            + keys.compactMap(\.self).map { ("a file of the service", document.path(of: $0)) } + sinks
    }

    /// Those of the store that it names.
    var filesOfStore: [(what: String, path: String)] { (try? store()).map(\.filesToSpare) ?? [] }
}

extension StoreLocation {
    /// A store on a disk, and the segments of its journal.
    var filesToSpare: [(what: String, path: String)] {
        guard let path else { return [] }
        let journal = journalPath ?? ""
        let segments = (try? FileManager.default.contentsOfDirectory(atPath: journal)) ?? []
        return [("the store", path)] + segments.map { ("a file of the journal", "\(journal)/\($0)") }
    }
}

import BelfryConfiguration
import Foundation

/// Where what some paths lead to could be changed: each folder on the way, through every link, with the names in it that
/// matter.
package struct FileTrail: Equatable, Sendable {
    package enum Name: Hashable, Sendable {
        case exactly(String)
        /// A pattern, as in a shell (glob(7)).
        case matching(String)

        package func matches(_ name: String) -> Bool {
            switch self {
            case .exactly(let own): own == name
            case .matching(let pattern): fnmatch(pattern, name, FNM_PERIOD) == 0
            }
        }
    }

    /// By folder, without links in its path.
    package private(set) var folders: [String: Set<Name>] = [:]

    /// As many links as the kernel follows on one path, path_resolution(7).
    private static let mostLinks = 40

    /// Adds the way to a file or folder, and to what matches the pattern in it.
    mutating func add(_ path: String, matching pattern: String? = nil) {
        let names = Self.parts(of: Self.absolute(path)).map { Name.exactly($0) }
        follow(names + (pattern.map { [.matching($0)] } ?? []), in: "/")
    }

    /// Adds the ways to everything that a pattern of paths finds, now or later.
    mutating func add(pattern: String) {
        let folder = ConfigurationFiles.pattern(of: FileManager.default.currentDirectoryPath)
        let whole = pattern.hasPrefix("/") ? pattern : folder + "/" + pattern
        let names = Self.parts(of: whole).map { part -> Name in
            part.contains { "*?[\\".contains($0) } ? .matching(part) : .exactly(part)
        }
        follow(names, in: "/")
    }

    private mutating func follow(_ names: [Name], in folder: String, links: Int = 0) {
        guard let name = names.first, links <= Self.mostLinks else { return }
        let rest = Array(names.dropFirst())
        switch name {
        case .exactly("."): return follow(rest, in: folder, links: links)
        case .exactly(".."): return follow(rest, in: Self.parent(of: folder), links: links)
        default: folders[folder, default: []].insert(name)
        }
        for found in Self.entries(of: folder, called: name) {
            let path = folder == "/" ? "/\(found)" : "\(folder)/\(found)"
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                let way = Self.parts(of: target).map { Name.exactly($0) } + rest
                follow(way, in: target.hasPrefix("/") ? "/" : folder, links: links + 1)
            } else {
                follow(rest, in: path, links: links)
            }
        }
    }

    private static func entries(of folder: String, called name: Name) -> [String] {
        if case .exactly(let name) = name { return [name] }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.filter(name.matches)
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func parts(of path: String) -> [String] { path.split(separator: "/").map(String.init) }

    private static func parent(of folder: String) -> String {
        let parent = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }
}

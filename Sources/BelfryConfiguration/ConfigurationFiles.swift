import BelfryModel
import Foundation

/// The files of one configuration: the one named on the command line and those it includes.
///
///     include: [campaigns/*.yaml]     relative to the including file; `*`, `?` and `[a-z]` as in a shell
///
/// An included file has some of the lists below, nothing else, and includes nothing itself: cycles are impossible.
package struct ConfigurationFiles {
    static let mergedLists = [
        "chain", "groups", "regions", "campaigns", "categories", "fields", "experiments", "silences",
        "sinks",
    ]

    /// One file as it was read; `root` is nil when it could not be.
    package struct Part {
        let file: ConfigurationFile
        let text: String?
        let root: ConfigurationNode?
    }

    /// The named one, as it was named.
    package let path: String
    /// What names it on the command line.
    private var option = "--config"
    /// In reading order, the named one first.
    package private(set) var parts: [Part] = []
    /// What `include` names: paths, or patterns of paths.
    package private(set) var included: [String] = []
    let reports = ConfigurationReports()

    /// Whether every file could be read; if not, a name may be missing only because its file is.
    private(set) var isComplete = true

    package init(path: String, option: String = "--config") {
        (self.path, self.option) = (path, option)
        let main = load(path)
        guard let root = main.root else { return }
        var seen: Set = [Self.identity(of: path)]
        for pattern in patterns(root["include"]) {
            for included in matches(pattern, of: path) where seen.insert(Self.identity(of: included)).inserted {
                include(included)
            }
        }
        let silences = Self.silences(of: path)
        if access(silences, F_OK) == 0, seen.insert(Self.identity(of: silences)).inserted { include(silences) }
    }

    /// The same files as they were read before, whatever has become of them since. They were right then.
    ///
    /// - Parameter texts: the named one first.
    package init(_ texts: [ConfigurationText]) {
        path = texts.first?.path ?? ""
        for text in texts { _ = add(ConfigurationFile(path: text.path, order: parts.count), text.text) }
    }

    /// Files as they were read before, with other silences in the file of those, where it would be read.
    ///
    /// - Parameter text: of that file; nil: there is none.
    package static func texts(_ texts: [ConfigurationText], silencedBy text: String?) -> [ConfigurationText] {
        var (texts, path) = (texts, silences(of: texts.first?.path ?? ""))
        let own = identity(of: path)
        let known = texts.firstIndex { identity(of: $0.path) == own }
        if let known { path = texts.remove(at: known).path }
        guard let text else { return texts }
        let place = known ?? Self(texts).place(ofIncluded: &path, in: texts)
        texts.insert(ConfigurationText(path: path, text: text), at: place)
        return texts
    }

    /// Where a file is read among others, which comes behind all unless `include` finds it.
    private func place(ofIncluded path: inout String, in texts: [ConfigurationText]) -> Int {
        var files = self
        let own = Self.identity(of: path)
        let all = files.patterns(parts.first?.root?["include"]).flatMap { files.matches($0, of: self.path) }
        guard let found = all.firstIndex(where: { Self.identity(of: $0) == own }) else { return texts.count }
        path = all[found]
        let later = Set(all[found...].map(Self.identity))
        return texts.dropFirst().firstIndex { later.contains(Self.identity(of: $0.path)) } ?? texts.count
    }

    /// Where a service keeps the silences that were made while it runs: beside the configuration, and included as soon as it is there.
    package static func silences(of path: String) -> String {
        (path as NSString).deletingPathExtension + ".silences.json"
    }

    private mutating func include(_ file: String) {
        let part = load(file)
        if let root = part.root { checkIncluded(root, by: path) }
    }

    /// The files as they were read, the named one first.
    package var texts: [ConfigurationText] { parts.map { ConfigurationText(path: $0.file.path, text: $0.text) } }

    /// The first file's tree with the lists of all files joined; nil when the first could not be read.
    var mergedRoot: ConfigurationNode? {
        guard let root = parts.first?.root, var members = root.members else { return parts.first?.root }
        for member in parts.dropFirst().flatMap({ $0.root?.members ?? [] })
        where Self.mergedLists.contains(member.key) {
            // `checkIncluded` has reported what is no list.
            guard let more = member.node.items else { continue }
            guard let index = members.firstIndex(where: { $0.key == member.key }) else {
                members.append(member)
                continue
            }
            let own = members[index].node
            // What is no list stays alone, for the reader to complain about.
            guard let items = own.items ?? (own.isNull ? [] : nil) else { continue }
            members[index] = .init(
                key: member.key, node: ConfigurationNode(.list(items + more), at: own.place))
        }
        return ConfigurationNode(.map(members), at: root.place)
    }

    // MARK: Loading

    private mutating func load(_ path: String) -> Part {
        let file = ConfigurationFile(path: path, order: parts.count)
        return add(file, readText(file))
    }

    private mutating func add(_ file: ConfigurationFile, _ text: String?) -> Part {
        let root = text.flatMap { ConfigurationNode.compose($0, file: file, reports: reports) }
        if let root, root.members == nil {
            reports.add(
                // What it says is not repeated: it may be any file, and have a secret.
                at: root.place, found: root.items == nil ? "text that is no mapping" : "a list",
                expected: "a mapping with the configuration's keys")
        }
        let part = Part(file: file, text: text, root: root)
        if root?.members == nil { isComplete = false }
        parts.append(part)
        return part
    }

    private func readText(_ file: ConfigurationFile) -> String? {
        func refuse(_ found: String, expected: String = "a configuration file", fix: String) -> String? {
            reports.add(file: file, found: found, expected: expected, fix: fix)
            return nil
        }
        let another = file.order == 0 ? "create it, or name another with \(option)" : "name files in 'include'"
        var status = stat()
        let isKnown = stat(file.path, &status) == 0
        if !isKnown, errno != EACCES { return refuse("no such file", fix: another) }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { return refuse("a directory", fix: another) }
        if isKnown, kind != S_IFREG {
            return refuse("a pipe or a device", fix: "write it to a file: a configuration is read more than once")
        }
        guard let data = FileManager.default.contents(atPath: file.path) else {
            return refuse("a file that cannot be read", fix: "check its permissions and those of its directories")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            return refuse("bytes that are not UTF-8", expected: "a text file in UTF-8", fix: "save it as UTF-8")
        }
        return text
    }

    // MARK: Including

    private mutating func patterns(_ node: ConfigurationNode?) -> [ConfigurationNode] {
        guard let node else { return [] }
        guard let items = node.items ?? (node.isNull ? [] : nil) else {
            reports.add(
                at: node.place, found: node.found, expected: "a list of files or patterns",
                fix: "write it as [ … ]")
            isComplete = false
            return []
        }
        return items.filter { item in
            if let text = item.value.text, !text.isEmpty { return true }
            reports.add(
                at: item.place, found: item.found, expected: "a file or a pattern such as campaigns/*.yaml")
            isComplete = false
            return false
        }
    }

    /// The files a pattern names, sorted; the including file itself is not among them.
    private mutating func matches(_ pattern: ConfigurationNode, of path: String) -> [String] {
        let directory = (path as NSString).deletingLastPathComponent
        let relative = pattern.value.text ?? ""
        let isWhole = relative.hasPrefix("/") || directory.isEmpty
        let whole = isWhole ? relative : "\(Self.pattern(of: directory))/\(relative)"
        included.append(whole)
        let all = Self.glob(whole)
        let found = all.filter { Self.identity(of: $0) != Self.identity(of: path) }
        if found.isEmpty, !all.isEmpty {
            reports.add(
                at: pattern.place, found: "'\(relative)', which is this file", expected: "another file",
                fix: "remove it from 'include'")
            isComplete = false
        } else if found.isEmpty {
            reports.add(
                at: pattern.place, found: "'\(relative)', which no file matches",
                expected: "a file or pattern, relative to \(path)",
                fix: "correct it, or remove it from 'include'")
            isComplete = false
        }
        return found
    }

    private mutating func checkIncluded(_ root: ConfigurationNode, by path: String) {
        for member in root.members ?? [] where Self.mergedLists.contains(member.key) {
            if member.node.items != nil || member.node.isNull { continue }
            reports.add(at: member.node.place, found: member.node.found, expected: "a list")
            isComplete = false
        }
        for member in root.members ?? [] where !Self.mergedLists.contains(member.key) {
            let near = nearestMatch(to: member.key, among: Self.mergedLists).map { "did you mean '\($0)'?" }
            reports.add(
                at: member.node.place, found: "the key '\(member.key)' in an included file",
                expected: "one of \(Self.mergedLists.joined(separator: ", "))",
                fix: member.key == "include"
                    ? "an included file cannot include others: list them in \(path)"
                    : near ?? "move it to \(path)")
        }
    }

    /// The pattern that finds a path alone, whatever characters it has.
    package static func pattern(of path: String) -> String {
        path.reduce(into: "") { $0 += "*?[]\\".contains($1) ? "\\\($1)" : "\($1)" }
    }

    private static func glob(_ pattern: String) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard Foundation.glob(pattern, 0, nil, &result) == 0 else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { result.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// The same for two ways of writing one file.
    private static func identity(of path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}

/// Files in the form of POSIX ustar (IEEE Std 1003.1, pax, "ustar Interchange Format"): blocks of 512 bytes, for each file a header and its
/// contents, filled up with zeros; two blocks of zeros end it.
///
/// No owners, no times: the same files give the same bytes. Only plain files, which is all that a bundle has.
struct TarArchive {
    private static let block = 512
    /// Places in a header, with their lengths.
    private static let (name, size, sum, type, prefix) = (0..<100, 124..<136, 148..<156, 156, 345..<500)

    private var content: [UInt8] = []

    /// All of it, ended.
    var bytes: [UInt8] { content + [UInt8](repeating: 0, count: 2 * Self.block) }

    /// - Parameter path: at most 100 bytes, or a folder of at most 155 bytes before them.
    mutating func add(_ path: String, _ contents: [UInt8]) {
        content += Self.header(path, contents.count) + contents
        content += [UInt8](repeating: 0, count: -contents.count & (Self.block - 1))
    }

    private static func header(_ path: String, _ count: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: some StringProtocol, at place: Int) {
            header.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
        }
        let (folder, file) = split(path)
        put(file, at: name.lowerBound)
        put(folder, at: prefix.lowerBound)
        put("0000644\u{0}0000000\u{0}0000000\u{0}", at: 100)  // mode, user, group
        put(octal(count, digits: 11), at: size.lowerBound)
        put(octal(0, digits: 11), at: 136)  // time
        put("        ", at: sum.lowerBound)
        put("0", at: type)
        put("ustar\u{0}00", at: 257)
        put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\u{0}", at: sum.lowerBound)
        return header
    }

    /// A path that is too long for its place goes into two, at a slash.
    private static func split(_ path: String) -> (folder: Substring, file: Substring) {
        if path.utf8.count <= name.count { return ("", path[...]) }
        // `takes` was asked first.
        let slash = slash(in: path)!
        return (path[..<slash], path[path.index(after: slash)...])
    }

    private static func slash(in path: String) -> String.Index? {
        path.indices.first { path[$0] == "/" && path[$0...].utf8.count - 1 <= name.count }
    }

    /// Whether there is room for a path: 100 bytes for the name, and 155 for its folder.
    static func takes(_ path: String) -> Bool {
        if path.utf8.count <= name.count { return true }
        return slash(in: path).map { path[..<$0].utf8.count <= prefix.count } ?? false
    }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The files of an archive; nil if it is none, or damaged, or has a path that leads out of its folder.
    static func files(in bytes: [UInt8]) -> [String: [UInt8]]? {
        var files: [String: [UInt8]] = [:]
        var place = 0
        while place + block <= bytes.count {
            let header = bytes[place..<place + block]
            if header.allSatisfy({ $0 == 0 }) { return files }
            guard let (path, count) = entry(Array(header)), place + block + count <= bytes.count else { return nil }
            place += block
            files[path] = Array(bytes[place..<place + count])
            place += count + (-count & (block - 1))
        }
        return nil
    }

    private static func entry(_ header: [UInt8]) -> (path: String, count: Int)? {
        func text(_ range: Range<Int>) -> String { String(decoding: header[range].prefix { $0 != 0 }, as: UTF8.self) }
        func number(_ range: Range<Int>) -> Int? { Int(text(range).filter { $0 != " " }, radix: 8) }
        let all = header.reduce(0) { $0 + Int($1) }
        let own = header[sum].reduce(0) { $0 + Int($1) }
        guard number(sum) == all - own + sum.count * 0x20, header[type] == UInt8(ascii: "0"), let count = number(size),
            count >= 0
        else { return nil }
        let path = (text(prefix).isEmpty ? "" : text(prefix) + "/") + text(name)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.contains(where: { ["", ".", ".."].contains($0) }) ? nil : (path, count)
    }
}

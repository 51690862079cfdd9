import BelfryModel

/// Lines of Base64 between a line that begins and one that ends.
struct Armor {
    let begin: String
    let end: String

    static let signature = Armor(begin: "-----BEGIN SSH SIGNATURE-----", end: "-----END SSH SIGNATURE-----")
    static let privateKey = Armor(
        begin: "-----BEGIN OPENSSH PRIVATE KEY-----", end: "-----END OPENSSH PRIVATE KEY-----")

    /// What is in it. Line ends may be those of any system; behind the last line there is nothing.
    func open(_ text: [UInt8]) throws(SSHSignature.Damage) -> [UInt8] {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.first?.elementsEqual(begin.utf8) == true else {
            throw SSHSignature.Damage(why: "it does not begin with '\(begin)'")
        }
        guard let last = lines.firstIndex(where: { $0.elementsEqual(end.utf8) }) else {
            throw SSHSignature.Damage(why: "it does not end with '\(end)'")
        }
        guard last == lines.count - 1 else { throw SSHSignature.Damage(why: "there is more behind its end") }
        guard let bytes = Base64.decode(Array(lines[1..<last].joined())) else {
            throw SSHSignature.Damage(why: "what is in it is no Base64")
        }
        return bytes
    }

    func close(_ bytes: [UInt8]) -> String {
        let text = Array(Base64.encode(bytes).utf8)
        let lines = stride(from: 0, to: text.count, by: 70).map {
            String(decoding: text[$0..<min($0 + 70, text.count)], as: UTF8.self)
        }
        return ([begin] + lines + [end]).joined(separator: "\n") + "\n"
    }
}

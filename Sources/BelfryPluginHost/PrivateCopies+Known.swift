import BelfryModel
import Foundation

extension PrivateCopies {
    /// The copy of a file that was hashed before, if neither of the two has changed since: then no megabytes are read only to
    /// see that they are the same.
    ///
    /// Beside the copies lies a note for each file: what the system said of it, of its copy, and the copy's name. Without notes
    /// everything works, only slower.
    func knownCopy(of file: FileStamp) -> (path: String, digest: SHA256Digest)? {
        guard let data = FileManager.default.contents(atPath: note(on: file)) else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        guard lines.count == 3, FileStamp(text: lines[0]) == file, !lines[2].contains("/") else { return nil }
        let copy = "\(folder)/\(lines[2])"
        guard let digest = SHA256Digest(digits: lines[2].prefix(64)) else { return nil }
        return FileStamp(text: lines[1]) == FileStamp(path: copy) ? (copy, digest) : nil
    }

    /// Notes that a file and its copy have the same contents, unless the file is too young for that to be said. The copy is not
    /// written to.
    func note(_ copy: String, of file: FileStamp) {
        guard file.isSettled(for: settling), let stamp = FileStamp(path: copy),
            let name = copy.split(separator: "/").last
        else { return }
        try? write(Array("\(file.text)\n\(stamp.text)\n\(name)\n".utf8), to: note(on: file), mode: 0o600, for: copy)
    }

    private func note(on file: FileStamp) -> String { "\(folder)/\(file.device)-\(file.inode).same" }
}

import BelfrySignals
import Glibc

/// The files that a command has made for what it is going to write. Where it is refused before it has begun, they are removed.
///
/// Whether two options name one file is seen best of files that are open: so they are opened before everything else is known to be right.
final class MadeFiles {
    private var made: [(path: String, file: Descriptor)] = []

    /// Opens what `open` opens; it is remembered if nothing was there.
    func open(_ path: String, _ open: (String) throws -> Descriptor) throws -> Descriptor {
        var status = stat()
        // A link that leads nowhere is something.
        let isNew = lstat(path, &status) < 0 && errno == ENOENT
        let file = try open(path)
        if isNew { made.append((path, file)) }
        return file
    }

    /// From here on the command is at work.
    func keep() { made = [] }

    /// To be called at the end in any case: there is nothing to remove once the command is at work.
    func remove() {
        for (path, file) in made where isEmpty(file) && FileIdentity(path) == FileIdentity(file.number) { unlink(path) }
    }

    private func isEmpty(_ file: Descriptor) -> Bool {
        var status = stat()
        return fstat(file.number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }
}

import Glibc

/// Why the system would not read.
struct ReadFailure: Error {
    let reason: String
}

/// A piece of a file; shorter only where the file ends before. The system may give less at a time than it is asked for.
func readBytes(of descriptor: Int32, at offset: Int, count: Int) throws(ReadFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var length = 0
    while length < count {
        let got = bytes.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress! + length, count - length, off_t(offset + length))
        }
        if got == 0 { break }
        if got > 0 {
            length += got
        } else if errno != EINTR {
            throw ReadFailure(reason: String(cString: strerror(errno)))
        }
    }
    return Array(bytes.prefix(length))
}

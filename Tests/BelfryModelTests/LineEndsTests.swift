import BelfryModel
import Testing

@Suite struct LineEndsTests {
    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\nb\n", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("\r\n\n", ["", ""]),
            ("a\r", ["a\r"]), ("a\r\r\n", ["a\r"]), ("a\rb\n", ["a\rb"]),
        ] as [(String, [String])])
    func `a line ends with LF or CRLF, and the last one needs no end`(text: String, lines: [String]) {
        let found = Array(text.utf8).withUnsafeBytes { bytes in
            var (found, start): ([String], Int) = ([], 0)
            while start < bytes.count {
                let line = bytes.line(at: start)
                found.append(String(decoding: bytes[line.text], as: UTF8.self))
                start = line.next
            }
            return found
        }
        #expect(found == lines)
    }
}

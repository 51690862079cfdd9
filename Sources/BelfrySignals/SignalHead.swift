/// What tells a signal from others, as far as its line says so.
package struct SignalHead: Sendable {
    package var id: String?
    package var source: String?
    package var subject: String?
    package var type: String?
}

/// Reads heads of lines that may be no signals. One thread at a time.
package final class SignalHeadReader {
    private let parser = JSONParser()

    package init() {}

    /// - Parameter line: with `SignalDecoder.padding` bytes behind it that may be read.
    package func read(_ line: UnsafeBufferPointer<UInt8>) -> SignalHead {
        guard let element = try? parser.parse(line), element.isObject else { return SignalHead() }
        return SignalHead(
            id: element.member("id")?.text, source: element.member("source")?.text,
            subject: element.member("subject")?.text, type: element.member("type")?.text)
    }

    /// Whether a text is JSON; it may have ends of lines in it.
    package func isJSON(_ text: [UInt8]) -> Bool {
        let padded = text + repeatElement(0, count: SignalDecoder.padding)
        return padded.withUnsafeBufferPointer { bytes in
            (try? parser.parse(UnsafeBufferPointer(rebasing: bytes[..<text.count]))) != nil
        }
    }
}

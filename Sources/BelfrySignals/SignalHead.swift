/// What tells a signal from others, as far as its line says so.
package struct SignalHead: Sendable {
    package var id: String?
    package var source: String?
    package var subject: String?
}

/// Reads heads of lines that may be no signals. One thread at a time.
package final class SignalHeadReader {
    private let parser = JSONParser()

    package init() {}

    /// - Parameter line: with `SignalDecoder.padding` bytes behind it that may be read.
    package func read(_ line: UnsafeBufferPointer<UInt8>) -> SignalHead {
        var head = SignalHead()
        guard let element = try? parser.parse(line), element.isObject else { return head }
        element.forEachMember { key, value in
            if key.equals("id") { head.id = value.text }
            if key.equals("source") { head.source = value.text }
            if key.equals("subject") { head.subject = value.text }
        }
        return head
    }

    /// Lends the id and the type of a line, as far as it has them.
    package func withName<Result>(
        of line: UnsafeBufferPointer<UInt8>,
        _ body: (_ id: UnsafeBufferPointer<UInt8>?, _ type: UnsafeBufferPointer<UInt8>?) -> Result
    ) -> Result {
        guard let element = try? parser.parse(line), element.isObject else { return body(nil, nil) }
        var (id, type): (UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>?) = (nil, nil)
        element.forEachMember { key, value in
            if key.equals("id") { id = value.utf8 }
            if key.equals("type") { type = value.utf8 }
        }
        return body(id, type)
    }
}

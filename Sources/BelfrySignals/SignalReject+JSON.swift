import BelfryModel

extension SignalReject {
    /// Of a line that is too long, so many bytes are shown.
    private static let beginning = 200

    /// A line for the rejects.
    ///
    /// - Parameters:
    ///   - input: the rejected line, or its beginning.
    ///   - side: which of two configurations rejects it, where the other one does not.
    package func line(for input: UnsafeBufferPointer<UInt8>, number: Int, side: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("line", .integer(Int64(number)))
        writer.member("code", code.rawValue)
        writer.member("message", message)
        writer.member("side", side)
        // One that is too long is the size of a file.
        let shown = code == .lineTooLong ? input.prefix(Self.beginning) : input[...]
        writer.member("input", String(decoding: shown, as: UTF8.self))
        writer.endObject()
        writer.endLine()
        return writer.takeBytes()
    }
}

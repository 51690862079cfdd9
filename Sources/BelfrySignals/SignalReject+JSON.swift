import BelfryModel

extension SignalReject {
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
        writer.member("input", String(decoding: input, as: UTF8.self))
        writer.endObject()
        writer.endLine()
        return writer.takeBytes()
    }
}

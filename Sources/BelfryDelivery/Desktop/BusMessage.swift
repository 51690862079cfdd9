import CSystemd

/// A message that is written or read argument by argument.
final class BusMessage {
    let raw: OpaquePointer

    init(owning raw: OpaquePointer) { self.raw = raw }

    deinit { sd_bus_message_unref(raw) }

    var sender: String { sd_bus_message_get_sender(raw).map { String(cString: $0) } ?? "" }
    var member: String { sd_bus_message_get_member(raw).map { String(cString: $0) } ?? "" }

    func write(_ text: String) { sd_bus_message_append_basic(raw, Self.type("s"), text) }

    func write(_ number: UInt32) {
        withUnsafePointer(to: number) { _ = sd_bus_message_append_basic(raw, Self.type("u"), $0) }
    }

    func write(_ number: Int32) {
        withUnsafePointer(to: number) { _ = sd_bus_message_append_basic(raw, Self.type("i"), $0) }
    }

    func write(_ byte: UInt8) {
        withUnsafePointer(to: byte) { _ = sd_bus_message_append_basic(raw, Self.type("y"), $0) }
    }

    /// - Parameters:
    ///   - kind: `a` for an array, `e` for an entry of a dictionary, `v` for a variant.
    ///   - contents: the type of what is in it.
    func write(_ kind: Unicode.Scalar, of contents: String, _ body: () -> Void) {
        sd_bus_message_open_container(raw, Self.type(kind), contents)
        body()
        sd_bus_message_close_container(raw)
    }

    /// Nil if the next argument is none.
    func readNumber() -> UInt32? {
        var number: UInt32 = 0
        return sd_bus_message_read_basic(raw, Self.type("u"), &number) > 0 ? number : nil
    }

    func readText() -> String? {
        var text: UnsafePointer<CChar>?
        return sd_bus_message_read_basic(raw, Self.type("s"), &text) > 0 ? text.map { String(cString: $0) } : nil
    }

    func readTexts() -> [String] {
        guard sd_bus_message_enter_container(raw, Self.type("a"), "s") > 0 else { return [] }
        var texts: [String] = []
        while let text = readText() { texts.append(text) }
        return texts
    }

    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }
}

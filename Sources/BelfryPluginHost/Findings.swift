import CBelfry

/// Collects everything that is wrong with a plugin, so that its author hears of it at once.
package struct Findings {
    package private(set) var differences: [PluginRefusal.Difference] = []

    package init() {}

    static let correctFix = "correct that in the plugin and rebuild it"

    package mutating func note(_ code: PluginRefusal.Code, _ why: String, fix: String = correctFix) {
        differences.append(PluginRefusal.Difference(code, why: why, fix: fix))
    }

    /// Refuses the plugin at `path` if anything was noted.
    package func refuse(_ path: String) throws(PluginRefusal) {
        if !differences.isEmpty { throw PluginRefusal(path: path, differences: differences) }
    }

    /// The text, checked; nil if it is absent or unusable. `subject` names it in a sentence: "its id".
    mutating func text(_ text: belfry_text, _ subject: String, required: Bool = false) -> String? {
        switch TextReading(text) {
        case .text(let string) where !(string.isEmpty && required): return string
        case .text, .absent:
            if required { note(.incomplete, "\(subject) is empty") }
        case .tooLong(let length):
            note(.incomplete, "\(subject) has \(length) bytes; the host takes at most \(TextReading.longest)")
        case .notUTF8: note(.incomplete, "\(subject) is not UTF-8")
        }
        return nil
    }

    /// Whether an array of the plugin can be read: not missing, and not so long that the count must be
    /// garbage.
    mutating func canRead(_ count: UInt64, isMissing: Bool, _ subject: String) -> Bool {
        if count > Self.mostItems {
            note(.incomplete, "\(subject) would be \(count); the host takes at most \(Self.mostItems)")
        } else if count > 0, isMissing {
            note(.incomplete, "\(subject) would be \(count), but the pointer to them is NULL")
        } else {
            return true
        }
        return false
    }

    private static let mostItems: UInt64 = 4096
}

/// What a text of a plugin turned out to be.
enum TextReading {
    case absent
    case text(String)
    case tooLong(UInt64)
    case notUTF8

    /// Far beyond any name or sentence; a longer one means a wrong length.
    static let longest: UInt64 = 65_536

    init(_ text: belfry_text) {
        guard let bytes = text.bytes else {
            self = .absent
            return
        }
        guard text.length <= Self.longest else {
            self = .tooLong(text.length)
            return
        }
        let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(text.length))
        self = String(validating: buffer, as: UTF8.self).map(TextReading.text) ?? .notUTF8
    }
}

extension belfry_text {
    /// A copy; nil if it is absent, or not text at all.
    var checkedString: String? {
        if case .text(let string) = TextReading(self) { string } else { nil }
    }
}

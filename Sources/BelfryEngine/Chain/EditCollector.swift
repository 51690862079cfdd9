import BelfryModel
import CBelfry

/// Takes the edits of a filter, and notices what makes no sense.
package final class EditCollector {
    package private(set) var content: Decision.Content
    /// Why the candidate was dropped.
    package private(set) var dropped: String?
    /// The first thing that made no sense, a sentence about the filter.
    package private(set) var nonsense: String?

    package init(_ content: Decision.Content) { self.content = content }

    package func withEdits<Result>(_ body: (UnsafePointer<belfry_edits>) -> Result) -> Result {
        var edits = belfry_edits(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            set_title: { EditCollector.of($0).set(\.title, "title", belfry_text(bytes: $1, length: $2)) },
            set_message: { EditCollector.of($0).set(\.message, "message", belfry_text(bytes: $1, length: $2)) },
            set_category: { EditCollector.of($0).set(\.category, "category", belfry_text(bytes: $1, length: $2)) },
            set_data: { EditCollector.of($0).set(\.data, "data", $1) },
            set_presentation: { EditCollector.of($0).set(\.presentation, "a presentation", $1) },
            set_buttons: { EditCollector.of($0).setButtons($1) },
            drop: { EditCollector.of($0).drop(belfry_text(bytes: $1, length: $2)) })
        return withExtendedLifetime(self) { body(&edits) }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> EditCollector {
        Unmanaged.fromOpaque(owner!).takeUnretainedValue()
    }

    private func note(_ nonsense: String) {
        self.nonsense = self.nonsense ?? nonsense
    }

    private func set(_ member: WritableKeyPath<Decision.Content, String?>, _ name: String, _ text: belfry_text) {
        guard text.isUTF8 else { return note("it set a \(name) that is no UTF-8") }
        content[keyPath: member] = text.string
    }

    private func set(
        _ member: WritableKeyPath<Decision.Content, Value?>, _ name: String, _ value: UnsafePointer<belfry_value>?
    ) {
        if let nonsense = value?.pointee.nonsense { return note("it set \(name) with \(nonsense)") }
        content[keyPath: member] = value.map { Value($0.pointee) }
    }

    /// None at all are an empty list: nil would stand for those of the category.
    private func setButtons(_ buttons: UnsafePointer<belfry_value>?) {
        if let nonsense = buttons?.pointee.nonsense { return note("it set buttons with \(nonsense)") }
        let buttons = buttons.map { Value($0.pointee) } ?? []
        if let nonsense = buttons.buttonNonsense { return note("it set \(nonsense)") }
        content.buttons = buttons
    }

    private func drop(_ message: belfry_text) {
        guard message.isUTF8 else { return note("it dropped the candidate with a sentence that is no UTF-8") }
        dropped = message.string.flatMap { $0.isEmpty ? nil : $0 } ?? "the filter does not say why"
    }
}

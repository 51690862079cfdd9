import BelfryPlugin

/// What the placeholders of a template stand for.
struct Blanks {
    let candidate: Candidate
    let context: Context

    /// The text with its blanks filled. What is missing is empty, and the operator is told.
    ///
    /// - Parameter part: what the text is for, for that warning. It does not name the subject: a warning is shown once, and the
    ///   same thing is missing for many.
    func fill(_ template: Template, of part: String) -> String {
        template.filled({ value($0)?.shown }, missing: { warn($0, of: part) })
    }

    func warn(_ name: String, of part: String) {
        context.host.log(
            .warning,
            "personalize: nothing is known for '{\(name)}' in the \(part) of campaign '\(candidate.campaign)', so it has nothing there"
        )
    }

    /// Nil if there is nothing of that name, or null: of the candidate, of its region, or among the attributes.
    func value(_ name: String) -> Value? {
        let value =
            switch name.lowercased() {
            case "title": candidate.title.map { Value.text($0) }
            case "message": candidate.message.map { Value.text($0) }
            case "data": candidate.data
            case "region": candidate.regionName.map { Value.text($0) }
            case let folded where folded.hasPrefix("data."): data(at: name)
            case "count": field("count") ?? .integer(Int64(context.digestCount ?? 1))
            case let folded: field(folded).flatMap { $0.isNull ? nil : $0 } ?? context.attribute(name)
            }
        return value.flatMap { $0.isNull ? nil : $0 }
    }

    private func data(at path: String) -> Value? {
        candidate.data?.value(at: path.split(separator: ".").dropFirst().map(String.init)[...])
    }

    /// Field names are case-insensitive in the configuration.
    private func field(_ folded: String) -> Value? {
        candidate.regionFields.entries.first { $0.key.lowercased() == folded }?.value
    }
}

extension Value {
    /// The value in a sentence: text as it is, everything else as JSON.
    fileprivate var shown: String { text ?? json }
}

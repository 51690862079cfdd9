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
        template.filled(text) { name in
            context.host.log(
                .warning,
                "personalize: nothing is known for '{\(name)}' in the \(part) of campaign '\(candidate.campaign)', so it has nothing there"
            )
        }
    }

    /// Nil if there is nothing of that name: of the candidate, of its region, or among the attributes.
    private func text(_ name: String) -> String? {
        switch name.lowercased() {
        case "title": candidate.title
        case "message": candidate.message
        case "data": candidate.data?.shown
        case "region": candidate.regionName
        case let folded where folded.hasPrefix("data."): data(at: name)?.shown
        case "count": field("count")?.shown ?? String(context.digestCount ?? 1)
        case let folded: field(folded)?.shown ?? context.attribute(name)?.shown
        }
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
    /// The value in a sentence: text as it is, everything else as JSON; nothing for null.
    fileprivate var shown: String? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .bool, .integer, .number, .list, .map: json
        }
    }
}

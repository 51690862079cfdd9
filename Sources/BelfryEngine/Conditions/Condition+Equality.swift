import BelfryModel

extension Condition {
    /// The operand of `$in` and its kin. Many texts are looked up by hash; a few are found faster by looking at them.
    struct Members: Sendable {
        private let foldingCase: Bool
        private var texts: [String] = []
        /// By their bytes: two spellings of a letter are equal as `String`, and two texts here.
        private var manyTexts: Set<SubjectKey> = []
        private var others: [Value] = []
        private static let few = 8

        init(_ values: [Value], foldingCase: Bool) {
            self.foldingCase = foldingCase
            for value in values {
                if let text = value.text {
                    texts.append(foldingCase ? text.lowercased() : text)
                } else {
                    others.append(value)
                }
            }
            if texts.count > Self.few { (texts, manyTexts) = ([], Set(texts.map { SubjectKey($0) })) }
        }

        /// If they are few, and compared as they are.
        var fewTexts: [UTF8Text]? { foldingCase || !manyTexts.isEmpty ? nil : texts.map { UTF8Text($0) } }

        /// Whether the value, or of a list any element, is one of them.
        func contains(_ value: Value) -> Bool {
            if case .list(let list) = value { list.contains(where: containsOne) } else { containsOne(value) }
        }

        private func containsOne(_ value: Value) -> Bool {
            if case .text(let text) = value { return has(foldingCase ? text.lowercased() : text) }
            return others.contains { $0.isSame(as: value) }
        }

        private func has(_ text: String) -> Bool {
            texts.contains { $0.isSameText(as: text) } || !manyTexts.isEmpty && manyTexts.contains(SubjectKey(text))
        }
    }
}

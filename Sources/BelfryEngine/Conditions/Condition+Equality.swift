import BelfryModel

extension Value {
    /// Whether this is the same value of the same type, all the way down; 1 and 1.0 are one number.
    func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
            Int64(exactly: number) == integer
        // By their bytes, as ECMAScript has it: two spellings are two texts.
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.map(let left), .map(let right)):
            left.count == right.count
                && left.entries.allSatisfy { entry in right[entry.key].map(entry.value.isSame) ?? false }
        default: self == other
        }
    }
}

extension Condition {
    /// The operand of `$in` and its kin. Many texts are looked up by hash; a few are found faster by looking at them.
    struct Members: Sendable {
        private let foldingCase: Bool
        private var texts: [String] = []
        private var manyTexts: Set<String> = []
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
            if texts.count > Self.few { (texts, manyTexts) = ([], Set(texts)) }
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
            texts.contains { $0.isSameText(as: text) } || !manyTexts.isEmpty && manyTexts.contains(text)
        }
    }
}

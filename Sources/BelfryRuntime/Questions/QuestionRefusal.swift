import BelfryEngine

/// Why a question has no answer.
public struct QuestionRefusal: Error, CustomStringConvertible {
    public let what: String
    public private(set) var why: String?
    public private(set) var expected: String?
    public private(set) var fix: String?
    /// Whether what it asks about is not there; else a plugin did not survive it.
    public private(set) var isWrongUse = false

    public var description: String {
        ([what] + [why.map { "  why: \($0)" }, fix.map { "  fix: \($0)" }].compactMap(\.self)).joined(separator: "\n")
    }
}

extension QuestionRefusal {
    init(_ question: UnansweredQuestion) {
        what = question.what
        (why, expected, fix) = (question.why, question.expected, question.fix)
        isWrongUse = true
    }

    static func died(_ end: ProcessEnd) -> QuestionRefusal {
        QuestionRefusal(
            what: "the process that asks the plugins \(end.words), most likely because of a plugin",
            fix: "'belfry plugins check FILE' looks at a plugin alone")
    }

    init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        what = try reader.text()
        (why, expected, fix) = (try reader.optionalText(), try reader.optionalText(), try reader.optionalText())
        isWrongUse = try reader.bool()
    }

    func write(to message: inout MessageWriter) {
        message.text(what)
        for text in [why, expected, fix] { message.optionalText(text) }
        message.bool(isWrongUse)
    }
}

import BelfryPlugin

/// What is wrong with parameters: all of it, so that it is told at once.
struct Complaints {
    private var sentences: [String] = []
    /// A host takes a bit more; what is left out is told when these are mended.
    private static let mostBytes = 60_000

    mutating func add(_ sentence: String) { sentences.append(sentence) }

    /// - Returns: what is read; nil if it is wrong, which is noted.
    mutating func reading<Result>(_ read: () throws(StrategyError) -> Result) -> Result? {
        do throws(StrategyError) {
            return try read()
        } catch {
            add(error.message)
            return nil
        }
    }

    /// - Throws: the sentences, one per line, if there are any.
    func raise() throws(StrategyError) {
        guard var text = sentences.first else { return }
        for sentence in sentences.dropFirst() where text.utf8.count + sentence.utf8.count < Self.mostBytes {
            text += "\n" + sentence
        }
        throw StrategyError(text)
    }
}

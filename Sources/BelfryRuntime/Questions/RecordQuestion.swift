import BelfryCore
import BelfryEngine
import BelfryModel

/// A question about what a record holds, which the chain has to be asked for.
public enum RecordQuestion: Sendable {
    case explain(Explanation.Question)
    /// Which triggers are loaded, and the nearest ones that are not.
    case loaded
    /// The same, with what each waits for and how far it is.
    case watched
}

extension DecisionSource {
    /// Asks the plugins on a copy of a record; the shards go on meanwhile. In processes, a call that one of them does not survive answers
    /// fault.
    ///
    /// - Parameters:
    ///   - record: as it is stored; nil for a subject that nothing is known of.
    ///   - quarantined: entries that are not to be called.
    ///   - isAlone: whether this process answers nothing but this question, as `belfry explain` does: where a call of a plugin ends it, standard
    ///     error names plugin, entry, hook and subject (`CallSite`).
    /// - Returns: the answer in JSON.
    /// - Throws: `QuestionRefusal` if there is no such candidate, or a plugin did not survive the question; `RecordFailure`.
    public func answer(
        _ question: RecordQuestion, about subject: String, _ record: [UInt8]?, quarantined: [String] = [],
        isAlone: Bool = false
    ) throws -> Value {
        switch self {
        case .threads(let loaded):
            return try question.answer(about: subject, record, by: loaded) { engine in
                let chain = loaded.catalog.configuration.chain.map(\.id)
                engine.beginPiece(0, PlannedFault.quarantined(quarantined, of: chain))
                return isAlone ? try engine.tellOfItsEnd(subject) : nil
            }
        case .processes(let zygote):
            // What cannot be read is refused here: from the process it would come as a refusal of the question.
            if let record { _ = try SubjectRecord(of: subject, record) }
            return try QuestionProcess(zygote, question, subject, record, quarantined).answer()
        }
    }
}

extension RecordQuestion {
    /// - Parameter prepare: gets the engine before it is asked; what it gives is kept until that has answered.
    func answer(
        about subject: String, _ record: [UInt8]?, by loaded: Workspace.Loaded, _ prepare: (Engine) throws -> CallSite?
    ) throws -> Value {
        // Entries of a chain are for one thread.
        let former = loaded.catalog
        let catalog = try Catalog(former.configuration, providers: loaded.providers, services: former.services)
        let record =
            if let record { try SubjectRecord(of: subject, record) } else {
                SubjectRecord(subject: subject)
            }
        switch self {
        case .loaded: return .list(catalog.loaded(for: record).map(\.value))
        case .watched: return .list(catalog.loaded(for: record).map(\.wholeValue))
        case .explain(let question):
            let engine = Engine(catalog)
            let site = try prepare(engine)
            defer { withExtendedLifetime(site) {} }
            do {
                return try engine.explain(question, record).value
            } catch let error as UnansweredQuestion {
                throw QuestionRefusal(error)
            }
        }
    }
}

extension Engine {
    fileprivate func tellOfItsEnd(_ subject: String) throws -> CallSite {
        let site = CallSite(catalog)
        noteCalls(at: site.note)
        site.begin(subject, "a question")
        site.enter()
        try CallSite.watch([site])
        return site
    }
}

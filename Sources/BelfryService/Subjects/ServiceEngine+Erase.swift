import BelfryRuntime
import BelfryStore

extension ServiceEngine {
    /// Removes everything about a subject, while others are decided.
    ///
    /// - Returns: whether there was anything.
    func erase(_ subject: String) async throws -> Bool {
        try checkThatItTakes()
        let answers = try answers
        // Also where it fails: something may be left in the shadow, or in dead letters, alone.
        defer {
            answers.forget(subject)
            readers.forget()
            keys.forget()
        }
        do {
            return try await askForErasure(of: subject)
        } catch let error as StoreError where error.code == .permission {
            throw Problem(erasure: error)
        } catch let error as PartialErasure {
            throw Problem(erasure: error)
        } catch let error as ShadowErasureFailure {
            throw Problem(error)
        }
    }

    /// Says why bytes that were erased are still in files of the store; nil if they are gone.
    var unfinishedErasure: String? { (try? parts)?.store.records.unfinishedErasure }

    private func askForErasure(of subject: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            events.post(.erase(SubjectErasure(subject) { continuation.resume(with: $0) }))
            if state == .ended { events.abandon(Problem.draining) }
        }
    }
}

extension Problem {
    /// Of a store where what is erased would stay legible.
    fileprivate init(erasure error: StoreError) {
        self.init(
            .internalServerError, "cannot-erase", "the store cannot erase, and nothing is erased", found: "\(error)",
            fix: "have the service use a role that may, then send it again")
    }

    /// Of dead letters that cannot be written anew.
    fileprivate init(erasure error: PartialErasure) {
        self.init(
            .internalServerError, "erased-in-part", "the subject is erased, but for what sinks were not given",
            found: "\(error.failure)", fix: "see to that, then send it again: nothing is left when the answer is 404")
    }

    /// Of the shadow alone.
    fileprivate init(_ error: ShadowErasureFailure) {
        self.init(
            .internalServerError, "shadow-not-erased", "the subject is erased, and its shadow still has it",
            found: error.reason, fix: ShadowErasureFailure.fix)
    }
}

import BelfryRuntime

extension ServiceEngine {
    /// Removes everything about a subject, while others are decided.
    ///
    /// - Returns: whether there was anything.
    func erase(_ subject: String) async throws -> Bool {
        try checkThatItTakes()
        let answers = try answers
        let hasErased = try await withCheckedThrowingContinuation { continuation in
            events.post(.erase(SubjectErasure(subject) { continuation.resume(with: $0) }))
            if state == .ended { events.abandon(Problem.draining) }
        }
        answers.forget(subject)
        readers.forget()
        keys.forget()
        return hasErased
    }
}

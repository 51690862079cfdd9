import BelfryModel

extension FilterTest {
    /// What became of a notification.
    public enum Outcome: Sendable, Hashable {
        /// As it would be shown.
        case passed(Decision.Content)
        /// With the sentence that says why.
        case dropped(String)
        /// The filter failed, or made edits that make no sense; one sentence says how.
        case faulted(String)
        /// The filter had no part in it: it is off, or the notification is a landing page.
        case notAsked

        /// What would be shown; nil unless it passed.
        public var content: Decision.Content? { if case .passed(let content) = self { content } else { nil } }

        public var title: String? { content?.title }
        public var message: String? { content?.message }
        public var data: Value? { content?.data }
    }
}

extension FilterTest.Outcome {
    /// Nil for a decision that is about something else.
    init?(_ body: Decision.Body) {
        switch body {
        case .created(let created): self = .passed(created.content)
        case .fired(let fired): self = .passed(Decision.Content(data: fired.data))
        case .suppressed(let refused):
            // The host's own reasons come last, and are not the filter's.
            guard let reason = refused.reasons.first, reason.strategy != "belfry" else { return nil }
            self = reason.code == "fault" ? .faulted(reason.message) : .dropped(reason.message)
        default: return nil
        }
    }
}

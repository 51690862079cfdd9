/// What people are told of a sink.
struct SinkMessages: Sendable {
    let sink: String
    let say: @Sendable (String) -> Void

    func broken(_ error: any Error) { say("warning: sink '\(sink)' is broken: \(error)") }

    func lost(after entry: UInt64) {
        say(
            """
            warning: sink '\(sink)' is broken: what it has not taken is not in the journal any more
              why: \(SinkStatus.lost(after: entry))
              fix: 'belfry sinks resume \(sink)' goes on with the oldest decision that is kept
            """)
    }

    func failing(_ address: String, _ why: String) {
        say(
            """
            warning: sink '\(sink)' fails: \(address) \(why)
              effect: its decisions wait, in order for each subject, and are tried again
            """)
    }

    func unsynced(_ error: any Error) {
        say(
            """
            warning: sink '\(sink)' fails: \(error)
              effect: what it took since its place was last noted is delivered again
            """)
    }

    func recovered(_ address: String) { say("note: sink '\(sink)' goes on: \(address) takes decisions again") }

    func stopped(_ address: String, _ why: String) {
        say(
            """
            warning: sink '\(sink)' is stopped: \(address) \(why)
              fix: 'belfry sinks resume \(sink)' when it wants decisions again
            """)
    }

    /// - Parameter problem: why they could not be kept as dead letters; nil if they were.
    func givenUp(_ first: SinkItem, others: Int, why: String, unkept problem: (any Error)?) {
        if let problem { say("warning: sink '\(sink)': decisions that were given up could not be kept: \(problem)") }
        let fix =
            problem == nil
            ? "'belfry sinks show \(sink)' has them, and 'belfry sinks resend \(sink)' sends them again"
            : "they are in the journal as long as that keeps them: 'belfry decisions' prints them"
        say(
            """
            warning: sink '\(sink)' is not given decision '\(first.id)'\(others == 0 ? "" : " and \(others) others")
              why: \(why)
              fix: \(fix)
            """)
    }

    func unreadableLetters(_ error: any Error) {
        say("warning: sink '\(sink)': what is to be sent again cannot be read: \(error)")
    }

    func unsaved(_ error: any Error) { say("warning: how far sink '\(sink)' is cannot be noted: \(error)") }
}

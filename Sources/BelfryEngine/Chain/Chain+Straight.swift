import BelfryModel
import CBelfry

extension CallScope {
    /// Asks everybody in a straight chain about a candidate that lies ready.
    ///
    /// First all states are looked for, then everybody is asked: waiting for memory at one place goes on at the others, too.
    func ask(
        _ steps: UnsafeBufferPointer<ChainStep>, about candidates: UnsafePointer<CountedCandidate>,
        _ record: SubjectRecord
    ) {
        let first = answers.begin(steps.count)
        var answer = first
        for step in steps.places {
            let counted = candidates + Int(step.pointee.place)
            answer.initialize(to: Answer(step, counted.key, counted.pointee.candidate, isTold: true))
            // A straight step is that of a strategy.
            if step.pointee.keepsState, !findState(for: answer, step.pointee.strategy!, record) {
                answer.pointee.isTold = false
            }
            answer += 1
        }
        for place in 0..<steps.count { ask(first + place) }
    }

    @inline(__always)
    private func ask(_ answer: UnsafeMutablePointer<Answer>) {
        guard answer.pointee.isTold else { return answers.noteDenial(answer) }
        let step = answer.pointee.step
        // A strategy without a check is refused when it is loaded.
        let verdict = step.pointee.strategy!.pointee.should_create(
            step.pointee.pointer, answer.pointee.state, answer.pointee.candidate, cContext,
            reason.begin(into: answer.said))
        if verdict == BELFRY_ALLOW { return answer.pointee.allow() }
        if verdict != BELFRY_ABSTAIN { takeDenial(verdict, answer) }
    }

    @inline(never)
    private func takeDenial(_ verdict: belfry_verdict, _ answer: UnsafeMutablePointer<Answer>) {
        answer.pointee.take(verdict, self)
        if answer.pointee.isDenial { answers.noteDenial(answer) }
    }
}

extension UnsafePointer<CountedCandidate> {
    var key: UnsafePointer<CounterKey> { UnsafeRawPointer(self).assumingMemoryBound(to: CounterKey.self) }
}

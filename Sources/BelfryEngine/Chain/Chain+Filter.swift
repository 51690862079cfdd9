import BelfryModel
import CBelfry

extension CallScope {
    /// Lets a filter edit the candidate. A drop is a denial; a failure, or edits that make no sense, are a fault, and the
    /// candidate stays as it was.
    func apply(_ step: UnsafePointer<ChainStep>, _ counter: UnsafePointer<CounterKey>, to candidate: Candidate) {
        let drain = EditDrain(candidate.content)
        let (outcome, writtenTo) = withCopies { candidate, context in
            collectText { error in
                drain.withEdits {
                    step.pointee.entry.filter!.pointee.apply(step.pointee.pointer, candidate, context, $0, error)
                }
            }
        }
        let answer = answers.add(step, counter)
        defer { if answer.pointee.isDenial { answers.noteDenial(answer) } }
        if !writtenTo.isEmpty { warnings.append(step.pointee.entry.trespass(writtenTo)) }
        if outcome.result != BELFRY_OK {
            answer.pointee.fail(outcome.text.isEmpty ? "it failed without a word" : outcome.text, in: texts)
        } else if let nonsense = drain.nonsense ?? nonsense(in: drain.content, of: candidate) {
            answer.pointee.fail(nonsense, in: texts)
        } else if let message = drain.dropped {
            answer.pointee.deny(message, code: "dropped", in: texts)
        } else if step.pointee.control != .observer {
            keep(drain.content, in: candidate)
        }
    }

    private func nonsense(in content: Decision.Content, of candidate: Candidate) -> String? {
        guard let category = content.category, category != candidate.content.category,
            !catalog.configuration.categories.contains(where: { $0.id == category })
        else { return nil }
        return "it set the category '\(category)', which the configuration does not have"
    }

    private func keep(_ content: Decision.Content, in candidate: Candidate) {
        candidate.content = content
        candidate.content.handler = candidate.campaign.handler(of: content.data).rawValue
        refreshCandidate()
    }
}

extension EntryPlan {
    /// What an operator is told of a filter that wrote where it may only read.
    fileprivate func trespass(_ members: [String]) -> String {
        let names = members.map { "'\($0)'" }.joined(separator: ", ")
        return "filter '\(entry.id)' wrote to \(names) of what it may only read; that was undone"
    }
}

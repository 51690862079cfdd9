import BelfryModel
import CBelfry

extension CallScope {
    /// Lets a filter edit the candidate. A drop is a denial; a failure, or edits that make no sense, are a fault, and the
    /// candidate stays as it was.
    @inline(never)
    func apply(_ step: UnsafePointer<ChainStep>, _ counter: UnsafePointer<CounterKey>) {
        let collector = EditCollector(candidate.content)
        let plan = step.pointee.plan.object
        let answer = answers.add(step, counter)
        defer { if answer.pointee.isDenial { answers.noteDenial(answer) } }
        do throws(Fault) { try enter(step.pointee.entry, .apply) } catch {
            return answer.pointee.fail(error, in: texts)
        }
        let (outcome, writtenTo) = withCopies { candidate, context in
            collectText { error in
                collector.withEdits {
                    plan.filter!.pointee.apply(step.pointee.instance, candidate, context, $0, error)
                }
            }
        }
        leave()
        if !writtenTo.isEmpty { warnings.append(plan.trespass(writtenTo)) }
        if outcome.result != BELFRY_OK {
            answer.pointee.fail(Fault(cause: .error, message: outcome.text.orWordlessFailure), in: texts)
        } else if let nonsense = collector.nonsense ?? nonsense(in: collector.content) {
            answer.pointee.fail(Fault(cause: .nonsense, message: nonsense), in: texts)
        } else if let message = collector.dropped {
            answer.pointee.deny(message, code: "dropped", in: texts)
        } else if step.pointee.control != .observer {
            keep(collector.content)
        }
    }

    private func nonsense(in content: Decision.Content) -> String? {
        guard let category = content.category, candidate.content.category?.isSameText(as: category) != true,
            catalog.buttons[SubjectKey(category)] == nil
        else { return nil }
        return "it set the category '\(category)', which the configuration does not have"
    }

    private func keep(_ content: Decision.Content) {
        var content = content
        content.handler = candidate.campaign.handler(of: content.data).rawValue
        candidate.content = content
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

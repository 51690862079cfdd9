import BelfryEngine
import BelfryModel

extension StrategyTest {
    /// Saves the subject's record and loads it again, as when the process ends and starts.
    public func saveAndLoad() throws(Failure) {
        do throws(RecordDamage) {
            record = try SubjectRecord(
                subject: record.subject, reading: record.stored(services.states), services.states)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Lets every new subject and counter begin with what an earlier version of the strategy stored, to see how it is migrated.
    ///
    /// ```swift
    /// try test.begin(with: ["last": .integer(1_772_442_000)])
    /// ```
    ///
    /// - Parameter version: of the strategy that stored it; required for a `SelfSavingState`, which is given it. Of a state that declares its
    ///   fields it says nothing: values of a name and type that it still has are taken over.
    public func begin(with saved: KeyValuePairs<String, StateValue>, version: UInt32? = nil) throws(Failure) {
        if version == nil, watch.savesItself { throw .missingVersion(of: configuration.chain[0].strategy) }
        watch.past = SavedState(version: version ?? 0, saved)
        watch.pastTime = now
        engines = try Engines(configuration, watch, services)
    }

    /// Gives the strategy other parameters; what it remembers stays.
    public func change(parameters: Value?) throws(Failure) {
        var changed = configuration
        changed.chain[0].parameters = parameters
        engines = try Engines(changed, watch, services)
        configuration = changed
    }

    /// What the strategy remembers, as it is saved: instants as text, in the order it writes them.
    ///
    /// - Parameter counter: the key that it counts under; nil: the subject's own.
    public func state(counter: String? = nil) -> Fields {
        let state = states.first { $0.counter == counter && $0.entry == configuration.chain[0].id }
        return Fields(state.map { $0.values.map { ($0.key, $0.value.value) } } ?? [])
    }

    private var states: [SubjectRecord.State] { record.states(services.states) }

    /// All that the strategy remembers, for people: `cooldown[sale].createdAt = 2026-03-02T09:00:00Z`.
    public var stateLines: [String] {
        let entry = configuration.chain[0].id
        return states.filter { $0.entry == entry }.flatMap { state in
            let name = state.counter.map { "\(entry)[\($0)]" } ?? entry
            return state.values.map { "\(name).\($0.key) = \($0.value.text)" }
        }
    }
}

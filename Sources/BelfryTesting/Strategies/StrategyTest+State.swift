import BelfryEngine
import BelfryModel

extension StrategyTest {
    /// Saves the subject's record and loads it again, as when the process ends and starts.
    public func saveAndLoad() throws(Failure) {
        do throws(RecordDamage) {
            record = try SubjectRecord(subject: record.subject, decoding: record.encoded(by: "BelfryTesting"))
        } catch {
            throw .unreadable(error)
        }
    }

    /// Lets every new subject and counter begin with what an earlier version of the strategy saved, to see how it is migrated.
    ///
    /// ```swift
    /// test.begin(with: ["last": .integer(1_772_442_000_000)], version: 1)
    /// ```
    public func begin(with saved: KeyValuePairs<String, StateValue>, version: UInt32) {
        watch.past = SavedState(version: version, saved)
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
        let slot = record.slots.first { $0.counter == counter && $0.entry == configuration.chain[0].id }
        return Fields(slot.map { $0.saved.values.map { ($0.key, $0.value.value) } } ?? [])
    }

    /// All that the strategy remembers, for people: `cooldown[sale].createdAt = 2026-03-02T09:00:00Z`.
    public var stateLines: [String] {
        let entry = configuration.chain[0].id
        return record.lines.filter { $0.key.hasPrefix("\(entry).") || $0.key.hasPrefix("\(entry)[") }
            .map { "\($0.key) = \($0.value)" }
    }
}

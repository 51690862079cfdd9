import BelfryModel

extension Value: ConditionProperties {
    /// Walks down mappings by key and lists by position (from 0); nil where the path leads nowhere.
    func value(at path: [String]) -> Value? {
        value(at: path[...])
    }
}

extension Fields: ConditionProperties {
    func value(named name: String) -> Value? { self[name] }

    func value(at path: [String]) -> Value? {
        value(at: path[...])
    }

    func passes(_ test: any Condition.Test, named name: UTF8Text) -> Bool {
        // Where the value lies: a copy of it would be counted.
        for index in entries.indices where name.isSame(as: entries[index].key) {
            return test.holds(for: entries[index].value)
        }
        return test.holds(for: .null)
    }
}

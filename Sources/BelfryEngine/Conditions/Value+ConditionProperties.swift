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
}

import BelfryModel

extension Value: ConditionProperties {
    /// Walks down mappings by key and lists by position (from 0); nil where the path leads nowhere.
    public func value(at path: [String]) -> Value? {
        value(at: path[...])
    }
}

extension Fields: ConditionProperties {
    public func value(named name: String) -> Value? { self[name] }
    public func place(named name: String) -> UnsafePointer<Value>? { place(of: name) }

    public func value(at path: [String]) -> Value? {
        value(at: path[...])
    }
}

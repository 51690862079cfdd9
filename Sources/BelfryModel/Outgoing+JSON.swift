extension Outgoing {
    /// CloudEvents `type`: that of the decision, or of the signal.
    public var type: String {
        switch body {
        case .event: "event.recorded"
        case .attributesSet: "attributes.set"
        case .attributesUpdated: "attributes.updated"
        case .attributesDeleted: "attributes.deleted"
        }
    }

    /// Appends it as a CloudEvent of `source`, the app. `specversion` and `id` are still missing: the id depends on
    /// the rest.
    public func write(to writer: inout JSONWriter, source: String) {
        writer.beginObject()
        writer.member("source", source)
        writer.member("type", type)
        writer.member("subject", subject)
        writer.member("channel", channel)
        writer.member("time", time)
        writer.member("cause", cause)
        writer.key("data")
        writer.beginObject()
        body.write(to: &writer)
        writer.endObject()
        writer.endObject()
    }
}

extension Outgoing.Body {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .event(let type, let name, let attributes):
            writer.member("type", type)
            writer.member("name", name)
            writer.member("attributes", .map(attributes))
        case .attributesSet(let scope, let values), .attributesUpdated(let scope, let values):
            writer.member("scope", scope.rawValue)
            writer.member("values", .map(values))
        case .attributesDeleted(let scope, let keys):
            writer.member("scope", scope.rawValue)
            writer.member("keys", .list(keys.map(Value.text)))
        }
    }
}

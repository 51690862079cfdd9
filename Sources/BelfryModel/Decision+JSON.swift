extension Decision {
    /// CloudEvents `type`.
    public var type: String { body.kind.rawValue }

    /// Where a line is not complete until an action has run, as an offset into the writer's bytes.
    public enum Gap: Sendable, Hashable {
        /// The members of the outcome are missing: `Outcome.members`.
        case outcome(at: Int)
        /// `true` or `false` is missing, which the next decision's outcome decides.
        case handled(at: Int)
    }

    /// Appends the decision as a line of JSON: a CloudEvent of `source`, the app.
    ///
    /// - Returns: what is missing in it.
    @discardableResult
    public func write(to writer: inout JSONWriter, source: String) -> Gap? {
        writer.beginObject()
        writer.member("specversion", "1.0")
        writer.key("id")
        writer.writeID(of: number, subject: subject)
        writer.member("source", source)
        writer.member("type", type)
        writer.member("subject", subject)
        writer.member("time", time)
        writer.member("cause", cause)
        writer.key("data")
        writer.beginObject()
        let gap = body.write(to: &writer)
        writer.endObject()
        writer.endObject()
        writer.endLine()
        return gap
    }
}

extension Decision.Outcome {
    /// What fills the gap in the line of an `action.invoked`: the rest of its members, each after a comma.
    public var members: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(to: &writer)
        return [UInt8(ascii: ",")] + writer.bytes.dropFirst()
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("handler", handler)
        writer.member("status", status.rawValue)
        writer.member("error", error)
        writer.member("result", result)
    }
}

extension Decision.Body {
    fileprivate func write(to writer: inout JSONWriter) -> Decision.Gap? {
        switch self {
        case .created(let created): created.write(to: &writer)
        case .suppressed(let refused), .deferred(let refused): refused.write(to: &writer)
        case .deleted(let notification, let campaign):
            writer.member("notification", notification)
            writer.member("campaign", campaign)
        case .kept(let notification, let campaign, let reasons):
            writer.member("notification", notification)
            writer.member("campaign", campaign)
            writer.denials("reasons", reasons)
        case .opened(let notification, let button, let firstOpenedAt):
            writer.member("notification", notification)
            writer.member("button", button)
            writer.member("firstOpenedAt", firstOpenedAt)
        case .fired(let fired): return fired.write(to: &writer)
        case .invoked(let invocation): return invocation.write(to: &writer)
        case .recorded(let type, let name, let attributes):
            writer.member("type", type)
            writer.member("name", name)
            writer.member("attributes", .map(attributes))
        case .faulted(let fault): fault.write(to: &writer)
        case .collected(let collected): collected.write(to: &writer)
        case .withheld(let withheld): withheld.write(to: &writer)
        case .exposed(let experiment, let variant):
            writer.member("experiment", experiment)
            writer.member("variant", variant)
        }
        return nil
    }
}

extension Decision.Origin {
    /// Its members, without braces.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(to: &writer)
        return Array(writer.bytes.dropFirst())
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("campaign", campaign)
        writer.member("trigger", trigger)
        writer.member("region", region)
    }
}

extension Decision.Created {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("notification", notification)
        origin.write(to: &writer)
        content.write(to: &writer)
        writer.digest(digest)
        writer.denials("observed", observed)
    }
}

extension Decision.Content {
    /// Appends its members, as in the `data` of what was created.
    package func write(to writer: inout JSONWriter) {
        writer.member("title", title)
        writer.member("message", message)
        writer.member("data", data)
        writer.member("presentation", presentation)
        writer.member("handler", handler)
        writer.member("category", category)
        writer.member("buttons", shownButtons)
    }

    /// Its members, each after a comma.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(to: &writer)
        return [UInt8(ascii: ",")] + writer.bytes.dropFirst()
    }
}

extension Decision.Collected {
    fileprivate func write(to writer: inout JSONWriter) {
        origin.write(to: &writer)
        writer.member("strategy", strategy)
        writer.member("counter", counter)
        writer.member("items", .integer(Int64(items)))
        writer.member("until", until)
    }
}

extension Decision.Withheld {
    fileprivate func write(to writer: inout JSONWriter) {
        origin.write(to: &writer)
        writer.denials("reasons", reasons, always: true)
        writer.digest(digest)
    }
}

extension Decision.Refused {
    fileprivate func write(to writer: inout JSONWriter) {
        origin.write(to: &writer)
        writer.denials("reasons", reasons, always: true)
        writer.denials("observed", observed)
        writer.member("until", until)
    }
}

extension Decision.Fault {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("strategy", strategy)
        origin?.write(to: &writer)
        writer.member("counter", counter)
        writer.member("hook", hook)
        writer.member("cause", cause.rawValue)
        writer.member("message", message)
    }
}

extension Decision.Fired {
    fileprivate func write(to writer: inout JSONWriter) -> Decision.Gap? {
        origin.write(to: &writer)
        writer.member("data", data)
        writer.digest(digest)
        writer.key("handled")
        let gap = handled == nil ? Decision.Gap.handled(at: writer.count) : nil
        if let handled { writer.write(handled) } else { writer.skip() }
        writer.denials("observed", observed)
        return gap
    }
}

extension Decision.Invocation {
    fileprivate func write(to writer: inout JSONWriter) -> Decision.Gap? {
        writer.member("notification", notification)
        writer.member("campaign", campaign)
        writer.member("type", type)
        writer.member("value", action["value"])
        guard let outcome else { return .outcome(at: writer.count) }
        outcome.write(to: &writer)
        return nil
    }
}

extension JSONWriter {
    fileprivate mutating func denials(_ name: String, _ denials: [Decision.Denial], always: Bool = false) {
        guard always || !denials.isEmpty else { return }
        key(name)
        beginList()
        for denial in denials {
            beginObject()
            member("strategy", denial.strategy)
            member("code", denial.code)
            member("message", denial.message)
            member("until", denial.until)
            member("counter", denial.counter)
            member("silence", denial.silence)
            endObject()
        }
        endList()
    }
}

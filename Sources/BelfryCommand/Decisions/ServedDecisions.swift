import BelfryModel

/// The decisions of a service, page by page.
struct ServedDecisions {
    let client: ServiceClient
    let filter: Decisions.Filter

    struct Page {
        let value: Value

        var decisions: [Value] { value.map?["decisions"]?.list ?? [] }
        /// The cursor for what comes behind it.
        var next: String? { value.map?["next"]?.text }
    }

    /// - Parameter wait: for how long the service may wait for a decision.
    func page(after cursor: String?, limit: Int = 1000, wait: String? = nil) throws -> Page {
        let query = [
            ("after", cursor), ("subject", filter.subject), ("campaign", filter.campaign), ("type", filter.type),
            ("limit", String(limit)), ("wait", wait),
        ]
        return Page(value: try client.send("GET", "/v1/decisions", query))
    }

    /// The cursor behind a decision.
    func cursor(of decision: String) throws -> String? {
        try client.send("GET", "/v1/decisions/" + ServiceClient.encoded(decision)).map?["cursor"]?.text
    }

    /// All that there are, the oldest first.
    ///
    /// - Returns: the cursor behind the last one.
    func forEachPage(after cursor: String?, _ body: ([Value]) throws -> Bool) throws -> String? {
        var cursor = cursor
        while true {
            let page = try page(after: cursor)
            // A page of none may still have come further: others were looked at.
            if page.decisions.isEmpty, page.next == cursor { return cursor }
            cursor = page.next
            if try !body(page.decisions) { return cursor }
        }
    }

    /// Prints so many, and waits for more if that is wanted.
    func tail(_ count: Int, follows: Bool) throws {
        var last: [Value] = []
        var cursor = try forEachPage(after: nil) { decisions in
            last = Array((last + decisions).suffix(count))
            return true
        }
        try Self.show(last)
        while follows {
            let page = try page(after: cursor, wait: "30s")
            try Self.show(page.decisions)
            cursor = page.next
        }
    }

    static func show(_ decisions: [Value]) throws {
        try Console.printNow(decisions.lazy.map(\.json))
    }
}

import BelfryModel

extension StrategyTest {
    /// Goes through a timeline, as text or as code, from where the test stands.
    ///
    /// ```swift
    /// try test.follow(
    ///     """
    ///     09:00  request promo  -> created
    ///     09:59  request promo  -> denied (cooldown) until 10:00
    ///     10:00  request promo  -> created
    ///     """)
    /// ```
    ///
    /// - Throws: `Failure` at the first step of which something else comes: it shows the timeline up to there, what was expected,
    ///   and what the strategy remembers. Any test framework reports what a test throws.
    public func follow(_ timeline: Timeline) throws(Failure) {
        if let mistake = timeline.mistake { throw .unreadable(mistake) }
        var story = Story(timeline.steps)
        for step in timeline.steps {
            let results: [Timeline.Result]
            do throws(Failure) {
                results = try play(step)
            } catch {
                throw error.told(story)
            }
            story.add(results)
            guard step.expected?.fit(results, now: now) ?? true else {
                throw .difference(what, story, stateLines: stateLines)
            }
        }
    }

    /// Moves the clock, and what was deferred until then is asked about again.
    ///
    /// - Parameter time: as in a `Timeline`: `10:00`, `+1h30m`, `2026-03-02T10:00:00Z`.
    /// - Returns: this test, so that `test.at("10:00").request("promo")` reads as it happens.
    @discardableResult
    public func at(_ time: String) throws(Failure) -> StrategyTest {
        try move(to: time)
        return self
    }

    /// What came of a step: of what was deferred until then, and of what happens.
    func play(_ step: Timeline.Step) throws(Failure) -> [Timeline.Result] {
        var results: [Timeline.Result] = []
        if let time = step.time { results = try move(to: time).map(Timeline.Result.init) }
        return results + (try play(step.event))
    }

    func play(_ event: Timeline.Event) throws(Failure) -> [Timeline.Result] {
        switch event {
        case .request(let campaign, let data):
            return [Timeline.Result(try request(campaign, data: data.isEmpty ? nil : .map(data)))]
        case .delete(let campaign): return try delete(campaign).map(Timeline.Result.init)
        case .enter(let region): return try enter(region).map(Timeline.Result.init)
        case .exit(let region): return try exit(region).map(Timeline.Result.init)
        case .send(let type, let data):
            return try send(type, data: data.isEmpty ? nil : .map(data)).map(Timeline.Result.init)
        case .open(nil, _) where record.notifications.isEmpty: break
        case .open(let notification, let button): try open(notification, button: button)
        case .user(let attributes): try set(user: attributes)
        case .channel(let attributes): try set(channel: attributes)
        case .zone(let name): try register(timeZone: name)
        case .foreground: try foreground()
        case .background: try background()
        case .reset: try reset()
        case .subject(let name): subject = name
        case .device(let name): channel = name
        case .others(let deny): othersDeny = deny
        case .parameters(let parameters): try change(parameters: .map(parameters))
        case .saveAndLoad: try saveAndLoad()
        case .wait: break
        }
        return []
    }
}

/// A timeline and how far it was gone through.
struct Story {
    private let steps: [Timeline.Step]
    private var results: [[Timeline.Result]] = []

    init(_ steps: [Timeline.Step]) { self.steps = steps }

    mutating func add(_ results: [Timeline.Result]) { self.results.append(results) }

    /// The steps that happened with what came of them, and those that did not; `>` marks the step where it ended, a step that
    /// failed without a result included.
    ///
    /// - Parameter failed: the step after the last result is where it ended.
    func lines(failed: Bool) -> [String] {
        let last = results.count - (failed ? 0 : 1)
        let width = steps.map(\.what.count).max() ?? 0
        return steps.enumerated().flatMap { index, step -> [String] in
            let what = step.what + String(repeating: " ", count: width - step.what.count)
            let mark = index == last ? "> " : "  "
            guard index < results.count else { return ["\(mark)\(step.what)"] }
            let result = results[index].map(\.description).joined(separator: ", ")
            let line =
                result.isEmpty && step.expected == nil
                ? step.what : "\(what)  -> \(result.isEmpty ? "nothing" : result)"
            guard index == last, !failed, let expected = step.expected else { return ["\(mark)\(line)"] }
            let blank = String(repeating: " ", count: max(0, width - 8))
            return ["\(mark)\(line)", "  \(blank)expected  -> \(expected.text)"]
        }
    }
}

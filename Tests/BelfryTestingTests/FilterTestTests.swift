import BelfryPlugin
import BelfryTesting
import Testing

/// Greets, and tells where it was.
private struct Greeting: Filter {
    static let name = "greeting"
    static let summary = "Greets everybody by name."

    struct Parameters: ParameterList {
        var word = "Hello"
        static var parameters: [Parameter<Self>] { [.optional("word", \.word, "what to say")] }
    }

    let parameters: Parameters
    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    func apply(_ candidate: Candidate, edits: Edits, context: Context) throws(StrategyError) {
        guard let name = context.attribute("firstName")?.text else {
            context.host.log(.warning, "somebody has no name")
            return edits.drop("whom should it greet?")
        }
        if name == "Nobody" { throw StrategyError("there is nobody to greet") }
        edits.setMessage("\(parameters.word) \(name)! \(candidate.message ?? "")")
        edits.setTitle(candidate.regionName.map { "\($0) at \(context.now)" })
    }
}

/// Greets each time otherwise.
private struct Fickle: Filter {
    // Unsafe: a test calls from one thread.
    final class Count: Sendable { nonisolated(unsafe) var count = 0 }

    static let name = "fickle"
    static let summary = "Counts how often it was asked."
    private let count = Count()
    init(_ parameters: NoParameters, host: Host) {}

    func apply(_ candidate: Candidate, edits: Edits, context: Context) {
        count.count += 1
        edits.setPresentation(["count": .integer(Int64(count.count))])
    }
}

private struct Babbling: Filter {
    static let name = "babbling"
    static let summary = "Sets a category that is not there."
    init(_ parameters: NoParameters, host: Host) {}
    func apply(_ candidate: Candidate, edits: Edits, context: Context) { edits.setCategory("gone") }
}

@Suite struct FilterTestTests {
    /// The sample of the documentation.
    @Test func `everybody is greeted by name`() throws {
        let test = try FilterTest(Greeting.self)
        try test.set(user: ["firstName": "Ana"])
        #expect(try test.request(message: "Welcome").message == "Hello Ana! Welcome")
    }

    @Test func `what passed is what would be shown`() throws {
        let test = try FilterTest(Greeting.self, parameters: ["word": "Ciao"]) {
            $0.campaigns[0].category = "yesno"
            $0.categories = [.init(id: "yesno", buttons: [.init(id: "yes", title: "Yes")])]
        }
        try test.set(channel: ["firstName": "Ana"])
        let content = try #require(try test.request(data: "https://shop.example").content)
        #expect(content.message == "Ciao Ana! ")
        #expect(content.title == nil, "it took the title away")
        #expect(content.handler == "url")
        #expect(content.buttons == [["id": "yes", "title": "Yes"]])
    }

    @Test func `a region can be entered again and again, at the time that the test says`() throws {
        let test = try FilterTest(Greeting.self, regions: ["store", "park"])
        try test.set(user: ["firstName": "Ana"])
        #expect(try test.enter().map(\.title) == ["store at 2026-03-02T09:00:00Z"])
        try test.move(to: "2026-03-02T10:00:00Z")
        #expect(try test.enter().map(\.title) == ["store at 2026-03-02T10:00:00Z"])
        #expect(try test.enter("park").map(\.title) == ["park at 2026-03-02T10:00:00Z"])
    }

    @Test func `dropping, failing and nonsense are three things`() throws {
        let test = try FilterTest(Greeting.self)
        #expect(try test.request() == .dropped("whom should it greet?"))
        try test.set(user: ["firstName": "Nobody"])
        #expect(try test.request() == .faulted("there is nobody to greet"))
        #expect(
            try FilterTest(Babbling.self).request()
                == .faulted("it set the category 'gone', which the configuration does not have"))
    }

    @Test func `warnings are told once`() throws {
        let test = try FilterTest(Greeting.self)
        for _ in 1...3 { try test.request() }
        #expect(test.warnings == ["somebody has no name"])
    }

    @Test func `a landing page and a custom event are what they are in production`() throws {
        let test = try FilterTest(Greeting.self, campaigns: ["page", "bought"]) {
            $0.campaigns[0].handler = .landingPage
            $0.campaigns[1].triggers = [.init(id: "bought", on: .signal("order.placed"))]
        }
        #expect(try test.request("page", message: "M") == .notAsked)
        #expect(try test.send("order.placed") == [.dropped("whom should it greet?")])
    }

    private func failure(_ body: () throws -> Void) -> String {
        #expect(throws: FilterTest.Failure.self, performing: body)?.description ?? ""
    }

    @Test func `a filter that edits differently when it is asked again is reported`() throws {
        let test = try FilterTest(Fickle.self)
        #expect(
            failure { try test.request() } == """
                filter 'fickle' is not pure
                  why: it set {"presentation":{"count":1}}, and asked again it set {"presentation":{"count":2}}
                  fix: edit by parameters, candidate and context alone
                """)
    }

    @Test func `wrong parameters are reported, and what the test names must be there`() throws {
        #expect(
            failure { _ = try FilterTest(Greeting.self, parameters: ["wrd": "Hi"]) } == """
                filter 'greeting' cannot be configured like this
                  why: parameters.wrd: found the unknown parameter 'wrd', expected one of word; did you mean 'word'?
                """)
        let test = try FilterTest(Greeting.self)
        #expect(failure { try test.request("sales") }.contains("did you mean 'sale'?"))
    }
}

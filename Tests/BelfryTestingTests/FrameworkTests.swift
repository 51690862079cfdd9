import BelfryTesting
import BelfryPlugin
import Testing
import XCTest

private struct Never: Strategy {
    static let name = "never"
    static let summary = "Denies everything."
    init(_ parameters: NoParameters, host: BelfryPlugin.Host) {}
    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .deny("never") }
}

/// An expectation that fails is an error that the test throws: whichever framework runs it reports that, timeline and all.
@Suite struct FrameworkTests {
    private static func fail() throws { try StrategyTest(Never.self).follow("09:00 request -> created") }

    private static let said = "> 09:00  request  -> denied (never): never"

    @Test func `Swift Testing reports it`() throws {
        try withKnownIssue {
            try Self.fail()
        } matching: { issue in
            issue.error.map { "\($0)".contains(Self.said) } == true
        }
    }

    @Test func `XCTest reports it`() async {
        // It spins until a task of its own has run: first of all others, or this would keep a processor busy until they are done.
        let (failures, texts) = await Task(priority: .high) { Self.runInXCTest() }.value
        #expect(failures == 1)
        #expect(texts.contains { $0.contains(Self.said) }, "\(texts)")
    }

    private static func runInXCTest() -> (failures: Int?, texts: [String]) {
        // A run of its own: it is not part of this one, which would fail with it.
        let test = XCTestCase(name: "fails", testClosure: { _ in try Self.fail() })
        let reports = Reports()
        XCTestObservationCenter.shared.addTestObserver(reports)
        defer { XCTestObservationCenter.shared.removeTestObserver(reports) }
        test.run()
        return (test.testRun?.totalFailureCount, reports.texts)
    }
}

private final class Reports: XCTestObservation {
    var texts: [String] = []

    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile file: String?, atLine line: Int
    ) {
        texts.append(description)
    }
}

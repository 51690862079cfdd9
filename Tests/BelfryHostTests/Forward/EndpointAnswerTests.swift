import BelfryModel
import Testing

@testable import BelfryDelivery
@testable import BelfryRuntime

@Suite struct EndpointAnswerTests {
    @Test(arguments: [200, 202, 204]) func `success is taking`(status: Int) {
        #expect(EndpointAnswer(status: status).verdict == .taken)
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504]) func `some failures pass`(status: Int) {
        #expect(EndpointAnswer(status: status).verdict == .later(nil))
    }

    @Test(arguments: [301, 307, 401, 403, 404, 405, 410, 418]) func `some do not pass by themselves`(status: Int) {
        #expect(EndpointAnswer(status: status).verdict == .refused)
    }

    @Test(arguments: [400, 409, 413, 422]) func `some are about the content`(status: Int) {
        #expect(EndpointAnswer(status: status).verdict == .unacceptable)
    }

    @Test(arguments: [
        ("0", Duration.zero), ("90", .seconds(90)), ("86400", .hours(1)),
        ("Sun, 06 Nov 1994 08:50:37 GMT", .minutes(1)), ("Sat, 05 Nov 1994 08:49:37 GMT", .zero),
        ("Mon, 07 Nov 1994 08:49:37 GMT", .hours(1)), ("99999999999999999999", .hours(1)),
        ("Sunday, 06-Nov-94 08:50:37 GMT", .minutes(1)), ("Sun Nov  6 08:50:37 1994", .minutes(1)),
    ])
    func `Retry-After is seconds or a date, an hour at most`(text: String, pause: Duration) {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(EndpointAnswer(status: 503, retryAfter: text, date: date).verdict == .later(pause))
    }

    @Test func `one that says when it takes it again has not refused it, but where an item is wrong`() {
        for status in [401, 403, 404, 413] {
            #expect(EndpointAnswer(status: status, retryAfter: "90").verdict == .later(.seconds(90)))
        }
        #expect(EndpointAnswer(status: 422, retryAfter: "90").verdict == .unacceptable)
        #expect(EndpointAnswer(status: 307, retryAfter: "90").verdict == .refused)
    }

    @Test(arguments: [("94", 1994), ("26", 2026), ("76", 2076), ("77", 1977), ("00", 2000)])
    func `a year of two digits is at most fifty years from now`(digits: String, year: Int) throws {
        let now = try #require(Instant(httpDate: "Fri, 27 Nov 2026 00:00:00 GMT"))
        let found = try #require(Instant(httpDate: "Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now))
        #expect(found == Instant(httpDate: "Sun, 06 Nov \(year) 08:49:37 GMT"))
    }

    @Test(arguments: [
        "", "-1", "soon", "Sun, 06 Nov 1994", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 9223372036854775807:49:37 GMT", "Sun, 06 Nov 9223372036854775807 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:-9223372036854775808:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    ])
    func `a Retry-After that cannot be read is none`(text: String) {
        #expect(EndpointAnswer(status: 503, retryAfter: text, date: text).verdict == .later(nil))
    }

    @Test(arguments: [
        (784_111_777_999, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_251_199_000, "Thu, 29 Feb 2024 23:59:59 GMT"),
    ])
    func `dates are written as they are read`(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).httpDate == text)
        #expect(Instant(httpDate: text) == Instant(milliseconds: milliseconds / 1000 * 1000))
    }
}

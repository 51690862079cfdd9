import BelfryModel

/// Turns a line of input into a signal (docs/signals.md). What the signal names is checked later, against the configuration.
///
/// Used by one thread at a time; its memory is used again.
public final class SignalDecoder {
    /// Longer lines are rejected unread.
    package static let lineLimit = 1 << 20
    /// So many bytes behind a line may be read.
    public static let padding = InputChunk.padding

    private let parser = JSONParser()
    fileprivate let types = SignalTypes()
    /// The time of day, if signals are held against it.
    @exclusivity(unchecked) package var clock: Clock?

    package struct Clock: Sendable {
        package var now: Instant
        /// How far ahead of it a signal may be.
        package var ahead: Duration

        package init(now: Instant, ahead: Duration) { (self.now, self.ahead) = (now, ahead) }
    }

    /// The types that Belfry knows and whose `data` is kept as a whole, too; of custom ones it always is.
    @exclusivity(unchecked) package var typesWithData: Set<String>

    public init(typesWithData: Set<String> = []) { self.typesWithData = typesWithData }

    /// - Parameter line: its number from 1, the cause of its decisions if it has no id.
    public func decode(_ bytes: UnsafeBufferPointer<UInt8>, line: Int) throws(SignalReject) -> Signal {
        let element: JSONElement
        do {
            element = try parser.parse(bytes)
        } catch {
            throw SignalReject(.invalidJSON, "the line is not JSON: \(error.message)")
        }
        guard element.isObject else {
            throw SignalReject(
                .invalidJSON, "the line is JSON but no object; expected {\"type\":…,\"subject\":…,\"time\":…}")
        }
        return try Attributes(element).signal(line: line, self)
    }
}

/// The attributes of a CloudEvent, borrowed from the parser.
private struct Attributes {
    private var id: JSONElement?
    private var source: JSONElement?
    private var type: JSONElement?
    private var subject: JSONElement?
    private var channel: JSONElement?
    private var time: JSONElement?
    private var data: JSONElement?

    init(_ object: JSONElement) {
        object.forEachMember { key, value in
            // Null is as good as absent. Names that are not known are ignored.
            guard !value.isNull else { return }
            if key.equals("id") {
                id = value
            } else if key.equals("type") {
                type = value
            } else if key.equals("subject") {
                subject = value
            } else if key.equals("time") {
                time = value
            } else if key.equals("data") {
                data = value
            } else if key.equals("channel") {
                channel = value
            } else if key.equals("source") {
                source = value
            }
        }
    }

    func signal(
        line: Int, _ decoder: SignalDecoder
    ) throws(SignalReject) -> Signal {
        let known = type?.utf8.flatMap { decoder.types.find($0) }
        let type =
            if let known { known.text } else {
                try required(type, "type", "what happened, for example region.entered")
            }
        let subject = known?.type == .clockAdvanced ? "" : try subjectText
        let channel = try text(channel, "channel")
        let id = try text(id, "id")
        let source = try text(source, "source") ?? ""
        let time = try instant(decoder.clock)
        let event = try DataReader(type: type, channel: channel, data: data).event(known?.type)
        let isDataKept = known == nil || (!decoder.typesWithData.isEmpty && decoder.typesWithData.contains(type))
        return Signal(
            id: id, source: source, subject: subject, channel: channel, time: time, cause: id ?? String(line),
            type: type, event: event, data: isDataKept ? data?.value : nil)
    }

    private var subjectText: String {
        get throws(SignalReject) {
            let text = try required(subject, "subject", "whom it happened to")
            if text.utf8.count > Signal.longestSubject {
                throw .invalid(
                    "subject", found: .text(text), expected: "at most \(Signal.longestSubject) bytes of UTF-8")
            }
            return text
        }
    }

    private func instant(_ clock: SignalDecoder.Clock?) throws(SignalReject) -> Instant {
        guard let time else {
            if let clock { return clock.now }
            throw .missing("time", "when it happened, as RFC 3339, for example 2026-03-02T09:00:00Z")
        }
        guard let utf8 = time.utf8, let instant = Instant(rfc3339: utf8) else {
            throw refusal(of: time)
        }
        if let clock, instant > clock.now + clock.ahead {
            throw SignalReject(
                .fromTheFuture,
                "'time' is \(instant), more than \(clock.ahead) ahead of \(clock.now); check the clock that stamped it")
        }
        return instant
    }

    /// A date-time whose offset leads out of the years that can be written is one all the same.
    private func refusal(of time: JSONElement) -> SignalReject {
        let isDateTime = time.utf8.flatMap { Instant(anyYearRFC3339: $0) } != nil
        let expected =
            isDateTime
            ? "a time in the years 0000 to 9999 of UTC"
            : "an RFC 3339 date-time, for example 2026-03-02T09:00:00Z"
        return .invalid("time", found: time.value, expected: expected)
    }

    private func text(_ element: JSONElement?, _ name: String) throws(SignalReject) -> String? {
        guard let element else { return nil }
        guard let text = element.text, !text.isEmpty else {
            throw .invalid(name, found: element.value, expected: "text that is not empty")
        }
        return text
    }

    private func required(_ element: JSONElement?, _ name: String, _ why: String) throws(SignalReject) -> String {
        guard let text = try text(element, name) else { throw .missing(name, why) }
        return text
    }
}

import BelfryModel
import CBelfry

/// What a plugin said besides its verdict. Its texts are lent by an arena.
package struct Said {
    /// Absent: the name of the strategy.
    var code = belfry_text.absent
    var message = belfry_text.absent
    var until: Instant?
    /// A text had no address, or was too long.
    var isNonsense = false
    /// It was too long.
    var isTooLong = false

    /// Why it does not go with a verdict at that instant; nil if it does.
    func fault(of verdict: belfry_verdict, at now: Instant) -> Fault? {
        if isNonsense { return nonsense }
        switch verdict {
        case BELFRY_ABSTAIN, BELFRY_ALLOW: return nil
        case BELFRY_DENY: return until.flatMap { past($0, "denied", now) }
        case BELFRY_DEFER:
            guard let until else {
                return Fault(cause: .nonsense, message: "it deferred without saying until when")
            }
            // A timer that is due at once would fire for ever.
            return past(until, "deferred", now)
        case BELFRY_COLLECT:
            guard let until else {
                return Fault(cause: .nonsense, message: "it collected without saying until when")
            }
            // Now is when it is full.
            return until < now ? past(until, "collected", now) : nil
        case BELFRY_WITHHOLD: return until.flatMap { past($0, "withheld", now) }
        case BELFRY_FAULT:
            return Fault(cause: .error, message: (message.string ?? "").orWordlessFailure)
        default: return Fault(cause: .nonsense, message: "it answered with the unknown verdict \(verdict)")
        }
    }

    private var nonsense: Fault {
        let what = isTooLong ? "of more than \(ReasonCollector.longestText) bytes" : "that makes no sense"
        return Fault(cause: .nonsense, message: "it gave a reason with a text \(what)")
    }

    /// Leaves out an `until` beyond all that can be written: at the last instant the answer would still be no. What cannot be without
    /// one has that instant.
    mutating func boundUntil(of verdict: belfry_verdict) {
        let last = Instant.writable.upperBound
        guard let until, until > last else { return }
        self.until = verdict == BELFRY_DEFER || verdict == BELFRY_COLLECT ? last : nil
    }

    private func past(_ until: Instant, _ verb: String, _ now: Instant) -> Fault? {
        guard until <= now else { return nil }
        return Fault(cause: .nonsense, message: "it \(verb) until \(until), which is not later than \(now)")
    }
}

/// Takes the reason of a verdict from a plugin.
package final class ReasonCollector {
    private let reason: UnsafeMutablePointer<belfry_reason>
    private let content: UnsafeMutablePointer<Content>
    /// What was said where the caller gave no place for it.
    private let own: UnsafeMutablePointer<Said>
    private let arena = Arena()

    /// Plain bytes, so that taking a reason counts no references.
    private struct Content {
        var said: UnsafeMutablePointer<Said>
        var texts: Lent<Arena>
    }

    /// So many bytes may a text have.
    fileprivate static let longestText: UInt64 = 64 << 10

    package init() {
        own = .allocate(capacity: 1)
        own.initialize(to: Said())
        content = .allocate(capacity: 1)
        content.initialize(to: Content(said: own, texts: Lent(arena)))
        reason = .allocate(capacity: 1)
        reason.initialize(
            to: belfry_reason(
                owner: content,
                explain: { owner, code, message in
                    guard let content = owner?.assumingMemoryBound(to: Content.self) else { return }
                    let (code, message) = (code?.pointee ?? .absent, message?.pointee ?? .absent)
                    let said = content.pointee.said
                    let isTooLong = max(code.length, message.length) > ReasonCollector.longestText
                    guard !isTooLong, code.bytes != nil || code.length == 0, message.bytes != nil || message.length == 0
                    else {
                        said.pointee.isTooLong = isTooLong
                        return said.pointee.isNonsense = true
                    }
                    content.pointee.texts.with { texts in
                        said.pointee.code = texts.text(copying: code)
                        said.pointee.message = texts.text(copying: message)
                    }
                },
                until: { owner, instant in
                    // What is too late to be written is the verdict's affair, which comes after the reason.
                    owner?.assumingMemoryBound(to: Content.self).pointee.said.pointee.until =
                        max(Instant(milliseconds: instant), Instant.writable.lowerBound)
                }))
    }

    deinit {
        reason.deallocate()
        content.deallocate()
        own.deallocate()
    }

    /// An empty reason for the next call, whose texts last until the one after it.
    package func begin() -> UnsafePointer<belfry_reason> {
        arena.reset()
        texts = Lent(arena)
        own.pointee = Said()
        return begin(into: own)
    }

    /// Where texts go.
    var texts: Lent<Arena> {
        get { content.pointee.texts }
        set { content.pointee.texts = newValue }
    }

    /// A reason that is said into an empty place.
    @inline(__always)
    func begin(into said: UnsafeMutablePointer<Said>) -> UnsafePointer<belfry_reason> {
        content.pointee.said = said
        return UnsafePointer(reason)
    }

    /// The verdict that a question answered with, with the reason it gave.
    package func verdict(_ verdict: belfry_verdict, at now: Instant = .distantPast) -> Verdict {
        var said = own.pointee
        said.boundUntil(of: verdict)
        if let fault = said.fault(of: verdict, at: now) { return .fault(fault.message) }
        let reason = Reason(code: said.code.string, message: said.message.string ?? "", until: said.until)
        return switch verdict {
        case BELFRY_ABSTAIN: .abstain
        case BELFRY_ALLOW: .allow
        case BELFRY_DENY: .deny(reason)
        case BELFRY_COLLECT: .collect(reason)
        case BELFRY_WITHHOLD: .withhold(reason)
        default: .defer(reason)
        }
    }
}

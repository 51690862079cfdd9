import BelfryModel
import CBelfry

/// What a plugin said besides its verdict. Its texts are lent by an arena.
package struct Said {
    /// Absent: the name of the strategy.
    var code = belfry_text.absent
    var message = belfry_text.absent
    var until: Instant?

    /// Why it goes with no verdict at that instant, a part of a sentence; nil if it does.
    func fault(of verdict: belfry_verdict, at now: Instant) -> String? {
        switch verdict {
        case BELFRY_ABSTAIN, BELFRY_ALLOW, BELFRY_DENY: nil
        case BELFRY_DEFER:
            // A timer that is due at once would fire for ever.
            if let until {
                until <= now ? "it deferred until \(until), which is not later than \(now)" : nil
            } else {
                "it deferred without saying until when"
            }
        case BELFRY_FAULT: message.length == 0 ? "it failed without a word" : message.string
        default: "it answered with the unknown verdict \(verdict)"
        }
    }
}

/// Takes the reason of a verdict from a plugin.
package final class ReasonDrain {
    private let reason: UnsafeMutablePointer<belfry_reason>
    private let content: UnsafeMutablePointer<Content>
    /// What was said to somebody who has no place for it.
    private let own: UnsafeMutablePointer<Said>
    private let arena: Arena

    /// Plain bytes, so that taking a reason counts no references.
    private struct Content {
        var said: UnsafeMutablePointer<Said>
        var texts: Unmanaged<Arena>
    }

    package convenience init() { self.init(Arena()) }

    /// - Parameter arena: where texts go; they last until it is reset.
    init(_ arena: Arena) {
        self.arena = arena
        own = .allocate(capacity: 1)
        own.initialize(to: Said())
        content = .allocate(capacity: 1)
        content.initialize(to: Content(said: own, texts: .passUnretained(arena)))
        reason = .allocate(capacity: 1)
        reason.initialize(
            to: belfry_reason(
                owner: content,
                explain: { owner, code, message in
                    let content = owner!.assumingMemoryBound(to: Content.self)
                    let said = content.pointee.said
                    content.pointee.texts._withUnsafeGuaranteedRef { texts in
                        said.pointee.code = texts.text(copying: code?.pointee ?? .absent)
                        said.pointee.message = texts.text(copying: message?.pointee ?? .absent)
                    }
                },
                until: { owner, instant in
                    // Beyond what can be written there is nothing to wait for.
                    let writable = Instant.writable
                    let instant = Instant(milliseconds: instant)
                    owner!.assumingMemoryBound(to: Content.self).pointee.said.pointee.until =
                        min(max(instant, writable.lowerBound), writable.upperBound)
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
        own.pointee = Said()
        return begin(into: own)
    }

    /// Where texts go.
    var texts: Unmanaged<Arena> {
        get { content.pointee.texts }
        set { content.pointee.texts = newValue }
    }

    /// A reason that is said into an empty place.
    @inline(__always)
    func begin(into said: UnsafeMutablePointer<Said>) -> UnsafePointer<belfry_reason> {
        content.pointee.said = said
        return UnsafePointer(reason)
    }

    private var said: Said { own.pointee }

    /// The verdict that a check returned, with the reason it gave.
    package func verdict(_ verdict: belfry_verdict) -> Verdict {
        let reason = Reason(code: said.code.string, message: said.message.string ?? "", until: said.until)
        if let fault = said.fault(of: verdict, at: .distantPast) { return .fault(fault) }
        return switch verdict {
        case BELFRY_ABSTAIN: .abstain
        case BELFRY_ALLOW: .allow
        case BELFRY_DENY: .deny(reason)
        default: .defer(reason)
        }
    }
}

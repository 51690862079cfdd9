import BelfryModel
import Synchronization

/// Lines that several lanes decide at once, and what each lane tells the others about them.
final class LineGroup: @unchecked Sendable {
    // Unchecked: before each barrier a place is written by one thread, after it all read it; verdicts are atomic.

    /// A line, valid while the group is worked on.
    struct Line {
        let content: LineReader.Line
        let number: Int
        /// Where it ends in the input.
        let end: Int
    }

    enum Decoded {
        /// A blank line.
        case nothing
        case signal(Signal)
        case reject(SignalReject)
    }

    /// What every lane has to know of a line: plain bytes, since to look at a signal would be to copy it.
    struct Head {
        enum Kind {
            case nothing, signal, reject
            /// Time passes, for everybody.
            case clock
        }

        fileprivate(set) var kind = Kind.nothing
        fileprivate(set) var lane: Int32 = 0
        fileprivate(set) var time = Instant.distantPast
        /// Of the subject.
        fileprivate(set) var hash: UInt64 = 0
    }

    /// What the lane of a signal says of it.
    enum Verdict: UInt8 {
        case unknown, refused, admitted
    }

    let lines: [Line]
    private let heads: UnsafeMutableBufferPointer<Head>
    /// Those that were decoded and not taken yet.
    private let signals: UnsafeMutableBufferPointer<Signal?>
    private let rejects: UnsafeMutableBufferPointer<SignalReject?>
    private let verdicts: UnsafeMutableBufferPointer<Atomic<UInt8>>
    /// How many lines somebody has begun to decode.
    private let begun = Atomic(0)

    init(_ lines: [Line]) {
        self.lines = lines
        heads = .allocate(capacity: lines.count)
        heads.initialize(repeating: Head())
        signals = .allocate(capacity: lines.count)
        signals.initialize(repeating: nil)
        rejects = .allocate(capacity: lines.count)
        rejects.initialize(repeating: nil)
        verdicts = .allocate(capacity: lines.count)
        for place in 0..<lines.count { (verdicts.baseAddress! + place).initialize(to: Atomic(0)) }
    }

    deinit {
        heads.deallocate()
        signals.deinitialize()
        signals.deallocate()
        rejects.deinitialize()
        rejects.deallocate()
        verdicts.deallocate()
    }

    subscript(place: Int) -> Head { heads[place] }

    /// So many lines are begun at once.
    private static let share = 16

    /// Decodes a few of the lines that nobody else has begun, for so many lanes.
    ///
    /// - Returns: false if there are none left.
    func decodeShare(with decoder: SignalDecoder, lanes: Int) -> Bool {
        let start = begun.add(Self.share, ordering: .relaxed).oldValue
        guard start < lines.count else { return false }
        for place in start..<min(start + Self.share, lines.count) { decode(place, with: decoder, lanes: lanes) }
        return true
    }

    private func decode(_ place: Int, with decoder: SignalDecoder, lanes: Int) {
        switch decoder.decode(lines[place]) {
        case .nothing: break
        case .reject(let reject):
            heads[place].kind = .reject
            rejects[place] = reject
        case .signal(let signal):
            heads[place] = Head(
                kind: signal.isClock ? .clock : .signal,
                lane: Int32(Lanes.lane(of: signal.subject, among: lanes)), time: signal.time,
                hash: signal.subject.textHash)
            signals[place] = signal
        }
    }

    /// Of the subjects of a lane, in the order of lines.
    func hashes(of lane: Int) -> some Sequence<UInt64> {
        heads.lazy.filter { $0.kind == .signal && $0.lane == lane }.map(\.hash)
    }

    /// The subjects of a lane that have these hashes.
    func subjects(of lane: Int, withHashes hashes: Set<UInt64>) -> [String] {
        var rest = hashes
        return heads.indices.compactMap { place in
            let head = heads[place]
            guard head.kind == .signal, head.lane == lane, rest.remove(head.hash) != nil else { return nil }
            return signals[place]?.subject
        }
    }

    /// Hands over the signal of a line, once, to its lane.
    func takeSignal(_ place: Int) -> Signal { signals[place].take()! }

    /// Why a line is not processed; nil if it is.
    func reject(of place: Int) -> SignalReject? { rejects[place] }

    /// For the lane of the signal.
    func refuse(_ place: Int, _ reject: SignalReject?) {
        rejects[place] = reject
        set(.refused, on: place)
    }

    func verdict(on place: Int) -> Verdict { Verdict(rawValue: verdicts[place].load(ordering: .acquiring))! }

    func set(_ verdict: Verdict, on place: Int) { verdicts[place].store(verdict.rawValue, ordering: .releasing) }

    /// The last time that a line names; nil without any.
    var latest: Instant? { heads.lazy.filter { $0.kind == .signal || $0.kind == .clock }.map(\.time).max() }
}

extension Signal {
    fileprivate var isClock: Bool { if case .clockAdvanced = event { true } else { false } }
}

extension SignalDecoder {
    /// What is to be decided of a line.
    func decode(_ line: LineGroup.Line) -> LineGroup.Decoded {
        switch line.content {
        case .tooLong: return .reject(.tooLong)
        case .line:
            guard !line.text.isBlank else { return .nothing }
            do throws(SignalReject) {
                return .signal(try decode(line.text, line: line.number))
            } catch {
                return .reject(error)
            }
        }
    }
}

extension LineGroup.Line {
    /// The line, or its beginning if it is too long, without the mark that a file may begin with.
    var text: UnsafeBufferPointer<UInt8> {
        switch content {
        case .line(let bytes), .tooLong(let bytes): number == 1 ? bytes.withoutByteOrderMark : bytes
        }
    }
}

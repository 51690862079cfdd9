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
        case signal(Signal, lane: Int)
        case reject(SignalReject)
    }

    /// What the lane of a signal says of it.
    enum Verdict: UInt8 {
        case unknown, refused, admitted
    }

    let lines: [Line]
    private let decoded: UnsafeMutableBufferPointer<Decoded>
    private let refusals: UnsafeMutableBufferPointer<SignalReject?>
    private let verdicts: UnsafeMutableBufferPointer<Atomic<UInt8>>

    init(_ lines: [Line]) {
        self.lines = lines
        decoded = .allocate(capacity: lines.count)
        decoded.initialize(repeating: .nothing)
        refusals = .allocate(capacity: lines.count)
        refusals.initialize(repeating: nil)
        verdicts = .allocate(capacity: lines.count)
        for place in 0..<lines.count { (verdicts.baseAddress! + place).initialize(to: Atomic(0)) }
    }

    deinit {
        decoded.deinitialize()
        decoded.deallocate()
        refusals.deinitialize()
        refusals.deallocate()
        verdicts.deallocate()
    }

    subscript(place: Int) -> Decoded {
        get { decoded[place] }
        set { decoded[place] = newValue }
    }

    /// Why a line is not processed; nil if it is.
    func reject(of place: Int) -> SignalReject? {
        if case .reject(let reject) = decoded[place] { reject } else { refusals[place] }
    }

    /// For the lane of the signal.
    func refuse(_ place: Int, _ reject: SignalReject?) {
        refusals[place] = reject
        set(.refused, on: place)
    }

    func verdict(on place: Int) -> Verdict { Verdict(rawValue: verdicts[place].load(ordering: .acquiring))! }

    func set(_ verdict: Verdict, on place: Int) { verdicts[place].store(verdict.rawValue, ordering: .releasing) }

    /// The last time that a line names; nil without any.
    var latest: Instant? {
        decoded.lazy.compactMap { if case .signal(let signal, _) = $0 { signal.time } else { nil } }.max()
    }
}

extension SignalDecoder {
    /// What is to be decided of a line.
    func decode(_ line: LineGroup.Line, lanes: Int) -> LineGroup.Decoded {
        switch line.content {
        case .tooLong: return .reject(.tooLong)
        case .line:
            guard !line.text.isBlank else { return .nothing }
            do throws(SignalReject) {
                let signal = try decode(line.text, line: line.number)
                return .signal(signal, lane: Lanes.lane(of: signal.subject, among: lanes))
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

import BelfryCore
import BelfryEngine
import BelfryModel
import CBelfryCore

/// BELFRY_CORE_NEVER, which is a macro that Swift does not see.
let never = Int64.min

extension Core {
    /// The core behind a handle, which is there as long as it is not closed.
    static func at(_ handle: OpaquePointer?) -> Core? {
        handle.map { Unmanaged<Core>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    func decide(_ work: belfry_core_work) -> CoreAnswer {
        guard let subject = work.subject.text else { return CoreAnswer(error: "'subject' is missing, or no UTF-8") }
        return decide(
            subject: subject, record: work.record.buffer, signals: work.signals.buffer,
            passed: Instant(milliseconds: work.passed),
            until: work.until == never ? nil : Instant(milliseconds: work.until))
    }

    func explain(_ question: belfry_core_question) throws -> Explanation {
        try explain(
            Explanation.Question(
                campaign: question.campaign.text ?? "", trigger: question.trigger.text, region: question.region.text,
                channel: question.channel.text, time: Instant(milliseconds: question.at)),
            subject: question.subject.text ?? "", record: question.record.buffer)
    }
}

extension CoreAnswer {
    /// Lends it as C has it.
    func withAnswer(_ body: (UnsafePointer<belfry_core_answer>) -> Void) {
        var answer = belfry_core_answer()
        answer.status = error == nil ? BELFRY_CORE_OK : BELFRY_CORE_FAILED
        answer.next_timer = nextTimer?.milliseconds ?? never
        Array((error ?? "").utf8).lend { error in
            answer.error = error
            record.lend { record in
                answer.record = record
                decisions.lend { decisions in
                    answer.decisions = decisions
                    rejects.lend { rejects in
                        answer.rejects = rejects
                        withUnsafePointer(to: answer, body)
                    }
                }
            }
        }
    }
}

extension [UInt8] {
    fileprivate func lend(_ body: (belfry_core_bytes) -> Void) {
        withUnsafeBytes { body(belfry_core_bytes(bytes: $0.baseAddress, length: UInt64($0.count))) }
    }
}

extension belfry_core_bytes {
    var buffer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(clamping: length))
    }

    /// Nil if there is none, or it is no UTF-8.
    var text: String? { buffer.isEmpty ? nil : String(validating: buffer, as: UTF8.self) }
}

extension UnsafePointer<belfry_core_sink>? {
    func write(_ text: String) {
        guard let sink = self?.pointee, let write = sink.write else { return }
        var text = text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { write(sink.owner, $0.baseAddress, UInt64($0.count)) }
        }
    }

    func write(_ bytes: [UInt8]) {
        guard let sink = self?.pointee, let write = sink.write else { return }
        bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { write(sink.owner, $0.baseAddress, UInt64($0.count)) }
        }
    }
}

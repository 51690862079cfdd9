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
        if let fault = work.fault { return CoreAnswer(error: fault) }
        guard let subject = work.subject.text else { return CoreAnswer(error: "'subject' is missing, or no UTF-8") }
        return decide(
            subject: subject, record: work.record.buffer, signals: work.signals.buffer,
            passed: Instant(milliseconds: work.passed),
            until: work.until == never ? nil : Instant(milliseconds: work.until))
    }

    func explain(_ question: belfry_core_question) throws -> Explanation {
        let time = Instant(milliseconds: question.at)
        guard question.at == never || time.isWritable else {
            throw SenselessQuestion(description: "'at' is no time between the years 0 and 9999")
        }
        if let fault = question.record.fault("record") { throw SenselessQuestion(description: fault) }
        return try explain(
            Explanation.Question(
                campaign: try question.campaign.text("campaign") ?? "", trigger: try question.trigger.text("trigger"),
                region: try question.region.text("region"), channel: try question.channel.text("channel"), time: time),
            subject: try question.subject.required("subject"), record: question.record.buffer)
    }
}

/// A question that is not what belfry_core.h asks for.
private struct SenselessQuestion: Error, CustomStringConvertible {
    let description: String
}

extension belfry_core_bytes {
    /// Nil if it is empty.
    fileprivate func text(_ name: String) throws -> String? {
        if let fault = fault(name) { throw SenselessQuestion(description: fault) }
        if buffer.isEmpty { return nil }
        guard let text else { throw SenselessQuestion(description: "'\(name)' is no UTF-8") }
        return text
    }

    fileprivate func required(_ name: String) throws -> String {
        guard let text = try text(name) else { throw SenselessQuestion(description: "'\(name)' is missing") }
        return text
    }
}

extension belfry_core_work {
    /// Why nothing can be decided; nil if its bytes are where they should be.
    var fault: String? { subject.fault("subject") ?? record.fault("record") ?? signals.fault("signals") }
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

    /// What is wrong with it as a parameter of that name: a record without an address is not one of a new subject.
    func fault(_ name: String) -> String? {
        bytes == nil && length > 0
            ? "'\(name)' has a length and no address\n  fix: pass its bytes, or none with the length 0" : nil
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

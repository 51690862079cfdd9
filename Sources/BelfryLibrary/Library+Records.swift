import BelfryCore
import BelfryEngine
import BelfryModel
import CBelfryCore

// What belfry_core.h has for those who own the records.

@c @implementation
public func belfry_core_describe(
    _ core: OpaquePointer?, _ subject: belfry_core_bytes, _ record: belfry_core_bytes,
    _ description: UnsafePointer<belfry_core_sink>?, _ error: UnsafePointer<belfry_core_sink>?
) -> Int32 {
    withRecord(core, subject, record, error) { _, record in description.write(record.value.json) }
}

@c @implementation
public func belfry_core_erase(
    _ core: OpaquePointer?, _ subject: belfry_core_bytes, _ record: belfry_core_bytes,
    _ remains: UnsafePointer<belfry_core_sink>?, _ error: UnsafePointer<belfry_core_sink>?
) -> Int32 {
    withRecord(core, subject, record, error) { core, record in
        remains.write(core.bytes(of: SubjectRecord(subject: record.subject, lastDecision: record.decisions)))
    }
}

@c @implementation
public func belfry_core_provenance(_ core: OpaquePointer?, _ provenance: UnsafePointer<belfry_core_sink>?) {
    guard let core = Core.at(core) else { return }
    provenance.write((core.provenance?.value ?? .map([:])).json)
}

private func withRecord(
    _ core: OpaquePointer?, _ subject: belfry_core_bytes, _ record: belfry_core_bytes,
    _ refusal: UnsafePointer<belfry_core_sink>?, _ body: (Core, borrowing SubjectRecord) -> Void
) -> Int32 {
    guard let core = Core.at(core), let name = subject.text else {
        refusal.write("'subject' is missing, or no UTF-8")
        return BELFRY_CORE_FAILED
    }
    do throws(RecordFailure) {
        body(core, try core.record(of: name, Array(record.buffer)))
        return BELFRY_CORE_OK
    } catch {
        refusal.write(error.description)
        return BELFRY_CORE_FAILED
    }
}

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
    withRecord(core, subject, record, error) { record in description.write(record.value.json) }
}

@c @implementation
public func belfry_core_erase(
    _ core: OpaquePointer?, _ subject: belfry_core_bytes, _ record: belfry_core_bytes,
    _ remains: UnsafePointer<belfry_core_sink>?, _ error: UnsafePointer<belfry_core_sink>?
) -> Int32 {
    withRecord(core, subject, record, error) { record in
        remains.write(SubjectRecord(subject: record.subject, lastDecision: record.decisions).stored())
    }
}

@c @implementation
public func belfry_core_remains(
    _ core: OpaquePointer?, _ subject: belfry_core_bytes, _ lastDecision: UInt64,
    _ remains: UnsafePointer<belfry_core_sink>?, _ error: UnsafePointer<belfry_core_sink>?
) -> Int32 {
    // A record with a number beyond could not be read again.
    guard lastDecision < 1 << 62 else {
        error.write("'last_decision' is 2^62 or more\n  fix: pass the number of a decision that was made")
        return BELFRY_CORE_FAILED
    }
    return withRecord(core, subject, belfry_core_bytes(), error) { record in
        remains.write(SubjectRecord(subject: record.subject, lastDecision: lastDecision).stored())
    }
}

@c @implementation
public func belfry_core_provenance(_ core: OpaquePointer?, _ provenance: UnsafePointer<belfry_core_sink>?) {
    guard let core = Core.at(core) else { return }
    provenance.write((core.provenance?.value ?? .map([:])).json)
}

/// Reads a record as it is stored, with the names that a record of a core leaves to it.
private func withRecord(
    _ core: OpaquePointer?, _ subject: belfry_core_bytes, _ record: belfry_core_bytes,
    _ refusal: UnsafePointer<belfry_core_sink>?, _ body: (borrowing SubjectRecord) -> Void
) -> Int32 {
    func refuse(_ why: String) -> Int32 {
        refusal.write(why)
        return BELFRY_CORE_FAILED
    }
    if core == nil { return refuse("'core' is missing\n  fix: pass what belfry_core_open gave") }
    if let fault = subject.fault("subject") ?? record.fault("record") { return refuse(fault) }
    guard let name = subject.text else { return refuse("'subject' is missing, or no UTF-8") }
    if record.buffer.isEmpty {
        body(SubjectRecord(subject: name))
        return BELFRY_CORE_OK
    }
    do throws(RecordFailure) {
        body(try SubjectRecord(of: name, Array(record.buffer), isStored: false))
        return BELFRY_CORE_OK
    } catch {
        return refuse("\(error)")
    }
}

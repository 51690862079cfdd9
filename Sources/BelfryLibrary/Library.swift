import BelfryCore
import BelfryEngine
import BelfryModel
import CBelfryCore
import CLinux

// The functions of belfry_core.h.

@c @implementation
public func belfry_core_open(
    _ options: UnsafePointer<belfry_core_options>?, _ error: UnsafePointer<belfry_core_sink>?
) -> OpaquePointer? {
    guard let options = options?.pointee, let path = options.configuration else {
        error.write(
            "no configuration is named\n  why: 'configuration' is NULL\n  fix: set it to the path of a configuration")
        return nil
    }
    let log = CoreLog(options.log)
    do {
        let core = try Core(
            configuration: String(cString: path),
            executable: options.belfry.map { String(cString: $0) } ?? besideLibrary
        ) { log.write($0.text) }
        let handle = OpaquePointer(Unmanaged.passRetained(core).toOpaque())
        log.belongs(to: handle)
        return handle
    } catch let failure {
        log.close()
        error.write("\(failure)")
        return nil
    }
}

@c @implementation
public func belfry_core_close(_ core: OpaquePointer?) {
    guard let core else { return }
    // Before another core may have its address.
    let log = CoreLog.of(core)
    Unmanaged<Core>.fromOpaque(UnsafeRawPointer(core)).release()
    log?.close()
}

@c @implementation
public func belfry_core_decide(
    _ core: OpaquePointer?, _ work: UnsafePointer<belfry_core_work>?, _ count: UInt64,
    _ owner: UnsafeMutableRawPointer?,
    _ answer: (@convention(c) (UnsafeMutableRawPointer?, UInt64, UnsafePointer<belfry_core_answer>?) -> Void)?
) {
    guard let answer else { return }
    let core = Core.at(core)
    for index in 0..<Int(clamping: count) {
        let decided = core.flatMap { core in work.map { core.decide($0[index]) } }
        (decided ?? CoreAnswer(error: "'core' or 'work' is missing\n  fix: pass both")).withAnswer {
            answer(owner, UInt64(index), $0)
        }
    }
}

@c @implementation
public func belfry_core_explain(
    _ core: OpaquePointer?, _ question: UnsafePointer<belfry_core_question>?,
    _ explanation: UnsafePointer<belfry_core_sink>?, _ error: UnsafePointer<belfry_core_sink>?
) -> Int32 {
    guard let core = Core.at(core), let question else {
        error.write("nothing is explained\n  why: 'core' or 'question' is NULL\n  fix: pass both")
        return BELFRY_CORE_FAILED
    }
    do {
        explanation.write(try core.explain(question.pointee).value.json)
        return BELFRY_CORE_OK
    } catch let failure {
        error.write("\(failure)")
        return BELFRY_CORE_FAILED
    }
}

/// The command beside this library.
private var besideLibrary: String {
    guard let file = belfry_image_path() else { return "belfry" }
    let folder = String(cString: file).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return (folder + ["belfry"]).joined(separator: "/")
}

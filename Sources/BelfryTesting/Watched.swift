/// An instance of what is watched, and what watches it.
///
/// C functions cannot capture: those of a table find what watches through the `type` or the instance they are given.
struct Watched<Watch: AnyObject> {
    private let watch: Unmanaged<Watch>
    let instance: UnsafeMutableRawPointer

    var watched: Watch { watch.takeUnretainedValue() }

    static func make(_ watch: Watch, _ instance: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        let address = UnsafeMutablePointer<Watched>.allocate(capacity: 1)
        address.initialize(to: Watched(watch: .passUnretained(watch), instance: instance))
        return UnsafeMutableRawPointer(address)
    }

    static func at(_ address: UnsafeMutableRawPointer?) -> Watched {
        address!.assumingMemoryBound(to: Watched.self).pointee  // an instance is never null
    }

    static func watch(of type: UnsafeMutableRawPointer?) -> Watch {
        Unmanaged.fromOpaque(type!).takeUnretainedValue()  // the table's own `type`
    }
}

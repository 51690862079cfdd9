import BelfryEngine
import BelfryModel
import CBelfry

/// Takes what a handler has to say.
final class ResultDrain {
    private(set) var result: Value?
    /// One sentence.
    private(set) var error: String?

    func withResult<Result>(_ body: (UnsafePointer<belfry_action_result>) -> Result) -> Result {
        var result = belfry_action_result(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            set: { owner, value in ResultDrain.of(owner).take(value) },
            fail: { owner, message, length in
                ResultDrain.of(owner).error = belfry_text(bytes: message, length: length).string ?? .wordlessFailure
            })
        return withExtendedLifetime(self) { body(&result) }
    }

    private func take(_ value: UnsafePointer<belfry_value>?) {
        if let nonsense = value?.pointee.nonsense {
            error = error ?? "it gave a result with \(nonsense)"
        } else {
            result = value.map { Value($0.pointee) }
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> ResultDrain {
        Unmanaged.fromOpaque(owner!).takeUnretainedValue()
    }
}

import BelfryHandlers
import BelfryEngine
import BelfryModel
import BelfryPlugin
import CBelfry

/// Calls the handlers of an action provider, as the host does when a notification is opened.
///
/// ```swift
/// #expect(ActionTest(Actions.self).perform(["type": "dial", "value": 112]) == .done(["dialled": "112"]))
/// ```
public struct ActionTest {
    private let handlers: [belfry_action]

    /// Tests a provider as a Swift type.
    public init(_ provider: any ActionProvider.Type) {
        handlers = provider.actions.map(actionTable).map(\.pointee)
    }

    /// Tests what a loaded plugin provides.
    ///
    /// - Parameter tables: constant and valid until the process ends.
    public init(tables: [UnsafePointer<belfry_action>]) {
        handlers = tables.map(\.pointee)
    }

    public enum Outcome: Sendable, Hashable {
        /// With what the handler returned, if anything.
        case done(Value?)
        /// One sentence.
        case failed(String)
        /// The provider has no such type.
        case unknown
    }

    /// The types that are provided, in their order.
    public var types: [String] { handlers.compactMap(\.type.string) }

    /// Performs an action.
    ///
    /// - Parameters:
    ///   - action: a mapping with `type`, as in the configuration.
    ///   - payload: the notification, a mapping as in `notification.created`.
    public func perform(_ action: Value, payload: Value = [:]) -> Outcome {
        let action = action.map ?? Fields()
        // The last registration of a type wins.
        guard let handler = handlers.last(where: { $0.type.string == action["type"]?.text }) else { return .unknown }
        do throws(ActionSignature.Malformed) {
            let answer = try NativeHandler(handler).call(
                action: action, payload: payload.map ?? Fields(), in: CallMemory())
            return answer.error.map { .failed($0) } ?? .done(answer.result)
        } catch {
            return .failed(
                "the host would refuse this plugin: \(error.sentence(about: handler.signature.string ?? ""))")
        }
    }
}

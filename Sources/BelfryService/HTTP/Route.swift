import HTTPTypes
import Hummingbird

/// What is done for a method at a path.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> Response

    let method: HTTPRequest.Method
    /// The path as it was given.
    let name: String
    /// Nil: any text, which is a parameter.
    let path: [String?]
    /// The role that the caller must have; nil: none.
    let role: Role?
    let handler: Handler

    /// - Parameter path: `*` stands for any text.
    init(_ method: HTTPRequest.Method, _ path: String, _ role: Role?, _ handler: @escaping Handler) {
        (self.method, name) = (method, path)
        self.path = path.split(separator: "/").map { $0 == "*" ? nil : String($0) }
        (self.role, self.handler) = (role, handler)
    }

    /// The parameters, if the path is the route's.
    func match(_ segments: [String]) -> [String]? {
        guard segments.count == path.count else { return nil }
        var parameters: [String] = []
        for (segment, wanted) in zip(segments, path) {
            if let wanted {
                if segment != wanted { return nil }
            } else {
                parameters.append(segment)
            }
        }
        return parameters
    }
}

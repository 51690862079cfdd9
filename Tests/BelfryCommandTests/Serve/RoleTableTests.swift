import Foundation
import Testing

/// Every operation of `/openapi.yaml`, asked by callers of every role.
@Suite struct RoleTableTests {
    private static let configuration = """
        app: shop
        store: sqlite:belfry.db
        serve: { tokens: tokens.yaml }
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: request } ] }
        """

    /// Which operations a role may do, by the role that they ask for.
    private static let mayDo: [String: Set<String>] = [
        "submit": ["submit"], "read": ["read"], "operate": ["read", "operate"],
        "admin": ["submit", "read", "operate", "admin"],
    ]

    @Test func `a caller may do what the role of the token says, and nothing else`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let tokens = try Self.mayDo.keys.sorted().map { role in
            (role: role, token: try place.belfry("tokens", "new", "a-\(role)", "--role", role).lines[0])
        }
        let service = try LiveService(in: place, token: tokens[0].token)
        let operations = try Operation.all(of: service)
        #expect(operations.count > 30 && Set(operations.compactMap(\.role)).count == 4)
        for operation in operations {
            for (role, token) in tokens + [(role: "", token: ""), (role: "", token: "made-up")] {
                let status = try operation.status(token: token)
                let what = "\(operation.method) \(operation.path) by '\(role)' gives \(status)"
                switch operation.role {
                case nil: #expect(![401, 403].contains(status), "\(what)")
                case _? where role.isEmpty: #expect(status == 401, "\(what)")
                case let wanted?:
                    let mayDo = Self.mayDo[role]!.contains(wanted)
                    #expect(mayDo ? ![401, 403, 405].contains(status) : status == 403, "\(what)")
                }
            }
        }
        #expect(service.stop() == 0)
    }
}

private struct Operation {
    let method: String
    let path: String
    let role: String?
    let port: UInt16

    /// As the description has them: a path with two spaces before it, methods with four, what is said of them with six.
    static func all(of service: LiveService) throws -> [Operation] {
        let ports = try [service.api, service.management].map {
            try #require($0.split(separator: ":").last.flatMap { UInt16($0) })
        }
        let description = try PlainClient(port: ports[0], token: "").ask("GET", "/openapi.yaml").text
        var operations: [Operation] = []
        var (path, isManagement, method): (String, Bool, String?) = ("", false, nil)
        var role: String?
        func end() {
            guard let known = method else { return }
            let asked = path.replacing(/\{[a-z]+\}/, with: "nothing")
            let port = ports[isManagement ? 1 : 0]
            operations.append(Operation(method: known.uppercased(), path: asked, role: role, port: port))
            (method, role) = (nil, nil)
        }
        for line in description.split(separator: "\n").drop(while: { $0 != "paths:" }).dropFirst() {
            if !line.hasPrefix(" ") { break }
            if let found = line.wholeMatch(of: #/  (/.*):/#) {
                end()
                (path, isManagement) = (String(found.1), false)
            } else if line.hasPrefix("    servers:") {
                isManagement = true
            } else if let found = line.wholeMatch(of: #/    (get|post|put|patch|delete):/#) {
                end()
                method = String(found.1)
            } else if let found = line.wholeMatch(of: #/      x-role: (.*)/#) {
                role = String(found.1)
            }
        }
        end()
        return operations
    }

    /// The head is enough: a stream has no end.
    func status(token: String) throws -> Int {
        try PlainClient(port: port, token: token).status(
            method, path, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
    }
}

/// Who may sign: the file `allowed_signers` of OpenSSH (ssh-keygen(1), ALLOWED SIGNERS).
///
/// A principal is a pattern of plugin ids. Keys of other algorithms than Ed25519, and authorities, are passed over.
public struct AllowedSigners: Sendable, Hashable {
    /// One line with a key.
    public struct Line: Sendable, Hashable {
        /// From 1.
        public let number: Int
        let principals: PatternList
        /// Nil for a line that is passed over.
        public let key: SSHPublicKey?
        /// Why it is passed over.
        public let passedOver: String?
        let namespaces: PatternList?
        /// Seconds since 1970.
        public let validAfter: Int64?
        public let validBefore: Int64?
        public let comment: String

        public var principalText: String { principals.description }
        public var namespaceText: String? { namespaces?.description }
        /// The comment, else the fingerprint.
        public var name: String { comment.isEmpty ? key?.fingerprint ?? "" : comment }
    }

    /// One thing that is wrong with the file.
    public struct Problem: Error, Sendable, Hashable {
        public let line: Int
        public let found: String
        public let expected: String
    }

    public private(set) var lines: [Line] = []
    public private(set) var problems: [Problem] = []

    public init(_ text: String) {
        for (index, line) in AllowedSignersText.lines(of: text).enumerated() {
            do throws(Problem) {
                if let line = try AllowedSignerReader(line, number: index + 1).read() { lines.append(line) }
            } catch {
                problems.append(error)
            }
        }
    }

    /// Why a key may not sign for a plugin.
    enum Objection: Error, Equatable {
        case unknownKey
        /// Those that it may sign for.
        case otherPrincipal([String])
        case otherNamespace(String)
        case notYetValid(since: Int64)
        case expired(at: Int64)
    }

    /// The name of the signer.
    ///
    /// - Parameters:
    ///   - wanted: the name to give if the key has several.
    ///   - time: in seconds since 1970.
    func signer(
        with key: SSHPublicKey, for id: String, named wanted: String? = nil, at time: Int64
    ) throws(Objection) -> String {
        let known = lines.filter { $0.key == key }
        guard !known.isEmpty else { throw .unknownKey }
        let named = known.filter { $0.principals.matches(id) }
        guard let first = named.first else { throw .otherPrincipal(known.map(\.principalText)) }
        let valid = named.filter { $0.objection(at: time) == nil }
        if let line = valid.first(where: { $0.name == wanted }) ?? valid.first { return line.name }
        throw first.objection(at: time) ?? .unknownKey
    }
}

extension AllowedSigners.Line {
    fileprivate func objection(at time: Int64) -> AllowedSigners.Objection? {
        if let namespaces, !namespaces.matches(SSHSignature.namespace) {
            return .otherNamespace(namespaces.description)
        }
        if let validAfter, time < validAfter { return .notYetValid(since: validAfter) }
        // As in OpenSSH, the last moment counts.
        if let validBefore, time > validBefore { return .expired(at: validBefore) }
        return nil
    }

    /// For listings: `valid`, or what stands against it.
    public func status(at time: Int64) -> String {
        if let passedOver { return passedOver }
        return switch objection(at: time) {
        case nil: "valid"
        case .notYetValid: "not yet valid"
        case .expired: "expired"
        default: "for another namespace"
        }
    }
}

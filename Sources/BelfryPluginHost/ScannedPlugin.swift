/// One file, or folder, that a catalog found: what it offers, or why it is refused.
public struct ScannedPlugin: Sendable {
    public let path: String
    /// The private copy that was scanned; nil if it is refused.
    package let copy: String?
    /// `sha256:…`; nil where it was not hashed.
    public let digest: String?
    /// Who has signed it; nil if that was not asked for.
    public let signer: String?
    /// Why it would not be loaded if trust were enforced.
    public let doubt: PluginRefusal?
    public let result: Result<PluginManifest, PluginRefusal>

    init(_ admitted: PluginAdmission.Admitted, _ manifest: PluginManifest) {
        (path, copy, digest) = (admitted.path, admitted.copy, "\(admitted.digest)")
        (signer, doubt, result) = (admitted.signer, admitted.doubt, .success(manifest))
    }

    init(path: String, refusal: PluginRefusal) {
        (self.path, copy, digest) = (path, nil, refusal.digest)
        (signer, doubt, result) = (nil, nil, .failure(refusal))
    }

    /// Nil if it is refused.
    public var manifest: PluginManifest? { try? result.get() }

    public var refusal: PluginRefusal? {
        if case .failure(let refusal) = result { refusal } else { nil }
    }
}

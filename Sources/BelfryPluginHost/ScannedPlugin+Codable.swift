extension ScannedPlugin: Codable {
    private enum Key: String, CodingKey { case path, copy, digest, signer, doubt, manifest, refusal }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        path = try values.decode(String.self, forKey: .path)
        copy = try values.decodeIfPresent(String.self, forKey: .copy)
        digest = try values.decodeIfPresent(String.self, forKey: .digest)
        signer = try values.decodeIfPresent(String.self, forKey: .signer)
        doubt = try values.decodeIfPresent(PluginRefusal.self, forKey: .doubt)
        let refusal = try values.decodeIfPresent(PluginRefusal.self, forKey: .refusal)
        result = try refusal.map { .failure($0) } ?? .success(values.decode(PluginManifest.self, forKey: .manifest))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(path, forKey: .path)
        try values.encodeIfPresent(copy, forKey: .copy)
        try values.encodeIfPresent(digest, forKey: .digest)
        try values.encodeIfPresent(signer, forKey: .signer)
        try values.encodeIfPresent(doubt, forKey: .doubt)
        try values.encodeIfPresent(manifest, forKey: .manifest)
        try values.encodeIfPresent(refusal, forKey: .refusal)
    }
}

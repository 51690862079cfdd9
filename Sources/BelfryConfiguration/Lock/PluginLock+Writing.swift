import BelfryEngine
import BelfryModel

extension PluginLock {
    /// As `belfry plugins lock` writes it: sorted, a line for each fact, so that a change reads well in a review.
    public var text: String {
        var lines = [
            "# Which plugin files may be loaded. Written by 'belfry plugins lock'; keep it in version control.",
            "version: \(PluginLockReader.version)",
        ]
        lines.append(entries.isEmpty ? "plugins: {}" : "plugins:")
        for entry in entries.sorted(by: { $0.id < $1.id }) { lines += entry.lines }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension PluginLock.Entry {
    fileprivate var lines: [String] {
        var lines = ["  \(id.asScalar):", "    file: \(file.asScalar)", "    version: \(version.asScalar)"]
        lines.append("    abi: \(Value.text(abi).json)")
        if let signer { lines.append("    signer: \(signer.asScalar)") }
        lines.append(digests.isEmpty ? "    digests: {}" : "    digests:")
        return lines + digests.sorted { $0.key < $1.key }.map { "      \($0): \"\($1)\"" }
    }
}

extension String {
    /// Plain where YAML takes it for text as it is, else quoted as in JSON.
    fileprivate var asScalar: String {
        let isPlain =
            first?.isLetter == true && utf8.allSatisfy { $0 < 128 }
            && allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
            && !["true", "false", "null", "yes", "no", "on", "off"].contains(lowercased())
        return isPlain ? self : Value.text(self).json
    }
}

import BelfryCore
import BelfryRuntime

extension ServiceEngine {
    /// What is in force, with the silences that are kept beside it now.
    func silenced() throws -> (Workspace, DecisionSource) {
        let former = workspace
        let next = try former.silenced(by: try SilenceFile(of: former.document.path).text)
        return (next, try DecisionSource(next, source.isolation))
    }

    /// What was silenced while another replica decided is silenced here.
    func adoptSilences(_ store: OpenStore) {
        do {
            try SharedSilences(of: workspace.document.path, beside: store.journal.location)?.adopt {
                while try !takeSilences() {}
            }
        } catch {
            log.error("silences are not as other replicas have them: \(error)")
        }
    }

    /// Gives other replicas those that a command has changed in the file, where this one decides.
    func shareSilences() async {
        guard let journal = try? journal,
            let shared = SharedSilences(of: workspace.document.path, beside: journal.location)
        else { return }
        do {
            let isShared = try await onThread {
                let isCurrent = try shared.isCurrent
                if isCurrent { try shared.share() }
                return isCurrent
            }
            if isShared { return }
            log.error(
                "silences of the file are not shared: other replicas have some that are not in force here; restart this one"
            )
        } catch {
            log.error("silences of the file are not shared with other replicas: \(error)")
        }
    }

    private func takeSilences() throws -> Bool {
        let former = workspace.fingerprint
        let (next, source) = try silenced()
        return replace(former, with: next, source)
    }
}

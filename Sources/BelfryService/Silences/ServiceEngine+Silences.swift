import BelfryCore
import BelfryRuntime

extension ServiceEngine {
    /// What is in force, with the silences that are kept beside it now.
    func silenced() throws -> (Workspace, DecisionSource) {
        let former = workspace
        let next = try former.silenced(by: SilenceFile(of: former.document.path).text)
        return (next, try DecisionSource(next, source.isolation))
    }

    /// What was silenced while another replica decided is silenced here.
    func adoptSilences(_ store: OpenStore) {
        do {
            try SharedSilences(of: workspace.document.path, beside: store.journal.location)?.adopt {
                while try !takeSilences() {}
            }
        } catch {
            log.error("silences that were made while another replica decided are not in force: \(error)")
        }
    }

    private func takeSilences() throws -> Bool {
        let former = workspace.fingerprint
        let (next, source) = try silenced()
        return replace(former, with: next, source)
    }
}

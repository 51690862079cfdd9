import BelfryJournal
import Foundation

/// The silences that were made while a service runs, where replicas find them: beside the journal in their database.
///
/// Each has them in a file of its own, too, from which they come into force.
struct SharedSilences {
    private let file: SilenceFile
    private let lines: SideLines

    /// Nil where only one machine gets at the journal.
    ///
    /// - Parameter configuration: the path of its file.
    init?(of configuration: String, beside journal: JournalLocation) {
        guard case .database = journal else { return nil }
        (file, lines) = (SilenceFile(of: configuration), SideLines("silences.json", beside: journal))
    }

    /// Gives the others what the file has.
    func share() throws { try lines.keep(file.bytes.map { [Array($0)] } ?? []) }

    /// Takes over what the others have; where they have nothing, they get what is here.
    ///
    /// - Parameter use: brings the file into force, if that has changed; if it throws, the file is as it was.
    func adopt(_ use: () throws -> Void) throws {
        let (text, before) = (try lines.all, file.bytes)
        if text.isEmpty { return try share() }
        if text == before { return }
        try file.restore(text)
        do { try use() } catch {
            try file.restore(before)
            throw error
        }
    }
}

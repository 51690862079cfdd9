import BelfryConfiguration
import BelfryJournal
import BelfryModel
import Foundation

/// The silences that were made while a service runs, where replicas find them: beside the journal in their database.
///
/// Each has them in a file of its own, too, from which they come into force, and which commands change while no service runs.
struct SharedSilences {
    private let file: SilenceFile
    private let journal: JournalLocation
    private let lines: SideLines

    /// Nil where only one machine gets at the journal.
    ///
    /// - Parameter configuration: the path of its file.
    init?(of configuration: String, beside journal: JournalLocation) {
        guard case .database = journal else { return nil }
        file = SilenceFile(of: configuration)
        self.journal = journal
        lines = SideLines("silences.json", beside: journal)
    }

    /// What the others had when this replica last shared or adopted: what differs from it in the file was changed here.
    ///
    /// There is one for each database: what another one has not is not what was removed from this one.
    private var lastShared: SilenceFile { get throws { file.lastShared(over: try journal.identity) } }

    /// Gives the others what the file has.
    func share() throws {
        let text = try file.bytes
        try lines.keep(text.map { [Array($0)] } ?? [])
        try lastShared.restore(text)
    }

    /// Whether the others have nothing that this replica does not know of.
    var isCurrent: Bool { get throws { try lines.all == lastShared.bytes ?? Data() } }

    /// Takes over what the others have, and gives them what was changed here; where they have nothing, they get what is here.
    ///
    /// - Parameter use: brings the file into force, if that has changed; if it throws, the file is as it was.
    func adopt(_ use: () throws -> Void) throws {
        let theirs = try lines.all
        if theirs.isEmpty { return try file.bytes == nil ? () : share() }
        let (before, after, isChanged) = try AtomicFile.change(file.path) {
            let (before, merged) = (try file.bytes, try merged(with: theirs))
            if let merged { try file.write(merged) } else if theirs != before { try file.restore(theirs) }
            return (before, try file.bytes, merged != nil)
        }
        if after != before {
            do { try use() } catch {
                try file.restore(before, ifStill: after)
                throw error
            }
        }
        // Before they get anything: what came from them is not to look like a change.
        try lastShared.restore(theirs)
        if isChanged { try share() }
    }

    /// Nil if nothing was changed here.
    private func merged(with theirs: Data) throws -> [Fields]? {
        var (silences, isChanged) = (try SilenceFile.silences(in: theirs, at: file.path), false)
        // A replica that never shared knows of no change: the others' win, and what they lack is new.
        let lastShared = try lastShared
        let former = try lastShared.bytes == nil ? nil : try? lastShared.read()
        for silence in try file.read() where former?.contains(silence) != true {
            if let place = silences.firstIndex(where: { $0["id"] == silence["id"] }) {
                if former == nil || silences[place] == silence { continue }
                silences[place] = silence
            } else {
                silences.append(silence)
            }
            isChanged = true
        }
        return isChanged ? silences : nil
    }
}

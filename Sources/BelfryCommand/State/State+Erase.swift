import ArgumentParser
import BelfryDelivery
import BelfryEngine
import BelfryRuntime
import BelfryStore
import Foundation

extension State {
    struct Erase: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "erase",
            abstract: "Remove everything that store and journal have of one subject, and say what it was.",
            discussion: """
                Nothing is asked. No other process may be writing to the store meanwhile. What stays is a digest of the subject and \
                the number of its last decision, so that no id of a decision is used twice.

                Examples:
                  belfry state erase ana --dry-run
                  belfry state export ana > ana.json && belfry state erase ana
                """)

        @OptionGroup var who: SubjectArgument

        @Flag(help: "Say what would be removed, and remove nothing.")
        var dryRun = false

        @OptionGroup var options: StoreOptions

        func run() throws {
            if dryRun {
                show(try options.withStore(look))
                return try warnIfRefused()
            }
            let (inventory, unfinished) = try namingService { try options.withOpenStore(erase) }
            show(inventory)
            if !unfinished.isEmpty {
                throw CommandFailure(status: .failed, message: unfinished.joined(separator: "\n"))
            }
        }

        private func show(_ inventory: [String]) {
            print("'\(who.subject)' \(dryRun ? "would be" : "is") erased:")
            for line in inventory { print("  \(line)") }
        }

        /// A dry run only reads, which may be done while another process has the store.
        private func warnIfRefused() throws {
            do {
                try namingService {
                    try options.location.checkThatItIsFree()
                    try options.withStore { try $0.checkThatItErases() }
                }
            } catch let error as StoreError {
                Console.warn("'\(who.subject)' would not be erased now: \(error)")
            }
        }

        /// The process that has the store may be one that can be asked.
        private func namingService<Result>(_ body: () throws -> Result) throws -> Result {
            do {
                return try body()
            } catch let error as StoreError where error.code == .locked {
                let parts = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/"))
                let subject = who.subject.addingPercentEncoding(withAllowedCharacters: parts) ?? who.subject
                let way = "a service erases by itself: DELETE /v1/subjects/\(subject)"
                throw StoreError(code: error.code, path: error.path, message: "\(error.message); \(way)")
            }
        }

        private func look(at store: any RecordStore) throws -> [String] {
            try inventory(
                of: StoredSubject(anythingOf: who.subject, in: store), in: store,
                shadow: RestingShadow.knows(who.subject, beside: options.location))
        }

        /// - Returns: what there was, and why bytes of it are still in files.
        private func erase(from store: OpenStore) throws -> (inventory: [String], unfinished: [String]) {
            try store.records.checkThatItErases()
            let journal = store.journal.location
            // Before the record goes: an erasure that is interrupted can be begun again as long as there is one.
            try DeadLetters.forget(who.subject, beside: journal)
            let stored = try StoredSubject(anythingOf: who.subject, in: store.records)
            _ = try store.erase(who.subject)
            let shadow = try RestingShadow.erase(who.subject, beside: options.location)
            let inventory = try inventory(of: stored, in: store.records, shadow: shadow.hadIt)
            let aside = try journal.putAsideBefore
            if !aside.isEmpty {
                let names = aside.map { "'\($0)'" }.joined(separator: ", ")
                Console.warn("damaged journals that were put aside may have '\(who.subject)' still: remove \(names)")
            }
            return (inventory, [shadow.unfinished, store.records.unfinishedErasure].compactMap(\.self))
        }

        /// What there is in the store and in its shadow, a line each; throws if there is nothing.
        private func inventory(
            of stored: StoredSubject, in store: any RecordStore, shadow isInShadow: Bool
        ) throws -> [String] {
            if stored.isEmpty, !isInShadow { throw try StoredSubject.unknown(who.subject, in: store) }
            return stored.inventory + (isInShadow ? ["what the shadow has"] : [])
        }
    }
}

extension StoredSubject {
    /// What there is, a line each.
    fileprivate var inventory: [String] {
        var lines: [String] = []
        if let bytes {
            if let record = try? record() {
                lines = record.inventory
            } else {
                lines = ["a record of \(bytes.count) bytes, which cannot be read"]
            }
        }
        if !quarantined.isEmpty { lines.append("records in quarantine: \(quarantined.count)") }
        return lines
    }
}

extension SubjectRecord {
    fileprivate var inventory: [String] {
        let attributes = channels.reduce(user.count) { $0 + $1.attributes.count + $1.automatic.count }
        let counts = [
            ("attributes", attributes), ("channels", channels.count), ("positions", position == nil ? 0 : 1),
            ("regions entered or left", presence.count), ("beacons near", proximity.count), ("timers", timers.count),
            ("current notifications", current.count), ("notifications in the history", notifications.count),
            ("geotriggers in the history", geotriggers.count), ("campaigns counted", tallies.count),
            ("states of strategies", stateCount), ("ids of signals", rememberedIDs.signals),
            ("keys of requests", rememberedIDs.requests),
        ]
        let lines = counts.filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
        return lines.isEmpty ? ["an empty record"] : lines
    }
}

import ArgumentParser
import BelfryConfiguration
import BelfryModel
import BelfryRuntime
import BelfryStore

extension State {
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Read everything in the store, and name what is damaged. Exit status 1 if something is.",
            discussion: """
                With a configuration, state that its chain has no place for is listed, too. It is kept, and no damage.

                Examples:
                  belfry state verify
                  belfry state verify --store sqlite:belfry.db --json
                  belfry state verify --repair
                """)

        @Flag(help: "Move damaged records into the table 'quarantine'. Their subjects start afresh.")
        var repair = false

        @OptionGroup var options: StoreOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let claims = try claims()
            let (verification, loss) = try verified(claims)
            if json.isWanted {
                Console.print(json: verification.value(isRepaired: repair, loss))
            } else {
                print(verification.text(isRepaired: repair, loss))
            }
            guard verification.isGood || repair && verification.isRepairable else { throw verification.failure(repair) }
        }

        /// - Throws: also why nothing can be found out. To be told of this command would not help there.
        private func verified(_ claims: StateClaims?) throws -> (Verification, JournalLoss) {
            do {
                if repair { return try repaired(claims) }
                return (try options.withStore { try Self.verify($0, claims) }, JournalLoss())
            } catch let failure as RunPositionFailure {
                throw CommandFailure(
                    status: .failed,
                    message: """
                        cannot verify this store
                          why: \(failure.reason)
                          fix: \(RunPositionFailure.fix)
                        """)
            }
        }

        /// - Returns: also what of the journal is lost.
        private func repaired(_ claims: StateClaims?) throws -> (Verification, JournalLoss) {
            try options.withOpenStore(repairs: true) { store in
                let verification = try Self.verify(store.records, claims)
                try verification.repair(store.records)
                let damage = store.damage.map { DamagedJournal(reason: $0.error.reason, place: $0.place) }
                return (verification, JournalLoss(journal: damage, setBack: store.setBack.count))
            }
        }

        private static func verify(_ store: any RecordStore, _ claims: StateClaims?) throws -> Verification {
            let bar = ProgressBar(total: try store.count(), unit: .records)
            defer { bar?.clear() }
            return try Verification(of: store, claims: claims) { bar?.show($0) }
        }

        /// Nil where there is no configuration, and none is needed.
        private func claims() throws -> StateClaims? {
            if options.store != nil, options.options.isDefaultAndMissing { return nil }
            do {
                return try options.options.workspace().stateClaims
            } catch is ConfigurationFailure where options.store != nil {
                Console.warn("'\(options.options.config)' has errors, so state is not compared with its chain")
                return nil
            }
        }
    }
}

/// What a repair could not take over from the journal.
private struct JournalLoss {
    var journal: DamagedJournal?
    /// How many subjects do not have what it says of them.
    var setBack = 0
}

/// A journal that made way for another one.
private struct DamagedJournal {
    let reason: String
    let place: String
}

extension Verification {
    fileprivate func text(isRepaired: Bool, _ loss: JournalLoss) -> String {
        var lines = findings.map { "\($0.heading)\n  why: \($0.reason)" }
        lines += faults.map { "the store is damaged\n  why: \($0.reason)" }
        var counts = ["\(good) good"]
        if !damaged.isEmpty { counts.append("\(damaged.count) damaged") }
        if !newer.isEmpty { counts.append("\(newer.count) newer") }
        lines.append("records: \(records), \(counts.joined(separator: ", "))")
        if quarantined > 0 { lines.append("in quarantine before: \(quarantined)") }
        if isRepaired, !damaged.isEmpty {
            lines.append("moved into quarantine now: \(damaged.count); their subjects start afresh")
        }
        if isRepaired, !mistimed.isEmpty { lines.append("timers put right: \(mistimed.count)") }
        if loss.setBack > 0 {
            lines.append(
                "went back to the last checkpoint: \(loss.setBack) \(loss.setBack == 1 ? "subject" : "subjects"), whose changes in the "
                    + "journal do not fit to what is stored")
        }
        if let journal = loss.journal {
            lines.append(
                """
                the journal was damaged, and is now at '\(journal.place)'; the store goes on with a new one
                  why: \(journal.reason)
                  lost: decisions, and what records became after the last checkpoint
                """)
        }
        if !unclaimed.isEmpty { lines.append("\nstate that no entry uses, and that is kept:\n" + unclaimedTable) }
        return lines.joined(separator: "\n")
    }

    private var unclaimedTable: String {
        var table = Table("entry", "strategy", "subjects", "why")
        for state in unclaimed { table.add(state.entry, state.strategy, String(state.subjects), state.reason) }
        return table.text
    }

    fileprivate func value(isRepaired: Bool, _ loss: JournalLoss) -> Value {
        [
            "records": .integer(Int64(records)), "good": .integer(Int64(good)),
            "damaged": .list(damaged.map(\.value)), "newer": .list(newer.map(\.value)),
            "mistimed": .list(mistimed.map(\.value)), "store": .list(faults.map { .text($0.reason) }),
            "setBack": .integer(Int64(loss.setBack)),
            "journal": loss.journal.map { ["reason": .text($0.reason), "place": .text($0.place)] } ?? .null,
            "quarantined": .integer(Int64(quarantined + (isRepaired ? damaged.count : 0))),
            "unclaimed": .list(unclaimed.map(\.value)), "repaired": .bool(isRepaired),
        ]
    }

    /// What is left to be done.
    fileprivate func failure(_ isRepaired: Bool) -> CommandFailure {
        var (reasons, fixes): ([String], [String]) = ([], [])
        if !isRepaired, !damaged.isEmpty { reasons.append("records that cannot be read: \(damaged.count)") }
        if !isRepaired, !mistimed.isEmpty { reasons.append("timers that are wrong: \(mistimed.count)") }
        if !reasons.isEmpty {
            fixes.append(
                "'belfry state verify --repair' moves such records into quarantine, so that their subjects start afresh, "
                    + "and puts timers right")
        }
        if !newer.isEmpty {
            reasons.append("records of a newer belfry: \(newer.count)")
            fixes.append("run the newer belfry that wrote them")
        }
        if !faults.isEmpty {
            reasons.append("faults of the store as a whole: \(faults.count)")
            for fault in faults where !fixes.contains(fault.fix) { fixes.append(fault.fix) }
        }
        let lines = reasons.map { "  why: \($0)" } + fixes.map { "  fix: \($0)" }
        return CommandFailure(
            status: .failed, message: (["not everything in the store can be used"] + lines).joined(separator: "\n"))
    }
}

extension Verification.Finding {
    fileprivate var heading: String {
        switch kind {
        case .damaged: "the record of subject '\(subject)' is damaged"
        case .newer: "the record of subject '\(subject)' is newer than this belfry"
        case .mistimed: "the next timer of subject '\(subject)' is wrong"
        }
    }

    fileprivate var value: Value { ["subject": .text(subject), "reason": .text(reason)] }
}

extension Verification.Unclaimed {
    fileprivate var value: Value {
        [
            "entry": .text(entry), "strategy": .text(strategy), "subjects": .integer(Int64(subjects)),
            "reason": .text(reason),
        ]
    }
}

import BelfryStore

/// What is there is no shadow of this store.
struct ShadowRefusal: Error, CustomStringConvertible {
    let description: String

    static func foreign(_ location: StoreLocation) -> ShadowRefusal {
        ShadowRefusal(
            description: """
                cannot follow with '\(location)'
                  why: it is the shadow of another store
                  fix: remove it, and its journal; a new one begins with the records of this store
                """)
    }

    static func shared(_ location: StoreLocation) -> ShadowRefusal {
        ShadowRefusal(
            description: """
                there is no shadow beside '\(location)'
                  why: the store of a shadow is a file beside that of its run, and this one is in a database
                  fix: try the other configuration on a copy: 'belfry state export --all | belfry state import --store sqlite:copy.db'
                """)
    }

    static func none(_ location: StoreLocation) -> ShadowRefusal {
        ShadowRefusal(
            description: """
                there is nothing to promote
                  why: no run with '\(location)' had a shadow
                  fix: 'belfry run --shadow other.yaml' lets one decide the same
                """)
    }

    static let behind = ShadowRefusal(
        description: """
            the shadow cannot be promoted yet
              why: it has not decided all that the store has, and would not know of the rest
              fix: run once more with --shadow and with no signals; it ends when the shadow has caught up
            """)

    static let unfinished = ShadowRefusal(
        description: """
            a promotion of its shadow is not finished
              why: it was ended in between or is at work still, and some records are the shadow's and some are not
              fix: 'belfry state promote' goes on with it, behind 'belfry state verify --repair' if a record is damaged
            """)

    static func damaged(_ finding: Verification.Finding, _ location: StoreLocation) -> ShadowRefusal {
        unreadable(
            "the record of subject '\(finding.subject)' is damaged: \(finding.reason)",
            fix: "'belfry state verify --repair --store \(location)' moves such records into quarantine")
    }

    static func newer(_ finding: Verification.Finding) -> ShadowRefusal {
        unreadable(
            "the record of subject '\(finding.subject)' is of a newer belfry: \(finding.reason)",
            fix: "promote it with the newer belfry")
    }

    static func unreadable(_ reason: String, fix: String) -> ShadowRefusal {
        ShadowRefusal(
            description: """
                the shadow cannot be promoted, and nothing was changed
                  why: \(reason)
                  fix: \(fix)
                """)
    }

    static let unknown = ShadowRefusal(description: "what the shadow's journal says of its comparison makes no sense")
}

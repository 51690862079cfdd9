/// Why a shard's process cannot go on.
struct ShardFailure: Error, CustomStringConvertible {
    let description: String
}

extension ShardFailure {
    static let nonsense = ShardFailure(
        description: """
            the records that a shard's process saved make no sense
              why: most likely a plugin writes where it may not
              fix: 'belfry plugins check FILE' looks at a plugin alone; take out of 'chain' what does not work
            """)
    static let noBeginning = ShardFailure(
        description: """
            a shard's process ended before it began
              fix: do that again; --isolation thread does without such processes
            """)
}

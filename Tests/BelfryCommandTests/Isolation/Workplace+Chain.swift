extension Workplace {
    /// One whose chain is a single entry, of a plugin that a test compiles into `plugins` and that has no sandbox.
    ///
    /// - Parameter entry: in YAML, as in `{ strategy: faulty }`.
    convenience init(chain entry: String, isolation: String = "process", signals: [String] = []) throws {
        try self.init([
            "belfry.yaml": """
            app: shop
            isolation: \(isolation)
            sandbox: off
            limits: { call: 10s }
            plugins: { directories: [plugins, bundled] }
            chain: [ \(entry) ]
            campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

            """,
            "signals.jsonl": signals.asFile,
        ])
    }
}

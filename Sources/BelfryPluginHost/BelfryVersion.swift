/// The version of this belfry: what plugins, cached scans and `--version` see.
public let belfryVersion = "0.1.0"

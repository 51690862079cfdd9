import ArgumentParser

/// `--shadow` of `run` and `serve`.
enum ShadowOption {
    static let help = ArgumentHelp(
        "Another configuration that decides the same signals, with records of its own, and acts on nobody.",
        discussion: "What it decides otherwise is counted, and 'belfry decisions list --shadow' lists it.",
        valueName: "file")
}

import BelfryRuntime

extension SignalIntake {
    /// Decides what a sink has to say, as soon as there is room.
    func take(receipt line: [UInt8]) {
        let block = line.withUnsafeBytes { SignalBlock($0, lines: [SignalBlock.Line(0..<line.count, number: 0)]) }
        try? give(block, waits: true) { _ in }
    }
}

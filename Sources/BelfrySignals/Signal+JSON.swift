import BelfryModel

extension Signal {
    /// A signal from a line of JSON, as docs/signals.md has it.
    ///
    /// - Throws: what is wrong with it.
    public init(json: String) throws(SignalReject) {
        let decoder = SignalDecoder()
        var result: Result<Signal, SignalReject>?
        json.withBytes { bytes in
            SignalLines(bytes).forEach { line, number in
                guard result == nil else { return }
                do throws(SignalReject) {
                    result = .success(try decoder.decode(line, line: number))
                } catch {
                    result = .failure(error)
                }
            }
        }
        guard let result else { throw SignalReject(.invalidJSON, "the line is blank") }
        self = try result.get()
    }
}

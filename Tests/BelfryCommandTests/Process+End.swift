import Foundation

extension Process {
    /// What a process may take on a machine that is busy with other things, in s.
    private static let patience = 120.0

    struct Hang: Error {}

    /// Waits for its end, and is not patient for ever: then it ends with everything that it has started, and the test hears of SIGKILL.
    func end(within time: TimeInterval = patience) {
        // A deadline that is cancelled is kept until then, and so would be the process, with its files: Foundation reads beyond a list of over
        // a thousand of them when the next process is started.
        let deadline = DispatchWorkItem { [weak self] in
            guard let self, isRunning else { return }
            for process in descendants(of: processIdentifier) + [processIdentifier] { kill(process, SIGKILL) }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + time, execute: deadline)
        waitUntilExit()
        deadline.cancel()
    }

    /// Waits until something is there while it goes on.
    ///
    /// - Throws: `Hang`; then it is over.
    func wait(for isThere: () -> Bool) throws {
        let deadline = Date.now + Self.patience
        while isRunning, !isThere() {
            guard Date.now < deadline else {
                end(within: 0)
                throw Hang()
            }
            usleep(1000)
        }
    }
}

/// Those it has started, and those they have.
private func descendants(of process: pid_t) -> [pid_t] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
    let children = numbers.filter { parent(of: $0) == process }
    return children.flatMap(descendants) + children
}

private func parent(of process: pid_t) -> pid_t? {
    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = status?.split(separator: ")").last?.split(separator: " ")
    return fields.flatMap { $0.count > 1 ? pid_t($0[1]) : nil }
}

import BelfryEngine
import BelfryModel
import CLinux
import Glibc

extension ShardSupervisor {
    /// The process at work.
    struct Running {
        let channel: ShardChannel
        /// Readable when it has ended; -1 once nothing is left of it.
        private(set) var end: Int32
        private(set) var watch: CallWatch
        private let number: pid_t
        var knowsTimers = false
        /// Whether a plugin has closed its socket. It ends when it notices that.
        var isDeaf = false
        private(set) var requests = 0
        private var answers = 0
        /// How many records it has. Those that are too many leave when it saves.
        var records = 0
        /// Why it was ended from here.
        private(set) var endedFor: CallWatch.Excess?
        /// Whether it has nearly as much memory as it may.
        private(set) var isLarge = false
        /// Subjects whose records it was given, and has not told a trace of yet.
        var untraced: Set<SubjectKey> = []
        /// How often it was seen to sleep outside of calls although there is something to do.
        var sleepy = 0

        /// So often, every 10 ms, a process may be seen to sleep that has something to do.
        private static let mostSleepy = 200

        /// Forks it.
        init(_ zygote: Zygote, _ start: ShardStart, _ records: SharedRecords) throws {
            var message = MessageWriter()
            start.write(to: &message)
            (channel, number) = try zygote.fork(
                .shard, message.array, over: { try Self.channel(with: records) },
                hear: { channel in
                    channel.hear().flatMap { $0.kind == .ready && $0.length > 1 ? pid_t(exactly: $0.length) : nil }
                })
            watch = CallWatch(.process(number), zygote.configuration.limits)
            end = belfry_process_descriptor(number)
            guard end >= 0 else {
                let failure = SystemFailure("watch a shard's process")
                kill(number, SIGKILL)
                _ = ProcessEnd.wait(for: number)
                throw failure
            }
        }

        private static func channel(with records: SharedRecords) throws -> (ShardChannel, other: [Int32]) {
            let records = try records.descriptorToGive()
            do {
                let (channel, other) = try ShardChannel.make()
                return (channel, other + [records])
            } catch {
                close(records)
                throw error
            }
        }

        /// - Returns: how many bytes the request is.
        mutating func send(_ request: ShardRequest) throws -> Int {
            let length = try channel.write(to: requests % 2 == 0 ? .request : .nextRequest) { request.write(to: &$0) }
            requests += 1
            // A process that has hung up has died, and that is noticed at once.
            channel.ring(.request, length)
            return length
        }

        /// The next answer, where it was written; nil if it cannot be that long.
        mutating func takeAnswer(_ length: Int) -> UnsafeRawBufferPointer? {
            defer { answers += 1 }
            return channel.message(answers % 2 == 0 ? .answer : .nextAnswer, length)
        }

        /// Looks at what it does; ends it where a call takes too much.
        mutating func look() {
            let note = channel.note.pointee
            if let excess = watch.look(note) {
                endedFor = excess
                kill(number, SIGKILL)
            } else if note.current == nil, watch.isWaiting {
                wakeUp()
            }
        }

        /// A plugin may have written over what the process listens to, or have closed it.
        private mutating func wakeUp() {
            sleepy += 1
            if sleepy == Self.mostSleepy / 2 { channel.wakeOther() }
            if sleepy == Self.mostSleepy { kill(number, SIGKILL) }
        }

        /// Looks whether it is to be replaced between two tasks: its records are kept here, and no call is to be blamed for their memory.
        mutating func noteMemory() {
            if let memory = watch.memoryIfDue() { isLarge = memory > watch.limits.memory.bytes / 4 * 3 }
        }

        /// Ends it, once.
        ///
        /// - Returns: how it had ended before.
        mutating func remove() -> ProcessEnd {
            guard end >= 0 else { return .signal(SIGKILL) }
            kill(number, SIGKILL)
            close(end)
            end = -1
            return ProcessEnd.wait(for: number) ?? .signal(SIGKILL)
        }
    }
}

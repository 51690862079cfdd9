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

        /// A process may show no progress for so long that has something to do.
        private static let patience = Duration.seconds(2)
        /// So many bytes that it is handed at once give it a ms more: it reads them before it can show any.
        private static let bytesPerMillisecond = 4096

        /// Forks it.
        init(_ zygote: Zygote, _ start: ShardStart, _ records: SharedRecords) throws {
            var message = MessageWriter()
            start.write(to: &message)
            (channel, number) = try zygote.fork(
                .shard, message.array, over: { try Self.channel(with: records) },
                hear: { channel in
                    channel.hear().flatMap { $0.kind == .ready && $0.length > 1 ? pid_t(exactly: $0.length) : nil }
                })
            watch = CallWatch(
                .process(number), zygote.configuration.limits,
                patience: CallWatch.Patience(time: Self.patience, countsSleep: true))
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
            handOver(.request, length)
            return length
        }

        /// Says that there is something, which is the longer to be read the longer it is.
        mutating func handOver(_ kind: ShardChannel.Bell.Kind, _ length: Int) {
            watch.extendPatience(to: Self.patience + .milliseconds(Int64(length / Self.bytesPerMillisecond)))
            channel.ring(kind, length)
        }

        /// It has said something.
        mutating func noteProgress() { watch.noteProgress() }

        /// The next answer, where it was written; nil if it cannot be that long.
        mutating func takeAnswer(_ length: Int) -> UnsafeRawBufferPointer? {
            defer { answers += 1 }
            return channel.message(answers % 2 == 0 ? .answer : .nextAnswer, length)
        }

        /// Looks at what it does; ends it where a call takes too much, or where it does not go on between two.
        mutating func look() {
            if let excess = watch.look(channel.note.pointee) {
                endedFor = excess
                kill(number, SIGKILL)
            } else if watch.isHalfway {
                // A plugin may have written over what the process listens to, or have closed it.
                channel.wakeOther()
            }
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

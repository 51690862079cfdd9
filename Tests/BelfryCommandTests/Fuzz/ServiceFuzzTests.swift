import BelfryModel
import Foundation
import FuzzInput
import Synchronization
import Testing

/// The door to the network: requests that are nearly right, in the number that the environment names (`make fuzz`).
@Suite struct ServiceFuzzTests {
    private static let seed = UInt64(Load.number("BELFRY_SEED") ?? 1)
    private static let callers = 4

    @Test func `bodies of requests`() async throws {
        let wanted = Load.number("BELFRY_FUZZ_BODIES") ?? 4000
        let place = try Workplace(["belfry.yaml": FuzzCorpus.configuration])
        let service = try LiveService(in: place, "--store", "memory:", "--clock", "signals")
        let began = ContinuousClock.now
        let seen = Seen()
        let group = DispatchGroup()
        for number in 0..<Self.callers {
            let caller = try Caller(
                service,
                RequestFuzzer(
                    seed: Self.seed + UInt64(number), corpus: FuzzCorpus.signals, token: service.token))
            group.enter()
            Thread {
                defer { group.leave() }
                for turn in 0..<(wanted / Self.callers) {
                    guard let status = caller.ask() else { return }
                    seen.statuses.withLock { $0[status, default: 0] += 1 }
                    // By then every cache, table and buffer is as full as it gets.
                    if number == 0, turn * 3 == wanted / Self.callers / 3 * 3 {
                        seen.early.withLock { $0 = service.memory }
                    }
                }
            }.start()
        }
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        let (found, late) = (seen.statuses.withLock { $0 }, service.memory)
        #expect(found.values.reduce(0, +) == wanted / Self.callers * Self.callers, "each is answered")
        #expect(Set(found.keys).isSubset(of: [200, 400, 404, 409, 413, 415, 422, 428, 431]), "\(found)")
        #expect((found[200] ?? 0) > wanted / 5 && (found[400] ?? 0) > wanted / 20, "too right or too wrong: \(found)")
        if wanted >= 100_000 {
            let first = seen.early.withLock { $0 }
            #expect(late < first + first / 4 + 64 << 20, "memory grew from \(first) to \(late) bytes")
        }
        #expect(try await service.manage("GET", "/readyz").text == "ready\n")
        #expect(service.stop() == 0)
        print(
            "fuzz, seed \(Self.seed): \(wanted) requests, \(found.sorted { $0.key < $1.key }); \(late >> 20) MB; \(began.duration(to: .now))"
        )
    }
}

/// What all callers have seen.
private final class Seen: Sendable {
    /// How often there was each status.
    let statuses = Mutex<[Int: Int]>([:])
    /// What the service had of memory after a third, in bytes.
    let early = Mutex(0)
}

/// A connection over which one request comes after the other.
private final class Caller: @unchecked Sendable {
    // Unchecked: one thread has it.
    private var fuzzer: RequestFuzzer
    private let port: UInt16
    private var descriptor: Int32 = -1
    private var reader = AnswerReader()

    init(_ service: LiveService, _ fuzzer: RequestFuzzer) throws {
        self.fuzzer = fuzzer
        port = UInt16(service.api.split(separator: ":").last ?? "") ?? 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// - Returns: the status of the answer; nil, and an issue, if there is none that makes sense.
    func ask() -> Int? {
        let request = fuzzer.next()
        guard descriptor >= 0 || connect(),
            send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count,
            let answer = answer()
        else {
            Issue.record("no answer to \(String(decoding: request, as: UTF8.self))")
            return nil
        }
        if answer.isLast {
            close(descriptor)
            (descriptor, reader) = (-1, AnswerReader())
        }
        let isProblem = answer.status != 200
        if isProblem, Value(json: answer.body[...]) == nil {
            Issue.record("\(answer.status) says nothing to \(String(decoding: request, as: UTF8.self))")
        }
        if answer.status >= 500 {
            Issue.record(
                "\(answer.status) to \(String(decoding: request, as: UTF8.self)): \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
        return answer.status
    }

    private func connect() -> Bool {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafeBytes(of: &address) { bytes in
            Glibc.connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count)) == 0
        }
    }

    private func answer() -> AnswerReader.Answer? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let answer = reader.next() { return answer }
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            reader.append(bytes.prefix(count))
        }
    }
}

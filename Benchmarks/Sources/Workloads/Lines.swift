import BelfrySignals

extension Workload {
    static let lines = [
        Workload("decode/request", operations: 1_000_000) { _ in
            decoding(
                #"{"id":"s-973","subject":"u3107","time":"2026-01-01T07:00:20.160Z","type":"notification.requested","data":{"campaign":"campaign-49"}}"#
            )
        },
        Workload("decode/attributes", operations: 500_000) { _ in
            decoding(
                #"{"id":"s-973","subject":"u3107","time":"2026-01-01T07:00:20.160Z","type":"attributes.set","data":{"scope":"user","values":{"tier":"basic","yearOfBirth":1974,"premiumMember":false,"country":"se"}}}"#
            )
        },
        Workload("encode/created", operations: 500_000) { try encoding(.created, isCount: $0) },
        Workload("encode/suppressed", operations: 500_000) { try encoding(.suppressed, isCount: $0) },
        Workload("record/store", operations: 500_000) { Work(try crowd(.suppressed, subjects: $0 ? 200 : 1000).store) },
        Workload("record/read", operations: 500_000) { Work(try crowd(.suppressed, subjects: $0 ? 200 : 1000).read) },
    ]

    private static func decoding(_ line: String) -> Work {
        let decoder = SignalDecoder()
        // The decoder may read a little beyond the end.
        let bytes = Array(line.utf8) + [UInt8](repeating: 0, count: SignalDecoder.padding)
        return Work { count in
            try bytes.withUnsafeBufferPointer { bytes in
                let line = UnsafeBufferPointer(rebasing: bytes.dropLast(SignalDecoder.padding))
                for _ in 0..<count { use(try decoder.decode(line, line: 1)) }
            }
        }
    }

    private static func encoding(_ outcome: Outcome, isCount: Bool) throws -> Work {
        Work(try crowd(outcome, subjects: isCount ? 200 : 1000).write)
    }
}

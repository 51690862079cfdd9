@_spi(Measuring) import BelfryHost

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
    ]

    private static func decoding(_ line: String) -> Work {
        let decoder = LineDecoder()
        let bytes = Array(line.utf8)
        return Work { count in
            try bytes.withUnsafeBufferPointer { bytes in
                for _ in 0..<count { use(try decoder.signal(bytes)) }
            }
        }
    }

    private static func encoding(_ outcome: Outcome, isCount: Bool) throws -> Work {
        let asking = try crowd(outcome, subjects: isCount ? 200 : 1000)
        try asking.decideHundred()
        return Work(asking.write)
    }
}

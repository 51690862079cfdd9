import Foundation
import Testing

/// A service whose journal cannot be written.
@Suite struct FullDiskTests {
    @Test func `it is not ready before it could write again`() async throws {
        let (place, service) = try ServiceTests.started()
        func failures() async throws -> Int {
            let metrics = try await service.manage("GET", "/metrics").text
            return metrics.firstMatch(of: /\nbelfry_engine_failures_total (\d+)/).flatMap { Int($0.1) } ?? 0
        }
        try service.refuseWriting(true)
        let refused = try await service.post(ServiceTests.signals(0..<1), as: "application/cloudevents+json")
        #expect(refused.status == 503, "\(refused.text)")
        // It tries again and again by itself, and says so each time.
        try await service.wait(for: "three failures") {
            #expect(try await service.manage("GET", "/readyz").status == 503)
            return try await failures() >= 3
        }
        try service.refuseWriting(false)
        try await service.wait(for: "ready") { try await service.manage("GET", "/readyz").status == 200 }
        let answer = try await service.post(ServiceTests.signals(0..<1), as: "application/cloudevents+json")
        #expect(answer.status == 200, "\(answer.text)")
        _ = place
    }
}

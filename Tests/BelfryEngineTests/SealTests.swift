import BelfryEngine
import Testing

/// What surrounds stored bytes, also those of others.
@Suite struct SealTests {
    private let first = Seal(magic: "BLFX", version: 1, name: "a note")
    private let second = Seal(magic: "BLFX", version: 2, name: "a note")

    @Test func `what was sealed is opened, with its writer`() throws {
        let opened = try first.open(first.close([1, 2, 3], writer: "0.1.0"))
        #expect(opened.version == 1 && opened.writer == "0.1.0" && Array(opened.content) == [1, 2, 3])
        #expect(try first.open(first.close([], writer: "")).content.isEmpty)
    }

    @Test func `an earlier version is opened, and says that it is one`() throws {
        #expect(try second.open(first.close([1], writer: "0.1.0")).version == 1)
    }

    @Test func `a later version is refused, with its writer, and not called damaged`() {
        var bytes = second.close([1], writer: "3.0.0")
        #expect(
            fault(bytes)
                == RecordDamage(
                    reason: "it has format version 2, written by belfry 3.0.0; this belfry knows versions up to 1",
                    isNewer: true))
        bytes[20] ^= 1
        #expect(
            fault(bytes)
                == RecordDamage(reason: "it has format version 2; this belfry knows versions up to 1", isNewer: true))
    }

    @Test func `other bytes are told by what was expected`() {
        #expect(fault([1, 2, 3]) == RecordDamage(reason: "it does not begin like a note of Belfry"))
        #expect(
            fault(Seal(magic: "BLFY", version: 1, name: "a letter").close([], writer: ""))
                == RecordDamage(reason: "it does not begin like a note of Belfry"))
    }

    @Test func `every bit counts`() {
        let bytes = first.close([1, 2, 3], writer: "0.1.0")
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            #expect(fault(damaged) != nil, "byte \(index)")
        }
    }

    private func fault(_ bytes: [UInt8]) -> RecordDamage? {
        do throws(RecordDamage) {
            _ = try first.open(bytes)
            return nil
        } catch {
            return error
        }
    }
}

import BelfryModel
import Testing

@Suite struct ByteSizeTests {
    @Test(
        arguments: [
            ("0KiB", 0), ("1KiB", 1024), ("256MiB", 268_435_456), ("2GiB", 2_147_483_648), ("1TiB", 1_099_511_627_776),
            ("3kB", 3000), ("256MB", 256_000_000), ("2GB", 2_000_000_000), ("1TB", 1_000_000_000_000),
        ])
    func `a size is a whole number with a unit`(_ text: String, _ bytes: Int) {
        #expect(ByteSize(text: text)?.bytes == bytes)
    }

    @Test(arguments: ["", "256", "MiB", "-1MiB", "1.5GiB", "1 MiB", "256M", "256mib", "9000000000TiB"])
    func `anything else is no size`(_ text: String) {
        #expect(ByteSize(text: text) == nil)
    }
}

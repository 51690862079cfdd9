import CZlib
import Foundation
import Testing

enum Gzip {
    /// In this process: to start one for each message is slow, and Foundation reads beyond its list of descriptors while it does.
    static func pack(_ text: String) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "belfry-packed-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: file) }
        let packing = gzopen(file.path, "wb")
        let bytes = Array(text.utf8)
        try #require(gzwrite(packing, bytes, UInt32(bytes.count)) == bytes.count && gzclose(packing) == Z_OK)
        return Array(try Data(contentsOf: file))
    }
}

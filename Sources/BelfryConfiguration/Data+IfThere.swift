import Foundation

extension Data {
    /// What a file has; nil if there is none.
    ///
    /// - Throws: if there is one that cannot be read. To take that for none would be to write over it.
    package static func ifThere(at path: String) throws -> Data? {
        do { return try Data(contentsOf: URL(filePath: path)) } catch CocoaError.fileReadNoSuchFile { return nil }
    }
}

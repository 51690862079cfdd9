import Foundation

extension Error {
    /// Why a file could not be read or written, in the words of the system where it has some.
    package var fileReason: String {
        guard let failure = self as? CocoaError else { return "\(self)" }
        let cause = (failure.underlying as? POSIXError)?.code ?? Self.codes[failure.code]
        return cause.map { String(cString: strerror($0.rawValue)) } ?? failure.localizedDescription
    }

    /// Where Foundation says no more than that.
    private static var codes: [CocoaError.Code: POSIXError.Code] {
        [
            .fileWriteNoPermission: .EACCES, .fileReadNoPermission: .EACCES, .fileNoSuchFile: .ENOENT,
            .fileReadNoSuchFile: .ENOENT, .fileWriteOutOfSpace: .ENOSPC, .fileWriteVolumeReadOnly: .EROFS,
            .fileWriteFileExists: .EEXIST,
        ]
    }
}

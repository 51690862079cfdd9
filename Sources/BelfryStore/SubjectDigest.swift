import BelfryModel
import CCrypto

/// What stays of a subject that was erased: SHA-256 of its id, from which the id cannot be read.
struct SubjectDigest: Hashable {
    let bytes: [UInt8]

    init(_ subject: String) {
        bytes = subject.withBytes { id in
            [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
                SHA256(id.baseAddress, id.count, digest.baseAddress)
                count = digest.count
            }
        }
    }
}

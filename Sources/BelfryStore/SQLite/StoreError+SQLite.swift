import GRDB

extension StoreError {
    /// Does `body`, and puts whatever goes wrong in it into this module's words.
    static func translating<Result>(
        _ attempt: Attempt, _ path: String, _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw StoreError.database(error, attempt, path)
        } catch {
            throw .failed(path, attempt, detail: "\(error)")
        }
    }

    static func database(_ error: DatabaseError, _ attempt: Attempt, _ path: String) -> StoreError {
        let detail = error.message ?? "\(error.resultCode)"
        return switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(path, attempt)
        case .SQLITE_FULL: .full(path, attempt)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
            .sideFiles(path, attempt, reason: detail)
        case .SQLITE_NOTADB: .notADatabase(path)
        case .SQLITE_CORRUPT: .damaged(path, attempt, detail: detail)
        case .SQLITE_MISUSE: .closed(path, attempt)  // GRDB prevents any other misuse
        default: .failed(path, attempt, detail: "SQLite reports: \(detail)")
        }
    }
}

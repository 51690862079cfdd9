/// What a caller may do.
public enum Role: String, Sendable, CaseIterable {
    case submit, read, operate, admin

    /// `admin` includes all, `operate` includes `read`; `submit` stands apart.
    func includes(_ other: Role) -> Bool {
        switch self {
        case .admin: true
        case .operate: other == .operate || other == .read
        case .submit, .read: other == self
        }
    }
}

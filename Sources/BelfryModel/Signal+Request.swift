extension Signal {
    /// A notification is asked for now.
    public struct Request: Sendable, Hashable {
        public var campaign: String
        /// Apart, because nearly every request names its campaign and nothing else: to hand on a signal is to copy it.
        private var details: Details?

        public init(
            campaign: String, title: String? = nil, message: String? = nil, data: Value? = nil, key: String? = nil,
            category: Category? = nil
        ) {
            self.campaign = campaign
            content = Content(title: title, message: message, data: data, key: key, category: category)
        }

        public var title: String? {
            get { content.title }
            set { content.title = newValue }
        }

        public var message: String? {
            get { content.message }
            set { content.message = newValue }
        }

        public var data: Value? {
            get { content.data }
            set { content.data = newValue }
        }

        /// A second request with the same key for that subject and campaign is a duplicate.
        public var key: String? {
            get { details?.content.key }
            set { content.key = newValue }
        }

        /// Beside its texts; one inside `data` is still data here.
        public var category: Category? {
            get { content.category }
            set { content.category = newValue }
        }

        /// Whether it names its campaign and nothing else.
        public var isPlain: Bool { details == nil }

        private var content: Content {
            get { details?.content ?? Content() }
            set { details = newValue.isEmpty ? nil : Details(newValue) }
        }
    }
}

extension Signal.Request {
    private struct Content: Sendable, Hashable {
        var title: String?
        var message: String?
        var data: Value?
        var key: String?
        var category: Signal.Category?

        var isEmpty: Bool { title == nil && message == nil && data == nil && key == nil && category == nil }
    }

    /// A content that is not empty.
    private final class Details: Sendable, Hashable {
        let content: Content

        init(_ content: Content) { self.content = content }

        static func == (left: Details, right: Details) -> Bool { left.content == right.content }
        func hash(into hasher: inout Hasher) { hasher.combine(content) }
    }
}

import BelfryModel

extension Configuration {
    /// How `belfry serve` listens, and what it lets others do.
    public struct Service: Sendable, Hashable {
        /// Of the API: an address with a port, or `unix:PATH`.
        public var listen = "127.0.0.1:8787"
        /// Of health, metrics and reload.
        public var manage = "127.0.0.1:8788"
        /// Where other replicas reach the API; nil: where it listens.
        public var advertise: String?
        /// The file with the tokens of callers; nil: one is made for each start.
        public var tokens: String?
        /// The identity provider whose signed tokens are accepted besides those of the token file; nil: none.
        public var jwt: JWT?
        /// Nil: what others can read on the way.
        public var tls: TLS?
        /// How long signals and decisions can be read after they have left.
        public var keep = Duration.days(7)
        /// How long what a sink has not taken is kept; nil: 30 days, or `keep` if that is longer.
        public var atMost: Duration?
        public var limits = Limits()

        public init() {}
    }
}

extension Configuration.Service {
    /// Files in PEM, relative to the configuration.
    public struct TLS: Sendable, Hashable {
        /// The certificate, and those between it and its authority.
        public var certificate: String
        public var key: String
        /// Authorities: a client has to show a certificate of one of them; nil: it need not show any.
        public var clientCA: String?

        public init(certificate: String, key: String, clientCA: String? = nil) {
            (self.certificate, self.key, self.clientCA) = (certificate, key, clientCA)
        }
    }

    /// An identity provider, whose tokens (RFC 7519) say who calls.
    public struct JWT: Sendable, Hashable {
        /// The file with its public keys (RFC 7517), relative to the configuration.
        public var keys: String
        /// Who issued a token, and for whom: `iss` and `aud`.
        public var (issuer, audience): (String, String)
        /// Where a token has what its holder may do.
        public var claim = "role"
        /// What that says, and the role that it stands for; empty: it names roles itself.
        public var roles: [String: String] = [:]

        public init(keys: String, issuer: String, audience: String) {
            (self.keys, self.issuer, self.audience) = (keys, issuer, audience)
        }
    }

    /// What callers may take.
    public struct Limits: Sendable, Hashable {
        /// Of a request that is not streamed, in bytes.
        public var body = 8 << 20
        public var connections = 1024
        /// Streams and long polls at once.
        public var streams = 64
        /// Signals that wait to be decided, or to be committed.
        public var queue = 100_000
        /// Requests per second and token; nil: any number.
        public var rate: Int?
        /// How long a connection may be silent.
        public var idle = Duration.seconds(60)

        public init() {}
    }
}

//! The closed sets of names of which ids consist.

use crate::names::named;

named! {
    /// One end of a connection, or one direction of a transfer. Always measured apart.
    Side ("side") {
        /// The end that opens the connection.
        Client = "client",
        /// The end that is connected to.
        Server = "server",
        /// In a bulk transfer: the server, encrypting.
        Send = "send",
        /// In a bulk transfer: the client, decrypting.
        Receive = "receive",
        /// Both ends in one process, where they can't be told apart (peak memory).
        Both = "both",
        /// A primitive: there is no peer.
        Local = "local",
    }
}

named! {
    /// Protocol version, pinned on both ends.
    TlsVersion ("TLS version") {
        /// RFC 5246.
        Tls12 = "tls1.2",
        /// RFC 8446.
        Tls13 = "tls1.3",
    }
}

named! {
    /// The record protection, pinned on both ends. In TLS 1.2 the key exchange is ECDHE
    /// and the signature follows from the key.
    CipherSuite ("cipher suite") {
        /// AES-128-GCM with SHA-256.
        Aes128Gcm = "aes128-gcm",
        /// AES-256-GCM with SHA-384.
        Aes256Gcm = "aes256-gcm",
        /// ChaCha20-Poly1305 with SHA-256.
        Chacha20 = "chacha20",
    }
}

named! {
    /// The key exchange group, pinned, or left to the library.
    Group ("group") {
        /// What the library offers and prefers when nobody asks for anything.
        Default = "default",
        /// RFC 7748.
        X25519 = "x25519",
        /// NIST P-256.
        Secp256r1 = "secp256r1",
        /// NIST P-384.
        Secp384r1 = "secp384r1",
        /// Hybrid of ML-KEM-768 and X25519; TLS 1.3 only.
        X25519MlKem768 = "x25519mlkem768",
        /// Hybrid of NIST P-256 and ML-KEM-768; TLS 1.3 only.
        Secp256r1MlKem768 = "secp256r1mlkem768",
        /// ML-KEM-768 alone; TLS 1.3 only.
        MlKem768 = "mlkem768",
    }
}

named! {
    /// The key type of the server's certificate, and of the client's with client authentication.
    CertificateKey ("key") {
        /// RSA with 2048 bits.
        Rsa2048 = "rsa-2048",
        /// RSA with 3072 bits.
        Rsa3072 = "rsa-3072",
        /// RSA with 4096 bits.
        Rsa4096 = "rsa-4096",
        /// ECDSA over NIST P-256.
        EcdsaP256 = "ecdsa-p256",
        /// ECDSA over NIST P-384.
        EcdsaP384 = "ecdsa-p384",
        /// RFC 8032.
        Ed25519 = "ed25519",
    }
}

named! {
    /// How a handshake begins.
    Resumption ("resumption") {
        /// No earlier session: certificates and a key exchange.
        Full = "full",
        /// The server keeps the session and the client names it (TLS 1.2: session id,
        /// TLS 1.3: a ticket that is only a name).
        SessionId = "session-id",
        /// The server keeps nothing: the ticket holds the session, encrypted.
        Ticket = "ticket",
        /// With 1 KiB of application data beside the client's hello, which the server accepts (0-RTT of TLS 1.3).
        EarlyData = "early-data",
    }
}

named! {
    /// What is set up anew in each operation.
    SetupWork ("setup") {
        /// The context or configuration of either side: keys, certificates and roots are read again.
        Context = "setup-context",
        /// The contexts of both sides, and a full handshake with them.
        Handshake = "setup-handshake",
        /// A process: the library, contexts of both sides, and the first handshake.
        Process = "setup-process",
    }
}

named! {
    /// How much application data a sender puts into one record, in bytes.
    RecordLimit ("record limit") {
        /// The least that RFC 6066 names.
        Bytes512 = "512",
        /// 1 KiB, which with its overhead fits into a packet of a network.
        Bytes1024 = "1024",
        /// 2 KiB.
        Bytes2048 = "2048",
        /// 4 KiB.
        Bytes4096 = "4096",
        /// What the protocol allows, and what libraries do by default.
        Protocol = "16384",
    }
}

impl RecordLimit {
    /// The number.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Bytes512 => 512,
            Self::Bytes1024 => 1024,
            Self::Bytes2048 => 2048,
            Self::Bytes4096 => 4096,
            Self::Protocol => 16_384,
        }
    }
}

named! {
    /// How many tickets a server sends after a full handshake in TLS 1.3.
    TicketCount ("number of tickets") {
        /// None.
        Zero = "0",
        /// One.
        One = "1",
        /// Two, as OpenSSL does by default.
        Two = "2",
        /// Four.
        Four = "4",
    }
}

impl TicketCount {
    /// The number.
    pub const fn number(self) -> u8 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

named! {
    /// How keys and certificates are written down.
    Encoding ("encoding") {
        /// Base64 between lines that say what it is.
        Pem = "pem",
        /// Binary.
        Der = "der",
    }
}

impl CertificateKey {
    /// Whether it is an RSA key.
    pub const fn is_rsa(self) -> bool {
        matches!(self, Self::Rsa2048 | Self::Rsa3072 | Self::Rsa4096)
    }
}

impl Group {
    /// Whether ML-KEM is part of it, which exists in TLS 1.3 only.
    pub const fn is_post_quantum(self) -> bool {
        matches!(self, Self::X25519MlKem768 | Self::Secp256r1MlKem768 | Self::MlKem768)
    }
}

named! {
    /// A direction of authenticated encryption.
    AeadWork ("direction") {
        /// Encrypting, and making the tag.
        Seal = "seal",
        /// Decrypting, and checking the tag.
        Open = "open",
    }
}

named! {
    /// A hash function.
    HashFunction ("hash function") {
        /// SHA-256.
        Sha256 = "sha256",
        /// SHA-384.
        Sha384 = "sha384",
        /// SHA-512.
        Sha512 = "sha512",
    }
}

named! {
    /// What is done with a signature key.
    SignatureWork ("signature operation") {
        /// Making a key pair.
        Generate = "generate",
        /// Signing a short message.
        Sign = "sign",
        /// Checking such a signature.
        Verify = "verify",
    }
}

named! {
    /// What is done in a Diffie-Hellman key agreement.
    AgreementWork ("agreement operation") {
        /// Making a key pair.
        Generate = "generate",
        /// Deriving the secret from one's own key and the peer's.
        Agree = "agree",
    }
}

named! {
    /// A key encapsulation mechanism.
    Kem ("key encapsulation mechanism") {
        /// ML-KEM-768 (FIPS 203).
        MlKem768 = "ml-kem-768",
    }
}

named! {
    /// What is done with a key encapsulation mechanism.
    KemWork ("encapsulation operation") {
        /// Making a key pair.
        Generate = "generate",
        /// Making a secret and its ciphertext for a public key.
        Encapsulate = "encapsulate",
        /// Reading the secret out of a ciphertext.
        Decapsulate = "decapsulate",
    }
}

//! Names in the TLS registries.

use std::borrow::Cow;

/// A handshake message (RFC 8446, section 4).
pub fn message(number: u8) -> Cow<'static, str> {
    Cow::Borrowed(match number {
        0 => "hello_request",
        1 => "client_hello",
        2 => "server_hello",
        4 => "new_session_ticket",
        5 => "end_of_early_data",
        8 => "encrypted_extensions",
        11 => "certificate",
        12 => "server_key_exchange",
        13 => "certificate_request",
        14 => "server_hello_done",
        15 => "certificate_verify",
        16 => "client_key_exchange",
        20 => "finished",
        22 => "certificate_status",
        24 => "key_update",
        25 => "compressed_certificate",
        _ => return Cow::Owned(format!("handshake message {number}")),
    })
}

/// An extension, by <https://www.iana.org/assignments/tls-extensiontype-values>. Those that are drawn by lot
/// to keep peers from minding them (RFC 8701) are all `grease`.
pub fn extension(number: u16) -> Cow<'static, str> {
    let [high, low] = number.to_be_bytes();
    if high == low && high & 0x0f == 0x0a {
        return Cow::Borrowed("grease");
    }
    Cow::Borrowed(match number {
        0 => "server_name",
        1 => "max_fragment_length",
        5 => "status_request",
        10 => "supported_groups",
        11 => "ec_point_formats",
        13 => "signature_algorithms",
        14 => "use_srtp",
        15 => "heartbeat",
        16 => "application_layer_protocol_negotiation",
        18 => "signed_certificate_timestamp",
        19 => "client_certificate_type",
        20 => "server_certificate_type",
        21 => "padding",
        22 => "encrypt_then_mac",
        23 => "extended_master_secret",
        27 => "compress_certificate",
        28 => "record_size_limit",
        34 => "delegated_credential",
        35 => "session_ticket",
        41 => "pre_shared_key",
        42 => "early_data",
        43 => "supported_versions",
        44 => "cookie",
        45 => "psk_key_exchange_modes",
        47 => "certificate_authorities",
        48 => "oid_filters",
        49 => "post_handshake_auth",
        50 => "signature_algorithms_cert",
        51 => "key_share",
        57 => "quic_transport_parameters",
        0xfd00 => "ech_outer_extensions",
        0xfe0d => "encrypted_client_hello",
        0xff01 => "renegotiation_info",
        _ => return Cow::Owned(format!("extension {number}")),
    })
}

//! The build script's reading of `src/ffi.rs`, and its questions to a compiler.

#[path = "../build/probe.rs"]
#[allow(dead_code, reason = "the build script links what is found here")]
mod probe;
#[path = "../build/surface.rs"]
mod surface;

use surface::parse;

const TEXT: &str = r#"
//! Text with `pub fn` in it.
pub type Callback = unsafe extern "C" fn(*mut SSL, c_int) -> c_int;
unsafe extern "C" {
    pub fn SSL_free(connection: *mut SSL);
    #[cfg(offered = "SSL_set1_host")]
    pub fn SSL_set1_host(
        connection: *mut SSL,
        name: *const c_char,
    ) -> c_int;
    pub fn SSL_set_callback(connection: *mut SSL, callback: Option<Callback>) -> *mut c_void;
    pub fn SSL_nothing() -> u64;
}
pub const SSL_NUMBER: c_int = 0x0100_0000;
"#;

#[test]
fn declarations_become_questions_in_c() {
    let found = parse(TEXT).unwrap();
    let seen: Vec<(&str, bool, &str)> =
        found.iter().map(|one| (&*one.name, one.optional, &*one.c)).collect();
    assert_eq!(
        seen,
        [
            ("SSL_free", false, "void (*check_SSL_free)(SSL *) = SSL_free;"),
            ("SSL_set1_host", true, "int (*check_SSL_set1_host)(SSL *, char *) = SSL_set1_host;"),
            (
                "SSL_set_callback",
                false,
                "typedef int (*Callback)(SSL *, int);\n\
                 void * (*check_SSL_set_callback)(SSL *, Callback) = SSL_set_callback;"
            ),
            ("SSL_nothing", false, "uint64_t (*check_SSL_nothing)(void) = SSL_nothing;"),
            ("SSL_NUMBER", false, "_Static_assert(SSL_NUMBER == 0x01000000, \"another value\");"),
        ]
    );
    assert!(parse("pub fn f(a: Vec<u8>);").is_err());
}

/// Each of these differs from the library in one thing only.
#[test]
fn what_the_library_does_not_have_like_this_is_not_offered() {
    let folder = std::path::PathBuf::from(std::env::var_os("OPENSSL_DIR").expect("OPENSSL_DIR"));
    let scratch = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let probe = probe::Probe::new(&folder, scratch).unwrap();
    let ask = |text: &str| probe.offers(&parse(text).unwrap().iter().collect::<Vec<_>>());
    ask("pub fn SSL_free(ssl: *mut SSL); pub const TLS1_3_VERSION: c_int = 0x0304;").unwrap();
    for wrong in [
        "pub fn SSL_no_such_function(ssl: *mut SSL);",
        "pub fn SSL_free(ssl: *mut SSL_CTX);",
        "pub fn SSL_free(ssl: *mut SSL, more: c_int);",
        "pub fn SSL_free(ssl: *mut SSL) -> c_int;",
        "pub fn SSL_version(ssl: *const SSL) -> c_long;",
        "pub const TLS1_3_VERSION: c_int = 0x0305;",
        "pub const SSL_NO_SUCH_CONSTANT: c_int = 1;",
    ] {
        assert!(ask(wrong).is_err(), "{wrong}");
    }
}

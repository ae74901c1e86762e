//! Asks the C compiler what a library offers.

use crate::surface::Declaration;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Archives of the library, in the order of linking.
pub const STATIC: [&str; 2] = ["ssl", "crypto"];
/// What they need of the system. The first two are part of the C library from glibc 2.34 on; parts of
/// BoringSSL are in C++.
const SYSTEM: [&str; 3] = ["dl", "pthread", "stdc++"];

const HEADERS: [&str; 10] =
    ["bio", "crypto", "err", "evp", "pem", "rand", "ssl", "tls1", "x509", "obj_mac"];

/// Headers that not every library has.
const OPTIONAL_HEADERS: [&str; 6] = ["aead", "ec", "hkdf", "kdf", "params", "rsa"];

/// A compiler, with a library to compile and link against.
pub struct Probe {
    system: &'static [&'static str],
    compiler: String,
    prefix: PathBuf,
    folder: PathBuf,
}

impl Probe {
    /// Checks that there is something to probe, so that a missing compiler or library is not
    /// taken for a missing function.
    pub fn new(prefix: &Path, scratch: &Path) -> Result<Self, String> {
        let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut probe = Self {
            system: &SYSTEM[..2],
            compiler,
            prefix: prefix.to_owned(),
            folder: scratch.to_owned(),
        };
        probe.offers(&[]).map_err(|message| {
            format!("can't compile and link against {}:\n{message}", prefix.display())
        })?;
        let uses = Declaration {
            name: "SSL_new".to_owned(),
            optional: false,
            c: "SSL *(*uses)(SSL_CTX *) = SSL_new;".to_owned(),
        };
        if probe.offers(&[&uses]).is_err() {
            probe.system = &SYSTEM;
        }
        Ok(probe)
    }

    /// Libraries of the system to link.
    pub const fn system(&self) -> &'static [&'static str] {
        self.system
    }

    /// Whether the headers have every declaration, with its type or value, and the archives
    /// define it.
    ///
    /// # Errors
    /// What the compiler or the linker says.
    pub fn offers(&self, declarations: &[&Declaration]) -> Result<(), String> {
        let (source, program) = (self.folder.join("probe.c"), self.folder.join("probe"));
        fs::write(&source, text(&self.prefix, declarations))
            .map_err(|error| format!("{}: {error}", source.display()))?;
        let mut command = Command::new(&self.compiler);
        // `const` came and went in OpenSSL's prototypes and does not matter to a caller. gcc 14
        // and later take the two warnings for errors anyway.
        command.args(["-Dconst=", "-Wno-deprecated-declarations"]);
        command.args(["-Werror=incompatible-pointer-types", "-Werror=int-conversion"]);
        command.arg("-I").arg(self.prefix.join("include")).arg(&source).arg("-o").arg(&program);
        command.arg("-L").arg(self.prefix.join("lib"));
        command.args(STATIC.map(|library| format!("-l:lib{library}.a")));
        command.args(self.system.iter().map(|library| format!("-l{library}")));
        let output = command.output().map_err(|error| format!("{}: {error}", self.compiler))?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// A program that compiles and links only if everything is offered.
fn text(prefix: &Path, declarations: &[&Declaration]) -> String {
    let mut text = String::from("#include <stddef.h>\n#include <stdint.h>\n");
    for header in HEADERS {
        text.push_str(&format!("#include <openssl/{header}.h>\n"));
    }
    // The compiler would find those of the system where the library has none.
    let has = |header: &&&str| prefix.join(format!("include/openssl/{header}.h")).is_file();
    for header in OPTIONAL_HEADERS.iter().filter(has) {
        text.push_str(&format!("#include <openssl/{header}.h>\n"));
    }
    for declaration in declarations {
        text.push_str(&declaration.c);
        text.push('\n');
    }
    text.push_str("int main(void) { return 0; }\n");
    text
}

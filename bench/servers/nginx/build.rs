//! Builds nginx with the library under test. The driver contains the program, so that one file is the
//! whole artifact.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// Modules that take no part in answering a request with a file.
const WITHOUT: [&str; 26] = [
    "gzip",
    "rewrite",
    "charset",
    "ssi",
    "userid",
    "access",
    "auth_basic",
    "mirror",
    "autoindex",
    "geo",
    "map",
    "split_clients",
    "referer",
    "proxy",
    "fastcgi",
    "uwsgi",
    "scgi",
    "grpc",
    "memcached",
    "limit_conn",
    "limit_req",
    "empty_gif",
    "browser",
    "upstream_hash",
    "upstream_ip_hash",
    "upstream_least_conn",
];

fn main() {
    for name in ["NGINX_SOURCE", "OPENSSL_DIR", "CC", "CFLAGS"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    let tree = out.join("nginx-source");
    let _ = fs::remove_dir_all(&tree);
    copy(Path::new(&variable("NGINX_SOURCE")), &tree).expect("nginx's source can be copied");
    configure(&tree, &variable("OPENSSL_DIR"));
    forget_options(&tree.join("objs/ngx_auto_config.h"));
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".to_owned());
    run(Command::new("make").args(["-f", "objs/Makefile", "-j", &jobs, "objs/nginx"]), &tree);
    fs::copy(tree.join("objs/nginx"), out.join("nginx")).expect("nginx can be copied");
    fs::remove_dir_all(&tree).expect("the source can be removed");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: the catalog sets it"))
}

fn configure(tree: &Path, library: &str) {
    let flags = env::var("CFLAGS").unwrap_or_default();
    let mut command = Command::new("bash");
    command
        .args(["./auto/configure", "--prefix=/", "--with-http_ssl_module"])
        .args(WITHOUT.map(|module| format!("--without-http_{module}_module")))
        // Warnings of other compilers and libraries are no errors of this build.
        .arg(format!("--with-cc-opt=-O2 -Wno-error {flags} -I{library}/include"))
        .arg(format!("--with-ld-opt=-L{library}/lib"));
    if let Ok(compiler) = env::var("CC") {
        command.arg(format!("--with-cc={compiler}"));
    }
    run(&mut command, tree);
}

/// The program tells the options that it was configured with, and these name folders of the machine.
fn forget_options(header: &Path) {
    let text = fs::read_to_string(header).expect("configure writes it");
    let kept = |line: &str| {
        if line.starts_with("#define NGX_CONFIGURE ") {
            "#define NGX_CONFIGURE \"\"".to_owned()
        } else {
            line.to_owned()
        }
    };
    let lines: Vec<String> = text.lines().map(kept).collect();
    fs::write(header, lines.join("\n") + "\n").expect("it can be written");
}

fn run(command: &mut Command, folder: &Path) {
    let ended = command.current_dir(folder).output();
    let output = ended.unwrap_or_else(|error| panic!("{command:?} can't be started: {error}"));
    assert!(
        output.status.success(),
        "{command:?} ended with {}:\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

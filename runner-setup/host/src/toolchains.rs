//! The system's compilers and libraries, as its package database has them.
//!
//! rustc is not among them: the project pins it in a file of its own, and every artifact says
//! which compilers its objects were made with.

use crate::HostRoot;
use std::fs;

/// Packages whose change can move a measurement.
const PACKAGES: [&str; 7] = ["binutils", "clang", "cmake", "gcc", "libc6", "lld", "valgrind"];

/// Names and versions of those that are installed.
pub(crate) fn toolchains(root: &HostRoot) -> Vec<(String, String)> {
    let text = fs::read(root.path("var/lib/dpkg/status")).unwrap_or_default();
    parse(&String::from_utf8_lossy(&text))
}

fn parse(status: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = status.split("\n\n").filter_map(one).collect();
    found.sort();
    found.dedup();
    found
}

fn one(paragraph: &str) -> Option<(String, String)> {
    let name = paragraph.trim_start().strip_prefix("Package: ")?.lines().next()?;
    PACKAGES.contains(&name).then_some(())?;
    let field = |key: &str| paragraph.lines().find_map(|line| line.strip_prefix(key));
    let installed = field("Status: ")?.ends_with(" installed");
    installed.then(|| Some((name.to_owned(), field("Version: ")?.to_owned())))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_packages_are_found_and_others_are_not() {
        let text = "Package: gcc\nStatus: install ok installed\nVersion: 4:12.2.0-3\n\n\
            Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9+deb12u9\n\n\
            Package: clang\nStatus: deinstall ok config-files\nVersion: 1:14.0-55\n\n\
            Package: gcc-doc\nStatus: install ok installed\nVersion: 1\n";
        let told: Vec<String> = parse(text).iter().map(|(n, v)| format!("{n} {v}")).collect();
        assert_eq!(told, ["gcc 4:12.2.0-3", "libc6 2.36-9+deb12u9"]);
        assert!(parse("").is_empty());
    }
}

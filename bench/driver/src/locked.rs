//! Versions of the crates that a driver was built with.

/// The version of a package in the text of a `Cargo.lock`; `None` if it is not there.
pub fn locked_version<'a>(lockfile: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lockfile.lines();
    lines.find(|line| **line == name)?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_by_the_whole_name() {
        let lock = "[[package]]\nname = \"aws-lc-rs\"\nversion = \"1.2.3\"\n\n\
                    [[package]]\nname = \"aws-lc\"\nversion = \"4.5.6\"\n";
        assert_eq!(locked_version(lock, "aws-lc"), Some("4.5.6"));
        assert_eq!(locked_version(lock, "aws"), None);
    }
}

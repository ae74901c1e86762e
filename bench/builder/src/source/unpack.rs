//! Unpacks untrusted archives: entries stay in the folder, and the size is limited.

use crate::BuildError;
use flate2::read::GzDecoder;
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek},
    path::{Component, Path, PathBuf},
};
use tar::{Archive, EntryType};

/// Maximum unpacked size of an archive, in bytes. OpenSSL has 70 MiB, BoringSSL 300 MiB.
const MOST_BYTES: u64 = 2 << 30;
/// Maximum number of entries in an archive.
const MOST_ENTRIES: usize = 300_000;

/// Unpacks a tar archive, gzipped or plain, into the folder `into`.
pub(super) fn unpack(archive: &Path, into: &Path) -> Result<(), BuildError> {
    open(archive).and_then(|reader| entries(reader, into)).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::Other
        | io::ErrorKind::InvalidInput => BuildError::Source {
            what: format!("{} is not an archive that can be used: {error}", archive.display()),
            log: None,
        },
        _ => BuildError::io("unpack", archive)(error),
    })
}

/// Reads a file, decompressed if it is gzipped.
fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut magic = [0; 6];
    let read = file.read(&mut magic)?;
    file.rewind()?;
    let file = BufReader::new(file);
    match &magic[..read] {
        [0x1f, 0x8b, ..] => Ok(Box::new(GzDecoder::new(file).take(MOST_BYTES))),
        [b'B', b'Z', b'h', ..] | [0xfd, b'7', b'z', ..] | [b'P', b'K', ..] | [0x28, 0xb5, ..] => {
            Err(wrong("pack it as .tar.gz; xz, bzip2, zstd and zip are not read".to_owned()))
        }
        _ => Ok(Box::new(file.take(MOST_BYTES))),
    }
}

fn wrong(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

fn entries(reader: Box<dyn Read>, into: &Path) -> io::Result<()> {
    let mut archive = Archive::new(reader);
    archive.set_preserve_mtime(false);
    let (mut bytes, mut count) = (0_u64, 0_usize);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let kind = entry.header().entry_type();
        count += 1;
        bytes = bytes.saturating_add(entry.size());
        if bytes > MOST_BYTES || count > MOST_ENTRIES {
            return Err(wrong(format!(
                "it unpacks to more than {} MiB or {MOST_ENTRIES} files",
                MOST_BYTES >> 20
            )));
        }
        if !inside(Path::new(""), &path) {
            return Err(wrong(format!("`{}` in it lies outside of it", path.display())));
        }
        match kind {
            EntryType::Regular | EntryType::Continuous | EntryType::Directory => {}
            EntryType::Symlink | EntryType::Link => check_link(&path, entry.link_name()?, kind)?,
            EntryType::XGlobalHeader => continue,
            _ => {
                return Err(wrong(format!(
                    "`{}` in it is neither file, folder nor link",
                    path.display()
                )));
            }
        }
        // Refuses to write through a link that leaves the folder.
        if !entry.unpack_in(into)? {
            return Err(wrong(format!("`{}` in it lies outside of it", path.display())));
        }
    }
    if count == 0 {
        return Err(wrong("it is empty".to_owned()));
    }
    Ok(())
}

/// Checks that a link points into the archive.
fn check_link(
    path: &Path,
    target: Option<std::borrow::Cow<'_, Path>>,
    kind: EntryType,
) -> io::Result<()> {
    let target = target.map(PathBuf::from).unwrap_or_default();
    // A symbolic link counts from where it stands, a hard link from the root.
    let from = match kind {
        EntryType::Symlink => path.parent().unwrap_or(Path::new("")),
        _ => Path::new(""),
    };
    if inside(from, &target) {
        return Ok(());
    }
    Err(wrong(format!(
        "link `{}` in it leads out of it, to `{}`",
        path.display(),
        target.display()
    )))
}

/// Whether `path`, seen from the folder `from`, stays inside the root.
fn inside(from: &Path, path: &Path) -> bool {
    let mut depth = from.components().filter(|part| matches!(part, Component::Normal(_))).count();
    for part in path.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;
    use std::{fs, io::Write};
    use tar::{Builder, Header};

    /// Writes an archive with one entry whose name is not checked by the packer.
    fn hostile(path: &Path, name: &str, kind: EntryType, link: &str) {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.as_gnu_mut().unwrap().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        let content: &[u8] = if kind == EntryType::Regular { b"x" } else { b"" };
        header.set_size(content.len() as u64);
        header.set_cksum();
        let mut builder =
            Builder::new(GzEncoder::new(File::create(path).unwrap(), Compression::fast()));
        builder.append(&header, content).unwrap();
        builder.into_inner().unwrap().finish().unwrap();
    }

    #[test]
    fn what_leads_out_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("x.tar.gz");
        for (name, kind, link) in [
            ("../evil", EntryType::Regular, ""),
            ("a/../../evil", EntryType::Regular, ""),
            ("/etc/evil", EntryType::Regular, ""),
            ("link", EntryType::Symlink, "/etc/passwd"),
            ("a/link", EntryType::Symlink, "../../evil"),
            ("link", EntryType::Link, "../evil"),
            ("device", EntryType::Char, ""),
            ("pipe", EntryType::Fifo, ""),
        ] {
            hostile(&archive, name, kind, link);
            let into = folder.path().join("into");
            let error = unpack(&archive, &into).unwrap_err();
            assert!(error.is_bad_input(), "{name}: {error}");
            assert!(!folder.path().join("evil").exists());
        }
    }

    #[test]
    fn a_file_behind_a_link_stays_inside() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("x.tar");
        let mut builder = Builder::new(File::create(&archive).unwrap());
        let mut header = Header::new_gnu();
        header.set_size(0);
        header.set_entry_type(EntryType::Symlink);
        builder.append_link(&mut header, "here", "a/b").unwrap();
        builder.finish().unwrap();
        drop(builder);
        let into = folder.path().join("into");
        fs::create_dir(&into).unwrap();
        unpack(&archive, &into).unwrap();
        assert_eq!(fs::read_link(into.join("here")).unwrap(), Path::new("a/b"));
    }

    #[test]
    fn broken_archives_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [
            ("empty", &b""[..]),
            ("text", b"this is not an archive, and is longer than a header would need to be"),
            ("xz", b"\xfd7zXZ\0rest"),
            ("gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03cut"),
        ] {
            let path = folder.path().join(name);
            File::create(&path).unwrap().write_all(content).unwrap();
            let error = unpack(&path, &folder.path().join("into")).unwrap_err();
            assert!(error.is_bad_input(), "{name}: {error}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    proptest! {
        #[test]
        fn only_paths_below_the_root_are_inside(parts in proptest::collection::vec("a|b|\\.\\.|\\.", 0..8)) {
            let path: PathBuf = parts.iter().collect();
            let mut depth = 0_i32;
            let mut left = false;
            for part in &parts {
                depth += match part.as_str() { ".." => -1, "." => 0, _ => 1 };
                left |= depth < 0;
            }
            prop_assert_eq!(inside(Path::new(""), &path), !left);
        }
    }
}

//! The objects in a file that was built.

use object::read::{File as ObjectFile, archive::ArchiveFile};
use std::{fs, io, path::Path};

/// Calls `look` with the object or program at `path`, or with each member of a static library. Whatever is no object
/// is passed over.
pub(crate) fn each(path: &Path, mut look: impl FnMut(&ObjectFile<'_>)) -> io::Result<()> {
    let data = fs::read(path)?;
    let Ok(archive) = ArchiveFile::parse(&*data) else {
        ObjectFile::parse(&*data).iter().for_each(look);
        return Ok(());
    };
    for member in archive.members() {
        let content = member.map_err(io::Error::other)?.data(&*data).map_err(io::Error::other)?;
        ObjectFile::parse(content).iter().for_each(&mut look);
    }
    Ok(())
}

//! The compilers of an object, from its `.comment` section.

use crate::objects;
use object::{Object as _, ObjectSection as _, read::File as ObjectFile};
use shakedown_protocol::CompilerSeen;
use std::{collections::BTreeMap, io, path::Path};

/// Number of objects by compiler name. Objects from assembly have none.
#[derive(Debug, Default)]
pub(crate) struct Compilers(BTreeMap<String, u32>);

impl Compilers {
    /// Reads an object, a program, or each member of a static library.
    pub(crate) fn look_into(&mut self, path: &Path) -> io::Result<()> {
        objects::each(path, |object| self.object(object))
    }

    /// Counts each name once per object.
    fn object(&mut self, object: &ObjectFile<'_>) {
        let Some(section) = object.section_by_name(".comment") else { return };
        let Ok(content) = section.data() else { return };
        let mut names: Vec<String> = content
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        names.sort();
        names.dedup();
        for name in names {
            *self.0.entry(name).or_default() += 1;
        }
    }

    /// All of them, by name.
    pub(crate) fn seen(&self) -> Vec<CompilerSeen> {
        let seen = self.0.iter();
        seen.map(|(comment, objects)| CompilerSeen { comment: comment.clone(), objects: *objects })
            .collect()
    }

    /// Adds counts from elsewhere.
    pub(crate) fn add(&mut self, seen: &[CompilerSeen]) {
        for compiler in seen {
            *self.0.entry(compiler.comment.clone()).or_default() += compiler.objects;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn this_test_was_made_by_rustc() {
        let mut compilers = Compilers::default();
        compilers.look_into(&std::env::current_exe().unwrap()).unwrap();
        let seen = compilers.seen();
        assert!(seen.iter().any(|c| c.comment.starts_with("rustc version ")), "{seen:?}");
        compilers.add(&seen);
        assert_eq!(compilers.seen()[0].objects, 2);
    }

    #[test]
    fn what_is_no_object_has_no_compiler() {
        let mut compilers = Compilers::default();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "no object").unwrap();
        compilers.look_into(&path).unwrap();
        assert!(compilers.seen().is_empty());
    }
}

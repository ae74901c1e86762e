//! The name of a public type stands for one thing in the whole workspace.

use crate::{
    arrows::CRATES,
    source::{code, root, sources},
};
use std::{collections::BTreeMap, fs};

/// Names that may be defined repeatedly, with the reason.
const REPEATED: [(&str, &str); 1] =
    [("Args", "what clap parses for one subcommand; each file of src/command has its own")];

/// The types that this code defines and that other files can use.
fn public_types(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let public = line.trim_start().strip_prefix("pub")?;
        let restriction = public.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let mut words = restriction.map_or(public, |(_, rest)| rest).split_whitespace();
        let kind = words.find(|word| *word != "unsafe")?;
        let name = words.next()?;
        let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
        ["struct", "enum", "union", "type", "trait"].contains(&kind).then_some(&name[..end])
    })
}

#[test]
fn public_types_are_found() {
    let code = "pub struct A<'a>(u8);\n  pub(crate) enum B {\npub unsafe trait C: D {\nstruct E;\npub type F<T> = G;\npub fn h() {\npublic struct I;";
    assert_eq!(public_types(code).collect::<Vec<_>>(), ["A", "B", "C", "F"]);
}

#[test]
fn no_name_of_a_public_type_stands_for_two_things() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, _, folder) in CRATES {
        for path in sources(&root().join(folder).join("src")) {
            let text = fs::read_to_string(&path).unwrap();
            for name in public_types(&code(&text)) {
                let file = path.strip_prefix(root()).unwrap().display().to_string();
                found.entry(name.to_owned()).or_default().push(file);
            }
        }
    }
    assert!(found.len() > 300, "{}", found.len());
    for (name, why) in REPEATED {
        let files = found.remove(name).unwrap_or_default();
        assert!(files.len() > 1, "`{name}` is not repeated any more ({why})");
    }
    found.retain(|_, files| files.len() > 1);
    assert!(found.is_empty(), "each of these names is defined in several files: {found:#?}");
}

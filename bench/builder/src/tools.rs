//! Checks the programs that a build needs, and reads their versions.

use crate::{BuildError, ResolvedSubject, call::Caller, catalog::RequiredProgram};
use std::collections::BTreeSet;

/// Checks that every program exists and is suitable.
///
/// # Errors
/// [`BuildError::Tools`] with all missing programs and the command that installs them.
pub(crate) fn check(caller: &Caller, wanted: &ResolvedSubject) -> Result<(), BuildError> {
    let variants = wanted.variants();
    let of_variants = variants.iter().flat_map(|variant| &variant.requires);
    let needed: Vec<&RequiredProgram> = wanted.stack.requires.iter().chain(of_variants).collect();
    let mut missing: Vec<String> = Vec::new();
    let mut packages: BTreeSet<&str> = BTreeSet::new();
    for program in needed {
        if caller.find(&program.program).is_none() {
            missing.push(program.program.clone());
        } else if !program.check.is_empty() && !fit(caller, program) {
            missing.push(format!(
                "a complete {} (`{} {}` fails)",
                program.program,
                program.program,
                program.check.join(" ")
            ));
        } else {
            continue;
        }
        packages.insert(&program.package);
    }
    let mut install = Vec::new();
    if !packages.is_empty() {
        install.push(format!(
            "apt-get install {}",
            packages.into_iter().collect::<Vec<_>>().join(" ")
        ));
    }
    let cargo = ["cargo", "rustc"].iter().filter(|name| caller.find(name).is_none());
    let cargo: Vec<String> = cargo.map(|name| (*name).to_owned()).collect();
    if !cargo.is_empty() {
        missing.extend(cargo);
        install.push("the script at https://rustup.rs, or apt-get install rustup".to_owned());
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(BuildError::Tools {
        subject: wanted.subject.to_string(),
        missing,
        install: install.join(", and "),
    })
}

fn fit(caller: &Caller, program: &RequiredProgram) -> bool {
    let arguments: Vec<&str> = program.check.iter().map(String::as_str).collect();
    caller.output(&program.program, &arguments).is_some()
}

/// The first line of `program --version`; empty if the program is missing.
pub(crate) fn identity(caller: &Caller, program: &str) -> String {
    let text = caller.output(program, &["--version"]).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_owned()
}

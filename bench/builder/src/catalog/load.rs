//! Reading and checking the files.

use super::{CatalogError, CatalogStack, range::in_range};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

pub(super) fn load(folder: &Path) -> Result<BTreeMap<String, Arc<CatalogStack>>, CatalogError> {
    let folder = folder.join("stacks");
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| CatalogError::Read { path, reason: error.to_string() }
    };
    let mut stacks = BTreeMap::new();
    for entry in fs::read_dir(&folder).map_err(unreadable(&folder))? {
        let path = entry.map_err(unreadable(&folder))?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(unreadable(&path))?;
        let stack = parse(&path, &text)?;
        stacks.insert(stack.name.clone(), Arc::new(stack));
    }
    Ok(stacks)
}

fn parse(path: &Path, text: &str) -> Result<CatalogStack, CatalogError> {
    let invalid = |at: usize, message: String| CatalogError::Invalid {
        path: path.to_owned(),
        line: text[..at.min(text.len())].matches('\n').count() + 1,
        message,
    };
    let stack: CatalogStack = toml::from_str(text).map_err(|error| {
        invalid(error.span().map_or(0, |span| span.start), error.message().to_owned())
    })?;
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if stack.name != stem {
        let message = format!("the stack is called `{}`, its file `{stem}.toml`", stack.name);
        return Err(invalid(text.find("name").unwrap_or(0), message));
    }
    match mistake(&stack) {
        None => Ok(stack),
        // The place where the word stands as a value; good enough for a person to find it.
        Some((word, message)) => {
            let quoted = [format!("\"{word}\""), format!("'{word}'")];
            let at = quoted.iter().find_map(|word| text.rfind(word.as_str())).unwrap_or(0);
            Err(invalid(at, message))
        }
    }
}

/// The first mistake in a stack: the word to locate it by, and the message.
fn mistake(stack: &CatalogStack) -> Option<(String, String)> {
    releases(stack)
        .or_else(|| variants(stack))
        .or_else(|| reference(stack))
        .or_else(|| drivers(stack))
        .or_else(|| patterns(stack))
}

fn releases(stack: &CatalogStack) -> Option<(String, String)> {
    let mut seen = BTreeSet::new();
    for known in &stack.releases {
        let version = known.version.to_string();
        if let Some(commit) = &known.commit {
            if !is_hex(commit, 40) || !known.sha256.is_empty() || known.tarball.is_some() {
                let message = format!(
                    "release {version}: `commit` is 40 lower-case hexadecimal digits, without `sha256` and `tarball`"
                );
                return Some((commit.clone(), message));
            }
        } else if stack.toolchain.is_none() && !is_hex(&known.sha256, 64) {
            let message =
                format!("release {version}: `sha256` must be 64 lower-case hexadecimal digits");
            return Some((known.sha256.clone(), message));
        }
        let (source, missing) = match (&known.commit, &known.tarball) {
            (Some(_), _) => (stack.git.is_some(), "a [git]"),
            (None, tarball) => {
                let released = stack.registry.is_some() || stack.toolchain.is_some();
                (released || tarball.is_some(), "a [crate] or its `tarball`")
            }
        };
        if !source {
            return Some((
                version.clone(),
                format!("release {version} has no source: name {missing}"),
            ));
        }
        if !seen.insert(version.clone()) {
            return Some((version.clone(), format!("release {version} stands here twice")));
        }
    }
    if stack.releases.iter().any(|known| known.version.within(&stack.default))
        || stack.releases.is_empty()
    {
        return None;
    }
    let default = stack.default.to_string();
    Some((default.clone(), format!("`default = \"{default}\"` matches none of the releases")))
}

/// Whether `text` has this number of lower-case hexadecimal digits.
fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn variants(stack: &CatalogStack) -> Option<(String, String)> {
    let mut names = BTreeSet::new();
    let mut defaults = BTreeSet::new();
    for variant in &stack.variants {
        let name = &variant.name;
        if !names.insert(name) {
            return Some((name.clone(), format!("variant `{name}` stands here twice")));
        }
        if variant.default && variant.group.as_ref().is_none_or(|group| !defaults.insert(group)) {
            return Some((
                name.clone(),
                format!("variant `{name}`: `default` is for one variant of a `group`"),
            ));
        }
        if stack.library.is_none() && !variant.options.is_empty() {
            return Some((
                name.clone(),
                format!(
                    "variant `{name}` has `options`, but the stack has no [library] to hand them to"
                ),
            ));
        }
        let cargo = [&variant.features, &variant.rustflags].iter().any(|list| !list.is_empty());
        if stack.toolchain.is_some() && (cargo || !variant.profile.is_empty()) {
            let message = format!("variant `{name}` has settings of cargo, which Go does not know");
            return Some((name.clone(), message));
        }
        let mut own = variant.run_environment.values().flatten();
        if let Some((name, value)) = own.find(|(name, _)| is_ours(name)) {
            let message =
                format!("variant `{}`: every driver runs with a `{name}` of ours", variant.name);
            return Some((value.clone(), message));
        }
    }
    let strange =
        stack.variants.iter().flat_map(|v| &v.conflicts).find(|name| !names.contains(name))?;
    Some((
        strange.clone(),
        format!("`conflicts` names `{strange}`, which is no variant of this stack"),
    ))
}

/// Whether the harness sets this variable itself, or the loader obeys it.
fn is_ours(name: &str) -> bool {
    ["LD_", "SHAKEDOWN_"].iter().any(|prefix| name.starts_with(prefix))
        || ["PATH", "LC_ALL"].contains(&name)
}

fn reference(stack: &CatalogStack) -> Option<(String, String)> {
    let mut groups = BTreeSet::new();
    for name in &stack.reference {
        let Some(variant) = stack.variant(name) else {
            let message = format!("`reference` names `{name}`, which is no variant of this stack");
            return Some((name.clone(), message));
        };
        if variant.group.as_ref().is_some_and(|group| !groups.insert(group)) {
            let message = format!("`reference` names `{name}` and another variant of its group");
            return Some((name.clone(), message));
        }
    }
    None
}

fn drivers(stack: &CatalogStack) -> Option<(String, String)> {
    for driver in &stack.drivers {
        let library =
            stack.library.is_some() || stack.system.is_some() || stack.toolchain.is_some();
        if !library && driver.inject.is_empty() && !stack.is_bare() {
            let message = format!(
                "driver `{}` gets no library: name the crates to `inject`, or a [library]",
                driver.package
            );
            return Some((driver.package.clone(), message));
        }
    }
    for driver in &stack.drivers {
        if let Some(name) = &driver.variant
            && stack.variant(name).is_none()
        {
            let message = format!(
                "driver `{}` is for variant `{name}`, which this stack does not have",
                driver.package
            );
            return Some((name.clone(), message));
        }
    }
    let orphan = stack.releases.iter().find(|known| {
        let general = stack.drivers.iter().filter(|driver| driver.variant.is_none());
        let serving =
            general.filter(|d| in_range(&known.version, d.since.as_ref(), d.before.as_ref()));
        serving.count() != 1
    })?;
    let version = orphan.version.to_string();
    Some((version.clone(), format!("release {version} must be served by exactly one [[driver]]")))
}

fn patterns(stack: &CatalogStack) -> Option<(String, String)> {
    let tree = stack.library.iter().flat_map(|library| &library.versions).map(|v| &v.pattern);
    let tags = stack.git.iter().filter_map(|git| git.tags.as_ref());
    let mut wrong =
        tree.chain(tags).filter_map(|pattern| Some((pattern, regex::Regex::new(pattern).err()?)));
    let (pattern, error) = wrong.next()?;
    Some((pattern.clone(), format!("`{pattern}` is not a regular expression: {error}")))
}

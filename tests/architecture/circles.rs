//! Parts of a crate that import from each other in a circle can't be read one after the other.

use crate::{
    arrows::CRATES,
    source::{code, imports, root, sources},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// For each module, the modules that it imports from, each with one file that does.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// Where the names at the root of a crate come from: its modules and what it exports of them.
fn origins(root: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for statement in root.split(';') {
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        if let Some((_, module)) = statement.rsplit_once("mod ") {
            found.extend(words(module).pop().map(|name| (name.clone(), name)));
        } else if let Some((_, path)) = statement.rsplit_once("use ") {
            let path = words(path.strip_prefix("crate::").unwrap_or(path));
            let Some((module, names)) = path.split_first() else { continue };
            found.extend(names.iter().map(|name| (name.clone(), module.clone())));
        }
    }
    found
}

/// Who imports from whom between the modules at the root of the crate in this folder.
fn graph(folder: &Path) -> Graph {
    let roots = ["lib.rs", "main.rs"].map(|name| fs::read_to_string(folder.join(name)));
    let origins: BTreeMap<String, String> =
        roots.into_iter().flatten().flat_map(|text| origins(&code(&text))).collect();
    let modules: BTreeSet<&String> = origins.values().collect();
    let mut graph = Graph::new();
    for path in sources(folder) {
        let file = path.strip_prefix(folder).unwrap();
        let inside = file.with_extension("");
        let parts: Vec<&str> = inside.iter().map(|part| part.to_str().unwrap()).collect();
        let module = parts[0].to_owned();
        if parts.contains(&"tests") || !modules.contains(&module) {
            continue;
        }
        let text = code(&fs::read_to_string(&path).unwrap());
        let depth = parts.iter().filter(|part| **part != "mod").count();
        let up = vec!["super"; depth].join("::");
        let names = imports(&text, "crate").into_iter().chain(imports(&text, &up));
        let others = names.filter_map(|name| origins.get(&name)).filter(|other| **other != module);
        let found = others.map(|other| (other.clone(), file.display().to_string()));
        graph.entry(module.clone()).or_default().extend(found);
    }
    graph
}

/// A shortest circle, as `a -> b (file that imports b) -> a (file that imports a)`.
fn circle(graph: &Graph) -> Option<String> {
    let through = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut next = vec![(start, start.clone())];
        while !next.is_empty() {
            let mut further = Vec::new();
            for (module, way) in next {
                for (other, file) in graph.get(module).into_iter().flatten() {
                    let way = format!("{way} -> {other} ({file})");
                    if other == start {
                        return Some(way);
                    }
                    if seen.insert(other) {
                        further.push((other, way));
                    }
                }
            }
            next = further;
        }
        None
    };
    graph.keys().filter_map(through).min_by_key(|way| way.matches("->").count())
}

#[test]
fn a_circle_is_found_and_named() {
    let graph = |edges: &[(&str, &str)]| -> Graph {
        let mut graph = Graph::new();
        for (from, to) in edges {
            let others = graph.entry((*from).to_owned()).or_default();
            others.insert((*to).to_owned(), format!("{from}.rs"));
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = circle(&graph(&[("x", "a"), ("a", "b"), ("b", "c"), ("c", "b")])).unwrap();
    assert_eq!(found, "b -> c (b.rs) -> b (c.rs)");
}

#[test]
fn an_exported_name_leads_to_its_module() {
    let found = origins("mod a;\npub mod b;\npub use a::{C, inner::D};\nuse std::fs;");
    let of = |name: &str| found.get(name).map(String::as_str);
    assert_eq!([of("a"), of("b"), of("C"), of("D")], [Some("a"), Some("b"), Some("a"), Some("a")]);
    assert_eq!(code("use a;\n// use b;\n#[cfg(test)]\nmod tests { use c; }"), "use a;\n");
}

#[test]
fn no_modules_import_from_each_other_in_a_circle() {
    for (name, _, folder) in CRATES {
        let graph = graph(&root().join(folder).join("src"));
        assert!(graph.len() > 2, "{name}: {graph:?}");
        assert_eq!(circle(&graph), None, "in {name}");
    }
}

//! The import graph between the files of `src`.
//!
//! An edge leads from the file that names an item to the file that defines it: names that pass through a `use` of a
//! module are followed. `mod` declarations and re-exports (`pub use`) of a module are no edges.

use super::{Source, expand, is_word};
use std::collections::{BTreeMap, BTreeSet};

/// Files by module path, and what each binds by `use`.
pub(crate) struct Graph<'a> {
    modules: BTreeMap<Vec<String>, File<'a>>,
}

struct File<'a> {
    path: &'a str,
    /// The code without `pub use` and without renaming (`as`).
    code: String,
    /// Name to the absolute path that a `use` binds it to.
    bound: BTreeMap<String, Vec<String>>,
}

impl<'a> Graph<'a> {
    pub(crate) fn of(sources: &'a [Source]) -> Self {
        let kept = || sources.iter().filter(|source| !source.is_test);
        let names: BTreeSet<Vec<String>> = kept().map(|source| module_path(&source.path)).collect();
        let modules = kept().map(|source| {
            let module = module_path(&source.path);
            let code = without_renaming(&source.code);
            let (bound, code) = bindings(&module, &code, &names);
            (module, File { path: &source.path, code, bound })
        });
        Self { modules: modules.collect() }
    }

    /// The files that each file depends on.
    pub(crate) fn edges(&self) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        self.modules.iter().map(|(module, file)| (file.path, self.targets(module, file))).collect()
    }

    fn targets(&self, module: &[String], file: &File<'a>) -> BTreeSet<&'a str> {
        let children = self.modules.keys().filter(|other| other.len() == module.len() + 1 && other.starts_with(module));
        let mut heads: BTreeSet<&str> = children.filter_map(|child| child.last().map(String::as_str)).collect();
        heads.extend(["crate", "clearsweep", "super", "self"]);
        // A module that was brought into scope: `use super::digest; digest::of(..)`.
        heads.extend(file.bound.iter().filter(|(_, to)| self.is_module(to)).map(|(name, _)| name.as_str()));
        let mut paths = BTreeSet::new();
        for at in heads.iter().flat_map(|head| heads_in(&file.code, head)) {
            expand(&file.code[at..], "", &mut paths);
        }
        let known = |path: &[String]| self.modules.contains_key(path);
        let absolute = paths.iter().filter_map(|path| absolute(module, path, &file.bound, known));
        absolute.filter_map(|path| self.defining(path)).filter(|target| *target != file.path).collect()
    }

    /// The file that defines the item at this path; none for a module.
    fn defining(&self, mut path: Vec<String>) -> Option<&'a str> {
        for _ in 0..8 {
            let (file, count) = self.longest(&path)?;
            match file.bound.get(path.get(count)?) {
                Some(to) if *to != path => path = to.iter().chain(&path[count + 1..]).cloned().collect(),
                _ => return Some(file.path),
            }
        }
        None
    }

    /// The file of the longest prefix that is a module, and the length of that prefix.
    fn longest(&self, path: &[String]) -> Option<(&File<'a>, usize)> {
        (0..=path.len()).rev().find_map(|count| {
            let file = self.modules.get(&path[..count])?;
            Some((file, count))
        })
    }

    fn is_module(&self, path: &[String]) -> bool {
        self.modules.contains_key(path)
    }
}

/// Groups of two files or more, each of which reaches all others of its group.
pub(crate) fn circles<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<Vec<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = edges.keys().map(|&from| (from, reach(edges, from))).collect();
    let mut done = BTreeSet::new();
    let mut groups = Vec::new();
    for &file in edges.keys() {
        if done.contains(file) || !reached[file].contains(file) {
            continue;
        }
        let group: Vec<&str> = reached[file].iter().copied().filter(|&other| reached[other].contains(file)).collect();
        done.extend(group.iter().copied());
        groups.push(group);
    }
    groups
}

/// Returns the files behind one edge or more.
fn reach<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(file) = open.pop() {
        for &next in edges.get(file).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

/// `scene/tables/cells.rs` is `[scene, tables, cells]`; the crate's root is empty.
fn module_path(path: &str) -> Vec<String> {
    let mut parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib"))) {
        parts.pop();
    }
    parts.into_iter().map(str::to_owned).collect()
}

/// Finds the places at which `head::` begins a path.
fn heads_in<'c>(code: &'c str, head: &str) -> impl Iterator<Item = usize> + use<'c> {
    let before = |at: usize| code[..at].bytes().next_back();
    code.match_indices(&format!("{head}::"))
        .map(|(at, _)| at)
        .filter(|&at| !before(at).is_some_and(|byte| is_word(byte) || byte == b':'))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The path from the crate's root; none for what other crates define.
fn absolute(
    module: &[String],
    path: &str,
    bound: &BTreeMap<String, Vec<String>>,
    is_module: impl Fn(&[String]) -> bool,
) -> Option<Vec<String>> {
    let parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
    let (first, rest) = parts.split_first()?;
    let mut base = module.to_vec();
    let mut rest = rest;
    match *first {
        "crate" | "clearsweep" => base.clear(),
        "self" => {}
        "super" => {
            base.pop()?;
            while let Some((&"super", more)) = rest.split_first() {
                base.pop()?;
                rest = more;
            }
        }
        name => {
            base.push(name.to_owned());
            if !is_module(&base) {
                let to = bound.get(name)?;
                return Some(to.iter().cloned().chain(rest.iter().map(|part| (*part).to_owned())).collect());
            }
        }
    }
    base.extend(rest.iter().filter(|part| **part != "self").map(|part| (*part).to_owned()));
    Some(base)
}

/// Returns the names that the `use` items bind, and the code without those that re-export.
fn bindings(module: &[String], code: &str, modules: &BTreeSet<Vec<String>>) -> (BTreeMap<String, Vec<String>>, String) {
    let mut bound = BTreeMap::new();
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let is_item = !rest[..at].bytes().next_back().is_some_and(is_word);
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end + 1);
        if !is_item {
            kept.push_str(&rest[..at + 4]);
            rest = &rest[at + 4..];
            continue;
        }
        let mut paths = BTreeSet::new();
        expand(&rest[at + 4..end], "", &mut paths);
        for path in paths {
            if let Some(to) = absolute(module, &path, &BTreeMap::new(), |path| modules.contains(path))
                && let Some(name) = to.last().cloned()
            {
                bound.insert(name, to);
            }
        }
        let line = rest[..at].rfind(['\n', ';', '}']).map_or(0, |line| line + 1);
        let is_public = rest[line..at].trim_start().starts_with("pub");
        kept.push_str(&rest[..if is_public { at } else { end }]);
        rest = &rest[end..];
    }
    kept.push_str(rest);
    (bound, kept)
}

/// The code without ` as NAME`.
fn without_renaming(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(" as ") {
        out.push_str(&rest[..at]);
        let name = &rest[at + 4..];
        rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    }
    out + rest
}

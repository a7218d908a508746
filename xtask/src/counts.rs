//! `cargo xtask counts`: how large the house is, and how its rooms hang together.
//!
//! Lines and types without tests, circles of files that import each other, and the lines of all
//! crates that are compiled again after a change in one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path, the modules that it imports, and what it holds without tests.
struct Source {
    /// Crate, and module path in it.
    modules: Vec<String>,
    lines: usize,
    types: usize,
    /// Paths of modules in the same crate, as `use` names them.
    imports: Vec<Vec<String>>,
}

pub(crate) fn main() -> Result<bool, String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut crates = BTreeMap::new();
    let folders = fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))?;
    let mut folders: Vec<PathBuf> = folders.flatten().map(|entry| entry.path()).collect();
    folders.extend([root.to_owned(), root.join("python"), root.join("xtask")]);
    for folder in folders {
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let name = manifest.split("\nname = \"").nth(1).and_then(|rest| rest.split('"').next());
        let Some(name) = name.filter(|name| !["clearsweep-testing", "xtask"].contains(name)) else { continue };
        let mut sources = Vec::new();
        collect(&folder.join("src"), &mut Vec::new(), &mut sources);
        crates.insert(name.to_owned(), (dependencies(&manifest), sources));
    }
    let (mut lines, mut types, mut circles) = (0, 0, 0);
    println!("crate                     files   lines  types  circles of files");
    for (name, (_, sources)) in &crates {
        let of = |count: fn(&Source) -> usize| sources.iter().map(count).sum::<usize>();
        let [own_lines, own_types] = [of(|source| source.lines), of(|source| source.types)];
        let own = circles_of(sources);
        println!("{name:24} {:>6} {own_lines:>7} {own_types:>6}  {}", sources.len(), own.join("; "));
        (lines, types) = (lines + own_lines, types + own_types);
        circles += own.len();
    }
    println!("\n{lines} lines, {types} types, {circles} circles");
    println!("\nlines compiled again after a change in:");
    for name in crates.keys() {
        let mut reached = BTreeSet::from([name.clone()]);
        while let Some((next, _)) =
            crates.iter().find(|(other, (of, _))| !reached.contains(*other) && of.iter().any(|of| reached.contains(of)))
        {
            reached.insert(next.clone());
        }
        let of = |name: &String| crates[name].1.iter().map(|source| source.lines).sum::<usize>();
        println!("{name:24} {:>7} in {} crates", reached.iter().map(of).sum::<usize>(), reached.len());
    }
    Ok(true)
}

/// The crates of this repository that a manifest needs: not those of its tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| line.split([' ', '.', '=']).next());
    names.filter(|name| name.starts_with("clearsweep")).map(str::to_owned).collect()
}

/// Reads the files of a folder, those of tests excepted.
fn collect(folder: &Path, modules: &mut Vec<String>, to: &mut Vec<Source>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == "tests" {
            continue;
        }
        if path.is_dir() {
            modules.push(name);
            collect(&path, modules, to);
            modules.pop();
        } else if let (true, Ok(text)) = (path.extension().is_some_and(|is| is == "rs"), fs::read_to_string(&path)) {
            let mut own = modules.clone();
            own.extend((!["lib", "main", "mod"].contains(&&*name)).then_some(name));
            to.push(source(own, &text));
        }
    }
}

/// A file up to its tests.
fn source(modules: Vec<String>, text: &str) -> Source {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_type = |line: &&str| {
        let rest =
            line.trim_start().trim_start_matches("pub").trim_start_matches("(super)").trim_start_matches("(crate)");
        let rest = rest.trim_start();
        let is_alias = rest.starts_with("type ") && !line.starts_with(' ');
        is_alias || ["struct ", "enum ", "union ", "trait "].iter().any(|word| rest.starts_with(word))
    };
    let mut imports = Vec::new();
    for statement in text.split(';') {
        let Some((_, tree)) = statement.rsplit_once("\nuse ").or_else(|| statement.rsplit_once("\npub use ")) else {
            continue;
        };
        // A module whose private items another one takes is imported by its path up to the items.
        paths(tree.trim(), &modules, &mut imports);
    }
    Source { lines: text.lines().count(), types: text.lines().filter(is_type).count(), modules, imports }
}

/// The module paths of an import; groups are taken apart at their first level.
fn paths(tree: &str, modules: &[String], to: &mut Vec<Vec<String>>) {
    let (head, group) = tree.split_once('{').unwrap_or((tree, ""));
    let mut base: Vec<String> = Vec::new();
    let mut words = head.split("::").map(str::trim).filter(|word| !word.is_empty()).peekable();
    match words.peek() {
        Some(&"crate") => drop(words.next()),
        Some(&("super" | "self")) => {
            base = modules.to_vec();
            while let Some(word) = words.next_if(|word| ["super", "self"].contains(word)) {
                if word == "super" {
                    base.pop();
                }
            }
        }
        _ => return,
    }
    base.extend(words.map(str::to_owned));
    if group.is_empty() {
        to.push(base);
        return;
    }
    for item in group.trim_end_matches('}').split(',') {
        let mut path = base.clone();
        path.extend(item.split("::").map(|word| word.trim().trim_matches(['{', '}']).to_owned()));
        to.push(path);
    }
}

/// The modules of each circle of a crate: files each of which reaches the others by imports.
fn circles_of(sources: &[Source]) -> Vec<String> {
    let at: BTreeMap<&[String], usize> =
        sources.iter().enumerate().map(|(at, source)| (&source.modules[..], at)).collect();
    let reaches = |source: &Source| -> BTreeSet<usize> {
        let file = |path: &Vec<String>| (0..=path.len()).rev().find_map(|count| at.get(&path[..count])).copied();
        source.imports.iter().filter_map(file).collect()
    };
    let direct: Vec<BTreeSet<usize>> = sources.iter().map(reaches).collect();
    let all = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            open.extend(direct[next].iter().copied().filter(|&to| to != next && seen.insert(to)));
        }
        seen
    };
    let reached: Vec<BTreeSet<usize>> = (0..sources.len()).map(all).collect();
    let mut found = BTreeSet::new();
    for from in 0..sources.len() {
        let circle: BTreeSet<usize> = reached[from].iter().copied().filter(|&to| reached[to].contains(&from)).collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    let name = |&at: &usize| sources[at].modules.join("::");
    found.iter().map(|circle| circle.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
}

//! No two types of the crate share a name: a name in a message, a search or a review leads to one place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names that several types have, each with its reason.
const SHARED: [(&str, &str); 0] = [];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

/// Whether a file holds tests only.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| ["tests", "tests.rs"].iter().any(|name| part.as_os_str() == *name))
}

/// The name of the type that a line at the left margin declares.
fn declared(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let name = ["struct ", "enum ", "trait ", "type "].iter().find_map(|keyword| line.strip_prefix(keyword))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end])
}

#[test]
fn no_two_types_share_a_name() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| !is_test(file)) {
        let text = std::fs::read_to_string(file).expect("a readable source");
        for (number, line) in text.lines().enumerate() {
            if let Some(name) = declared(line) {
                places.entry(name.to_owned()).or_default().push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(places.len() > 300, "only {} types were found", places.len());
    let shared: Vec<_> =
        places.iter().filter(|(name, at)| at.len() > 1 && !SHARED.iter().any(|s| s.0 == *name)).collect();
    assert!(shared.is_empty(), "types that share a name: {shared:#?}");
    for (name, _) in SHARED {
        assert!(places.get(name).is_some_and(|at| at.len() > 1), "{name} is no longer shared: take it off the list");
    }
}

#[test]
fn declarations_are_told_from_other_lines() {
    assert_eq!(declared("pub(in crate::narrow) struct Verified {"), Some("Verified"));
    assert_eq!(declared("enum Kind<'a> {"), Some("Kind"));
    assert_eq!(declared("pub trait RowSink {"), Some("RowSink"));
    assert_eq!(declared("    type Out = ();"), None);
    assert_eq!(declared("fn structure() {}"), None);
}

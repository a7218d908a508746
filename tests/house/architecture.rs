//! Keeps the invariants of the modules that are no crates of their own, by reading the sources.
//!
//! Imports run downward only: the crates, {table, generate}, engine, cli. Files form no circles. Of the crates Cargo.toml and
//! clippy.toml keep the same.
//! Code under `#[cfg(test)]` is free to cross; comments and strings are not code.

mod circles;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Modules and the floor of the house that they live on. What lives on the same floor does not know each other.
const FLOORS: [(&str, u8); 15] = [
    ("error", 0),
    ("simd", 0),
    ("workers", 0),
    ("geometry", 1),
    ("input_guard", 1),
    ("scene", 2),
    ("trajectory", 3),
    ("broad", 3),
    ("narrow", 3),
    ("table", 3),
    ("engine", 4),
    ("generate", 3),
    ("bench_support", 5),
    ("cli", 6),
    ("main", 6),
];

/// The only imports across a floor: (module, prefix of the path it may name, why).
const ACROSS: [(&str, &str, &str); 5] = [
    ("broad", "trajectory::Bounds", "the lattice spans the whole input"),
    ("table", "narrow::proximity", "rows are plain data"),
    (
        "table",
        "narrow::{DirectionalDistance|DirectionalRelation|FeatureKind|IntervalProximity|IntervalMethod|IntervalStatus|Method|Proximity|Status}",
        "rows are plain data",
    ),
    ("generate", "table::trajectory_file", "data sets are written, not computed"),
    ("generate", "table::number_table", "data sets are written, not computed"),
];

/// The library re-exports these at its root.
const ROOT_NAMES: [&str; 3] = ["Error", "ErrorKind", "Result"];

/// Imports that close a circle between a type and its builder: (file, file that it names, why).
const TYPE_AND_BUILDER: [(&str, &str, &str); 0] = [];

/// Most lines of a source file.
const LINES: usize = 500;

/// A source file: its path under `src/`, its module, and its code without comments, strings and test modules.
struct Source {
    path: String,
    module: String,
    code: String,
    /// Nothing but tests: `tests.rs` or a folder `tests/`.
    is_test: bool,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    walk(&root, &mut found);
    found.sort();
    assert!(found.len() > 30, "the sources are not where they were: {} files", found.len());
    found.iter().map(|path| read(&root, path)).collect()
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

fn read(root: &Path, file: &Path) -> Source {
    let text = std::fs::read_to_string(file).expect("a readable source");
    let parts: Vec<String> = file
        .strip_prefix(root)
        .expect("under src")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let module = parts[0].trim_end_matches(".rs").to_owned();
    let is_test = parts.iter().any(|part| part == "tests" || part == "tests.rs");
    Source { path: parts.join("/"), module, code: without_tests(&code_of(&text)), is_test }
}

/// The text with comments and the contents of strings and characters blanked; line breaks stay.
fn code_of(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    let blank = |out: &mut String, from: usize, to: usize| {
        out.extend(bytes[from..to].iter().map(|&b| if b == b'\n' { '\n' } else { ' ' }));
    };
    while i < bytes.len() {
        let end = match bytes[i] {
            b'/' if bytes.get(i + 1) == Some(&b'/') => find(bytes, i, b"\n", 0),
            b'/' if bytes.get(i + 1) == Some(&b'*') => find(bytes, i + 2, b"*/", 2),
            b'"' => end_of_string(bytes, i),
            b'r' | b'b' if !i.checked_sub(1).is_some_and(|p| is_word(bytes[p])) => match raw_string(bytes, i) {
                Some(end) => end,
                None => i,
            },
            b'\'' => end_of_char(bytes, i),
            _ => i,
        };
        if end > i {
            blank(&mut out, i, end);
            i = end;
        } else {
            out.push(char::from(bytes[i]));
            i += 1;
        }
    }
    out
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Finds the next place of `what` after `from`, plus `add`; the end if there is none.
fn find(bytes: &[u8], from: usize, what: &[u8], add: usize) -> usize {
    let at = bytes[from..].windows(what.len()).position(|window| window == what);
    at.map_or(bytes.len(), |at| from + at + add)
}

fn end_of_string(bytes: &[u8], quote: usize) -> usize {
    let mut i = quote + 1;
    while i < bytes.len() && bytes[i] != b'"' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    (i + 1).min(bytes.len())
}

/// The end of `r"..."`, `r#"..."#`, `b"..."`, `br"..."`, if one begins here.
fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut i = at;
    if bytes.get(i) == Some(&b'b') {
        i += 1;
        if bytes.get(i) == Some(&b'"') {
            return Some(end_of_string(bytes, i));
        }
    }
    if bytes.get(i) != Some(&b'r') {
        return None;
    }
    let hashes = bytes[i + 1..].iter().take_while(|&&b| b == b'#').count();
    if bytes.get(i + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    Some(find(bytes, i + 2 + hashes, &close, close.len()))
}

/// The end of a character literal; a lifetime is left as it is.
fn end_of_char(bytes: &[u8], quote: usize) -> usize {
    match bytes.get(quote + 1) {
        Some(b'\\') => find(bytes, quote + 3, b"'", 1),
        Some(_) => {
            let end = bytes[quote + 1..].iter().take(5).position(|&b| b == b'\'').map(|at| quote + 1 + at);
            // 'a' is a character; 'a, and 'a: are lifetimes. Characters of several bytes end within five.
            match end {
                Some(end) if end == quote + 2 || bytes[quote + 1] >= 0x80 => end + 1,
                _ => quote,
            }
        }
        None => quote,
    }
}

/// Blanks what stands under `#[cfg(test)]`: the item up to its closing brace, or its semicolon.
fn without_tests(code: &str) -> String {
    let mut rest = code;
    let mut out = String::with_capacity(code.len());
    while let Some(at) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..at]);
        let item = &rest[at..];
        rest = &item[end_of_item(item)..];
    }
    out + rest
}

fn end_of_item(item: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in item.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

/// All paths of the crate that the code names, written or reached by `crate::` and `super::`, groups spelt out.
fn crate_paths(source: &Source) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for at in starts(&source.code, "crate::").chain(starts(&source.code, "clearsweep::")) {
        expand(&source.code[at..], "", &mut found);
    }
    for at in starts(&source.code, "super::").filter(|&at| !source.code[..at - 7].ends_with("super::")) {
        let rest = &source.code[at..];
        let more = rest.split("super::").take_while(|part| part.is_empty()).count();
        if 1 + more >= depth(&source.path) {
            expand(&rest[7 * more..], "", &mut found);
        }
    }
    found
}

/// How many `super` lead from a file of the library to the crate's root.
fn depth(path: &str) -> usize {
    let parts = path.split('/').count();
    let is_folder = path.ends_with("/mod.rs");
    if is_folder { parts - 1 } else { parts }
}

/// The positions behind every occurrence of `word` that is not the end of a longer one.
fn starts<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word)
        .filter(|&(at, _)| !code[..at].bytes().next_back().is_some_and(is_word))
        .map(move |(at, _)| at + word.len())
}

/// Adds the paths that begin here: `a::b::c`, or `{a, b::{c, d}}`.
fn expand(code: &str, prefix: &str, found: &mut BTreeSet<String>) -> usize {
    let bytes = code.as_bytes();
    let mut path = String::from(prefix);
    let mut i = 0;
    loop {
        while i < bytes.len() && bytes[i].is_ascii_whitespace() {
            i += 1;
        }
        if bytes.get(i) == Some(&b'{') {
            i += 1;
            loop {
                while i < bytes.len() && (bytes[i].is_ascii_whitespace() || bytes[i] == b',') {
                    i += 1;
                }
                if i >= bytes.len() || bytes[i] == b'}' {
                    return i + 1;
                }
                let used = expand(&code[i..], &path, found);
                i += used.max(1);
            }
        }
        let word = bytes[i..].iter().take_while(|&&b| is_word(b)).count();
        path.push_str(&code[i..i + word]);
        i += word;
        if word > 0 && code[i..].starts_with("::") {
            path.push_str("::");
            i += 2;
        } else {
            found.insert(path.trim_end_matches("::").to_owned());
            return i;
        }
    }
}

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// Whether a path fits an entry of [`ACROSS`]; `{A|B}` at the end stands for either name.
fn fits(path: &str, allowed: &str) -> bool {
    match allowed.split_once("{") {
        None => path == allowed || path.starts_with(&format!("{allowed}::")),
        Some((prefix, names)) => path.strip_prefix(prefix).is_some_and(|rest| {
            let first = rest.split("::").next().unwrap_or("");
            names.trim_end_matches('}').split('|').any(|name| name == first)
        }),
    }
}

fn is_allowed(module: &str, path: &str) -> bool {
    let target = path.split("::").next().unwrap_or("");
    if target == module || ROOT_NAMES.contains(&target) {
        return true;
    }
    match (floor(module), floor(target)) {
        (Some(own), Some(other)) if other < own => true,
        _ => ACROSS.iter().any(|(who, what, _)| *who == module && fits(path, what)),
    }
}

/// Whether the code has this word (`a::b` counts as a word).
fn names(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].bytes().next_back().is_some_and(is_word);
        let after = code[at + word.len()..].bytes().next().is_some_and(is_word);
        !(before || after && word.bytes().next_back().is_some_and(is_word))
    })
}

/// Fails with a line for every file outside `allowed` that has one of `words`.
fn only(words: &[&str], allowed: impl Fn(&Source) -> bool, why: &str) {
    let mut offences = String::new();
    for source in sources().iter().filter(|source| !source.is_test) {
        for word in words.iter().filter(|word| names(&source.code, word)) {
            if !allowed(source) {
                let _ = writeln!(offences, "src/{} names `{word}`", source.path);
            }
        }
    }
    assert!(offences.is_empty(), "{why}\n{offences}");
}

#[test]
fn the_reader_of_sources_sees_code_only() {
    let text = r###"
use crate::{a::{B, c::D}, e}; // crate::comment
/* crate::block */ let s = "crate::string \" crate::more"; let r = r#"crate::raw " "#; let c = '"'; let l: &'a str;
fn f<'b>(x: &'b u8) { super::super::up::g(); crate::h::<u8>(); }
#[cfg(test)]
mod tests { use crate::hidden; fn t() { if true { } } }
fn after() { crate::seen::it(); }
"###;
    let code = without_tests(&code_of(text));
    let source = Source { path: "x/y.rs".to_owned(), module: "x".to_owned(), code, is_test: false };
    let paths = crate_paths(&source);
    let expected = ["a::B", "a::c::D", "e", "h", "seen::it", "up::g"];
    assert_eq!(paths.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert_eq!(
        [depth("lib.rs"), depth("x/mod.rs"), depth("x/y.rs"), depth("x/y/mod.rs"), depth("x/y/z.rs")],
        [1, 1, 2, 2, 3]
    );
}

#[test]
fn the_rules_can_be_broken() {
    assert!(is_allowed("engine", "table::Row") && is_allowed("broad", "trajectory::Bounds"));
    assert!(is_allowed("table", "narrow::Proximity") && is_allowed("table", "narrow::proximity::Status"));
    for (module, path) in [
        ("geometry", "scene::Shape"),
        ("scene", "narrow::BodyPoses"),
        ("broad", "trajectory::Trajectory"),
        ("table", "narrow::NarrowPhase"),
        ("narrow", "table::Row"),
        ("trajectory", "broad"),
        ("generate", "engine"),
        ("generate", "table::TableWriter"),
        ("engine", "cli::run"),
        ("error", "geometry"),
    ] {
        assert!(!is_allowed(module, path), "{module} may not name {path}");
    }
    assert!(names("use rayon::prelude;", "rayon") && !names("let crayons = 1;", "rayon"));
    assert!(names("println!(x)", "println!") && !names("eprintln!(x)", "println!"));
}

#[test]
fn imports_run_downward() {
    let mut offences = String::new();
    let mut checked = 0;
    for source in sources().iter().filter(|source| !source.is_test && source.path != "lib.rs") {
        assert!(floor(&source.module).is_some(), "src/{} is on no floor: add its module to FLOORS", source.path);
        for path in crate_paths(source) {
            checked += 1;
            // Within the program, `crate::` is the program itself.
            let own = source.module == "main" || source.module == "cli";
            if !(own && path.starts_with("cli") || is_allowed(&source.module, &path)) {
                let _ = writeln!(offences, "src/{} names {path}", source.path);
            }
        }
    }
    assert!(checked > 50, "only {checked} imports were found: the reader is blind");
    assert!(offences.is_empty(), "imports run downward only, and stages do not know each other:\n{offences}");
}

#[test]
fn only_reader_and_writer_know_arrow_and_parquet() {
    let words =
        ["arrow_array", "arrow_buffer", "arrow_cast", "arrow_ipc", "arrow_schema", "arrow_select", "arrow", "parquet"];
    let allowed = |source: &Source| source.module == "table";
    only(&words, allowed, "formats stay in the stages that read and write them");
}

#[test]
fn only_stages_with_a_reason_use_rayon() {
    // engine: hands candidates to threads. table: encodes columns side by side.
    let allowed = |source: &Source| ["engine", "table"].contains(&source.module.as_str());
    only(&["rayon"], allowed, "work is fanned out in few places");
}

#[test]
fn the_library_does_not_print_exit_or_read_the_environment() {
    let words = [
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "dbg!",
        "std::process::exit",
        "process::exit",
        "stdout",
        "stderr",
        "std::env::var",
        "std::env::vars",
        "std::env::var_os",
        "std::env::args",
        "env::var",
        "env::args",
        "current_dir",
        "set_current_dir",
    ];
    let allowed = |source: &Source| source.module == "cli" || source.module == "main";
    only(&words, allowed, "only the program talks to its surroundings");
}

#[test]
fn the_program_prints_in_one_place() {
    // println! panics when the reader of a pipe is gone.
    only(&["println!", "eprintln!", "print!", "eprint!"], |_| false, "print through cli::stdout, or write to stderr");
}

#[test]
fn values_use_no_fused_multiply_add() {
    only(&["mul_add"], |_| false, "a fused multiply-add gives other bits than the two operations");
}

#[test]
fn files_fit_a_head() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&root.join("src"), &mut files);
    walk(&root.join("crates"), &mut files);
    assert!(files.len() > 400, "the sources are not where they were: {} files", files.len());
    let lines = |file: &Path| std::fs::read_to_string(file).expect("a readable source").lines().count();
    let long: Vec<String> = files
        .iter()
        .map(|file| (file, lines(file)))
        .filter(|(_, lines)| *lines > LINES)
        .map(|(file, lines)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(long.is_empty(), "at most {LINES} lines in a file:\n{}", long.join("\n"));
}

#[test]
fn the_graph_sees_circles() {
    let source = |path: &str, code: &str| Source {
        path: path.to_owned(),
        module: String::new(),
        code: code.to_owned(),
        is_test: false,
    };
    let sources = [
        source("lib.rs", "pub mod m; pub use m::Shared;"),
        // The re-export of `Shared` is no use; the import of `run` is one.
        source("m/mod.rs", "mod a; mod b; mod c; pub use a::Shared; use b::run; fn own() { run() }"),
        source("m/a.rs", "pub struct Shared;"),
        source("m/b.rs", "use super::{c, Shared}; fn run() { c::f(); super::own() }"),
        source("m/c.rs", "use crate::{Shared as S}; fn f() {}"),
    ];
    let edges = circles::Graph::of(&sources).edges();
    assert_eq!(edges["m/mod.rs"].iter().copied().collect::<Vec<_>>(), ["m/b.rs"]);
    assert_eq!(edges["m/b.rs"].iter().copied().collect::<Vec<_>>(), ["m/a.rs", "m/c.rs", "m/mod.rs"]);
    assert_eq!(edges["m/c.rs"].iter().copied().collect::<Vec<_>>(), ["m/a.rs"]);
    assert_eq!(circles::circles(&edges), [["m/b.rs", "m/mod.rs"]]);
}

#[test]
fn files_form_no_circles() {
    let sources = sources();
    let mut edges = circles::Graph::of(&sources).edges();
    assert!(edges.values().map(|to| to.len()).sum::<usize>() > 200, "the graph is blind");
    for (from, to, _) in TYPE_AND_BUILDER {
        let known = edges.get_mut(from).is_some_and(|targets| targets.remove(to));
        assert!(known, "src/{from} does not name src/{to}: remove the exception");
    }
    let mut offences = String::new();
    for circle in circles::circles(&edges) {
        let _ = writeln!(offences, "{}", circle.join(" "));
    }
    assert!(offences.is_empty(), "files that import each other in a circle:\n{offences}");
}

#[test]
fn nothing_is_left_to_do() {
    only(&["todo!", "unimplemented!"], |_| false, "a release has no holes");
}

#[test]
fn every_module_says_its_invariant() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in ["table", "engine", "generate", "cli"] {
        let text = std::fs::read_to_string(root.join(module).join("mod.rs")).expect("a module");
        assert!(text.contains("*Architecture invariant*"), "src/{module}/mod.rs does not state its invariant");
    }
}

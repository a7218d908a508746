//! Finds stale names in the documentation: paths, identifiers and links that the tree does not
//! have.
//!
//! Checked are README.md, datasets/README.md and every page under docs/:
//!
//! - Paths in backticks, in commands and in diagrams exist. A path may leave out leading folders
//!   (`cli/run.rs`).
//! - Names of examples, benches and tests in commands exist.
//! - `CamelCase`, `snake_case` and `a::b` in backticks occur in the code. Words in comments do not
//!   count, since they become stale together with the pages; words in strings do, since columns and
//!   options are named there.
//! - Links lead to a file, and to a heading if they have an anchor.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words of other programs, and names of files that a run writes: (word, reason).
const FOREIGN: [(&str, &str); 10] = [
    ("BezierCurve", "a class of Drake"),
    ("BsplineTrajectory", "a class of Drake"),
    ("JointTrajectory", "a class of ROS"),
    ("ParametrizeConstAccel", "a class of TOPP-RA"),
    ("ParametrizeSpline", "a class of TOPP-RA"),
    ("PiecewisePolynomial", "a class of Drake"),
    ("SplineInterpolator", "a class of TOPP-RA"),
    ("golden/", "a folder of results beside each scene, which this test does not read"),
    ("sync_file_range", "a system call of Linux"),
    ("world_from_body", "the convention for names of poses, of which no pose of this name need exist"),
];

/// Folders at the root whose paths must exist, together with the folders under `src/`.
const ROOTS: [&str; 11] =
    [".ci", "benches", "crates", "datasets", "docs", "examples", "fuzz", "python", "src", "tests", "xtask"];

/// Folders that the program writes.
const WRITTEN: [&str; 3] = ["distances/", "penetrations/", "intervals/"];

/// Folders that are not part of the sources.
const SKIPPED: [&str; 5] = [".git", "golden", "out", "shared", "target"];

/// The files of the repository and the words of its code.
struct Tree {
    root: PathBuf,
    /// Paths of files and folders from the root; those of folders end with a slash.
    paths: BTreeSet<String>,
    /// By file: the identifiers of its code.
    words: Vec<BTreeSet<String>>,
}

impl Tree {
    fn read() -> Self {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut tree = Self { paths: BTreeSet::new(), words: Vec::new(), root: root.clone() };
        tree.add(&root);
        assert!(tree.paths.len() > 300 && tree.words.len() > 100, "the sources are not where they are expected");
        tree
    }

    fn add(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(&self.root).expect("under the root").to_string_lossy().replace('\\', "/");
            let last = name.rsplit('/').next().unwrap_or_default();
            if SKIPPED.contains(&last) {
                continue;
            }
            if path.is_dir() {
                self.paths.insert(format!("{name}/"));
                self.add(&path);
                continue;
            }
            let code = [".rs", ".py", ".sh", ".toml"].iter().any(|ending| name.ends_with(ending));
            if code && name != "tests/house/docs.rs" {
                let text = std::fs::read_to_string(&path).expect("a readable source");
                let comment = if name.ends_with(".rs") { "//" } else { "# " };
                self.words.push(words(&without_comments(&text, comment)));
            }
            self.paths.insert(name);
        }
    }

    /// Whether a file or folder exists whose path is `path` or ends with it. `*` stands for any
    /// part of a name.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        let whole = |known: &str| {
            let known = if path.ends_with('/') { known } else { known.trim_end_matches('/') };
            let known_parts: Vec<&str> = known.split('/').collect();
            let parts: Vec<&str> = path.split('/').collect();
            let skipped = known_parts.len().checked_sub(parts.len());
            skipped.is_some_and(|skipped| known_parts[skipped..].iter().zip(&parts).all(|(k, p)| matches(k, p)))
        };
        self.paths.iter().any(|known| whole(known) || known.strip_suffix(".rs").is_some_and(whole))
    }

    /// Whether one file of the code has all of these identifiers.
    fn names(&self, identifiers: &[&str]) -> bool {
        self.words.iter().any(|words| identifiers.iter().all(|identifier| words.contains(*identifier)))
    }

    /// Whether a path is one that must exist.
    fn owns(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or_default();
        path.ends_with(".rs") || ROOTS.contains(&first) || self.paths.contains(&format!("src/{first}/"))
    }
}

/// Whether a name matches a pattern in which `*` stands for any characters.
fn matches(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((before, after)) => name
            .strip_prefix(before)
            .is_some_and(|rest| (0..=rest.len()).any(|i| rest.get(i..).is_some_and(|rest| matches(rest, after)))),
    }
}

/// The text without what follows the mark of a comment in each line. Addresses (`https://`) are no
/// comments.
fn without_comments(text: &str, mark: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        let end = line.match_indices(mark).map(|(at, _)| at).find(|&at| !line[..at].ends_with(':'));
        code.push_str(&line[..end.unwrap_or(line.len())]);
        code.push('\n');
    }
    code
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn words(code: &str) -> BTreeSet<String> {
    code.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A page, split into what is checked in different ways.
struct Page {
    /// The folder of the page, from the root: empty or with a slash at its end.
    folder: String,
    /// Lines outside of fenced blocks, with their numbers.
    prose: Vec<(usize, String)>,
    /// Lines of fenced blocks, with the language of their block.
    fenced: Vec<(usize, String, String)>,
}

impl Page {
    fn new(path: &str, text: &str) -> Self {
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let mut page = Self { folder, prose: Vec::new(), fenced: Vec::new() };
        let mut language: Option<String> = None;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(fence) = line.trim_start().strip_prefix("```") {
                language = if language.is_some() { None } else { Some(fence.trim().to_owned()) };
            } else if let Some(language) = &language {
                page.fenced.push((number, language.clone(), line.to_owned()));
            } else {
                page.prose.push((number, line.to_owned()));
            }
        }
        page
    }

    /// The anchors of the headings, as GitHub forms them.
    fn anchors(&self) -> BTreeSet<String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut anchors = BTreeSet::new();
        for (_, line) in self.prose.iter().filter(|(_, line)| line.starts_with('#')) {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept: String = heading.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c)).collect();
            let slug = kept.replace(' ', "-");
            let count = seen.entry(slug.clone()).or_default();
            anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
            *count += 1;
        }
        anchors
    }
}

/// The stretches of a line between backticks.
fn backticked(line: &str) -> Vec<&str> {
    let parts: Vec<&str> = line.split('`').collect();
    // After an odd number of backticks a stretch is code; the last part of an unbalanced line is
    // not.
    parts.iter().enumerate().filter(|(i, _)| i % 2 == 1 && i + 1 < parts.len()).map(|(_, part)| *part).collect()
}

/// The targets of the links of a line.
fn links(line: &str) -> Vec<&str> {
    line.match_indices("](").filter_map(|(at, _)| line[at + 2..].split_once(')').map(|(target, _)| target)).collect()
}

/// Finds the fault of a piece of inline code, if any.
fn wrong_code(tree: &Tree, folder: &str, code: &str) -> Option<String> {
    if let Some(wrong) = wrong_command(tree, folder, code) {
        return Some(wrong);
    }
    if code.contains(char::is_whitespace) {
        return None;
    }
    let path = |c: char| is_word(c) || "./-*".contains(c);
    if code.chars().all(path) && code.ends_with('/') && !code.contains("..") {
        let exists = tree.has(code) || WRITTEN.contains(&code) || code.starts_with("out/");
        return (!exists).then(|| format!("no folder `{code}`"));
    }
    let name = code.strip_suffix("()").unwrap_or(code);
    let identifiers: Vec<&str> = name.split("::").collect();
    let is_identifier = |name: &&str| name.chars().all(is_word) && name.starts_with(|c: char| !c.is_ascii_digit());
    if !identifiers.iter().all(is_identifier) {
        return None;
    }
    let camel = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase());
    let snake = name.trim_start_matches('_').contains('_') && !name.contains(|c: char| c.is_ascii_uppercase());
    let checked = identifiers.len() > 1 || code.ends_with("()") || camel || snake;
    (checked && !names_code(tree, &identifiers)).then(|| format!("no identifier `{code}` in the code"))
}

/// Whether the code has a path of identifiers. The modules of the path may be files.
fn names_code(tree: &Tree, identifiers: &[&str]) -> bool {
    let is_module = |name: &&&str| {
        tree.has(&format!("src/{name}/")) || tree.has(&format!("crates/{name}/")) || tree.has(&format!("{name}.rs"))
    };
    let open: Vec<&str> = identifiers.iter().filter(|name| !is_module(name)).copied().collect();
    open.is_empty() || tree.names(&open)
}

/// Finds the fault of the paths and targets of a command, if any.
fn wrong_command(tree: &Tree, folder: &str, line: &str) -> Option<String> {
    let (mut before, mut program) = ("", "");
    for word in line.split_whitespace() {
        let token = word.trim_matches(|c: char| "\"'(),;:[]".contains(c));
        let target = match before {
            "--example" => Some("examples"),
            "--bench" => Some("benches"),
            "--test" => Some("tests"),
            _ => None,
        };
        before = token;
        if let Some(target) = target {
            let exists = [format!("{target}/{token}.rs"), format!("{target}/{token}/main.rs")];
            if !exists.iter().any(|path| tree.paths.contains(path)) {
                return Some(format!("no `{token}` in {target}/"));
            }
            program = if target == "tests" { token } else { program };
            continue;
        }
        // `--test narrow vclip::`: the tests of a module.
        let module = word.split_once("::").filter(|_| !program.is_empty()).map(|(module, _)| module);
        if let Some(module) = module.filter(|module| !tree.paths.contains(&format!("tests/{program}/{module}.rs"))) {
            return Some(format!("no module `{module}` in tests/{program}/"));
        }
        let path = |c: char| is_word(c) || "./-*".contains(c);
        let is_path = token.chars().all(path) && (token.contains('/') || token.ends_with(".rs"));
        if is_path && !token.starts_with("..") && tree.owns(token) {
            let exists = tree.has(token.trim_end_matches('.')) || tree.has(&format!("{folder}{token}"));
            if !exists {
                return Some(format!("no file `{token}`"));
            }
        }
    }
    None
}

/// Finds the fault of the target of a link, if any.
fn wrong_link(tree: &Tree, page: &Page, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = normalised(&format!("{}{file}", page.folder));
    let of_page = file.is_empty();
    if !of_page && !tree.paths.contains(&path) && !tree.paths.contains(&format!("{path}/")) {
        return Some(format!("the link leads to no file: {target}"));
    }
    let anchor = anchor?;
    let anchors = if of_page {
        page.anchors()
    } else {
        let text = std::fs::read_to_string(tree.root.join(&path)).expect("a readable page");
        Page::new(&path, &text).anchors()
    };
    (!anchors.contains(anchor)).then(|| format!("the link leads to no heading: {target}"))
}

/// A path without `..`.
fn normalised(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Everything that is wrong with a page, one line each.
fn faults(tree: &Tree, path: &str, text: &str) -> Vec<String> {
    let page = Page::new(path, text);
    let mut faults = Vec::new();
    for (number, line) in &page.prose {
        let foreign = |code: &&str| !FOREIGN.iter().any(|(word, _)| word == code);
        let code = backticked(line).into_iter().filter(foreign).filter_map(|code| wrong_code(tree, &page.folder, code));
        let links = links(line).into_iter().filter_map(|target| wrong_link(tree, &page, target));
        faults.extend(code.chain(links).map(|fault| format!("{path}:{number}: {fault}")));
    }
    for (number, language, line) in &page.fenced {
        let line = line.split(" # ").next().unwrap_or_default();
        let fault = match language.as_str() {
            "sh" | "bash" => wrong_command(tree, &page.folder, line),
            "text" => wrong_diagram(tree, line),
            _ => None,
        };
        faults.extend(fault.map(|fault| format!("{path}:{number}: {fault}")));
    }
    faults
}

/// Finds the fault of the files and folders of a line of a diagram, if any.
fn wrong_diagram(tree: &Tree, line: &str) -> Option<String> {
    let name = |token: &&str| {
        let is_path = token.chars().all(|c| is_word(c) || "./".contains(c)) && token.len() > 1;
        is_path && (token.ends_with(".rs") || token.ends_with('/'))
    };
    line.split(|c: char| c.is_whitespace() || c == ',')
        .filter(name)
        .find(|token| !tree.has(token))
        .map(|token| format!("no file or folder `{token}`"))
}

/// The pages: path from the root, and text.
fn pages(tree: &Tree) -> Vec<(String, String)> {
    let is_page = |path: &&String| {
        let documentation = path.starts_with("docs/") || *path == "README.md" || *path == "datasets/README.md";
        documentation && path.ends_with(".md")
    };
    let read = |path: &String| (path.clone(), std::fs::read_to_string(tree.root.join(path)).expect("a readable page"));
    tree.paths.iter().filter(is_page).map(read).collect()
}

#[test]
fn names_and_links_of_the_documentation_exist() {
    let tree = Tree::read();
    let pages = pages(&tree);
    assert!(pages.len() > 10, "the pages are not where they are expected: {}", pages.len());
    let faults: Vec<String> = pages.iter().flat_map(|(path, text)| faults(&tree, path, text)).collect();
    assert!(faults.is_empty(), "{} stale names:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn pages_that_the_sources_name_exist() {
    let tree = Tree::read();
    let mut faults = Vec::new();
    for path in tree.paths.iter().filter(|path| path.ends_with(".rs") && *path != "tests/house/docs.rs") {
        let text = std::fs::read_to_string(tree.root.join(path)).expect("a readable source");
        for (at, _) in text.match_indices("docs/") {
            let page: String = text[at..].chars().take_while(|&c| is_word(c) || "/-.".contains(c)).collect();
            let page = page.trim_end_matches('.');
            if page.ends_with(".md") && !tree.paths.contains(page) {
                faults.push(format!("{path}: no page {page}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The crates under `crates/` have `doctest = false`, since each would link the engine once more:
/// examples of code stand in `src/`.
#[test]
fn examples_of_code_stand_where_they_are_compiled() {
    let tree = Tree::read();
    let mut fences = 0;
    for path in tree.paths.iter().filter(|path| path.starts_with("crates/") && path.ends_with(".rs")) {
        let text = std::fs::read_to_string(tree.root.join(path)).expect("a source file");
        let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
        let opening = comments.filter_map(|line| line.get(1..)?.trim_start().strip_prefix("```")).step_by(2);
        for language in opening {
            assert_eq!(language, "text", "{path}: a documentation test that is not compiled");
            fences += 1;
        }
    }
    assert!(fences > 10, "{fences}");
}

#[test]
fn foreign_words_are_still_needed() {
    let tree = Tree::read();
    let pages = pages(&tree);
    for (word, _) in FOREIGN {
        let quoted = format!("`{word}`");
        assert!(pages.iter().any(|(_, text)| text.contains(&quoted)), "no page names {word}: drop it from the list");
        assert!(wrong_code(&tree, "", word).is_some(), "{word} passes by itself: drop it from the list");
    }
}

#[test]
fn a_stale_name_is_found() {
    let tree = Tree::read();
    let stale = [
        "in `src/no_such_file.rs`",
        "in `src/broad/no_such_folder/`",
        "in `broad/no_such_file.rs`",
        "in `no_such_folder/`",
        "in `no_such_file.rs`",
        "`NoSuchType` holds it",
        "call `no_such_function()`",
        "call `Polyhedron::no_such_method`",
        "the field `no_such_field`",
        "run `cargo test --test no_such_test`",
        "run `cargo test --test support`",
        "run `cargo test --test narrow no_such_module::`",
        "[page](docs/no-such-page.md)",
        "[heading](README.md#no-such-heading)",
        "[heading](#no-such-heading)",
        "```sh\ncargo run --example no_such_example\n```",
        "```sh\nbenches/no_such_script.sh\n```",
        "```text\nno_such_folder/   a diagram\n```",
    ];
    for text in stale {
        assert_eq!(faults(&tree, "README.md", text).len(), 1, "{text}: {:?}", faults(&tree, "README.md", text));
    }
}

#[test]
fn names_of_the_tree_pass() {
    let tree = Tree::read();
    let sound = [
        "in `src/lib.rs`, `crates/broad/`, `src/lattice.rs`, `lattice.rs`, `hash/` and `tests/input/bad_*.rs`",
        "`Polyhedron`, `Polyhedron::vertex`, `broad::by_name`, `distance_m` and `read_nodes()`",
        "run `cargo test --test jobs golden::`, then `--force`, `a < b` and `x, y, z`",
        "# A heading: with `code`\n[here](#a-heading-with-code), [there](docs/README.md), [away](https://example.org/x)",
        "```sh\ncargo run --example embed_pair -- OUT\n```",
    ];
    for text in sound {
        assert_eq!(faults(&tree, "README.md", text), Vec::<String>::new());
    }
}

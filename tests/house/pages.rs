//! Facts that pages repeat: lists of geometry formats, versions and exit codes are those of the
//! code. Comments name files that exist.

use clearsweep_scene::readers::EXTENSIONS;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).replace('\r', "")
}

/// The files with one of these endings below a folder of the repository.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    fn walk(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match path.is_dir() {
                true if !["target", "out", "shared"].contains(&name.as_str()) && !name.starts_with('.') => {
                    walk(&path, endings, found);
                }
                false if endings.iter().any(|ending| name.ends_with(ending)) => found.push(path),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), endings, &mut found);
    found.sort();
    found
}

/// The pages for users, but not the log of measurements and the changes, which tell of former
/// versions.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "datasets/README.md", "python/README.md"].map(|page| root().join(page)).into();
    pages.extend(["docs/guide", "docs/reference"].into_iter().flat_map(|folder| files(folder, &[".md"])));
    pages
}

/// The number behind each occurrence of some words, as written.
fn numbers_behind(text: &str, words: &str) -> Vec<String> {
    let number = |rest: &str| {
        let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        number.trim_end_matches('.').to_owned()
    };
    let found = text.match_indices(words).map(|(at, _)| number(&text[at + words.len()..]));
    found.filter(|number| !number.is_empty()).collect()
}

/// Splits a text where a list of formats ends.
fn clauses(text: &str) -> impl Iterator<Item = String> {
    let text = text.replace('\n', " ");
    let parts: Vec<String> = text.split(". ").flat_map(|part| part.split([';', '|', '*'])).map(str::to_owned).collect();
    parts.into_iter()
}

/// The formats that a clause leaves out of a list; empty if it has none, or a whole one.
fn missing_formats(clause: &str) -> Vec<&'static str> {
    let endings: Vec<&str> = EXTENSIONS.into_iter().filter(|kind| !clause.contains(&format!(".{kind}"))).collect();
    // Files of scenes go by one word; a list has most of the others.
    let names = [("obj", "OBJ"), ("stl", "STL"), ("ply", "PLY"), ("dae", "COLLADA"), ("3mf", "3MF")];
    let words = clause.split(|c: char| !c.is_ascii_alphanumeric()).collect::<BTreeSet<_>>();
    let unnamed: Vec<&str> =
        names.into_iter().filter(|(_, word)| !words.contains(word)).map(|(kind, _)| kind).collect();
    let is_scene = |word: &&&str| ["GLB", "glTF"].contains(*word);
    let is_list = unnamed.len() <= 1 && words.iter().any(|word| is_scene(&word));
    match endings.len() {
        1..=2 => endings,
        _ if is_list => unnamed,
        _ => Vec::new(),
    }
}

#[test]
fn lists_of_geometry_formats_are_whole() {
    let mut lists = 0;
    let code = files("src/cli", &[".rs"]).into_iter().chain(files("python/clearsweep", &[".py", ".pyi"]));
    for path in pages().into_iter().chain(code) {
        for clause in clauses(&read(&path)) {
            let missing = missing_formats(&clause);
            assert!(missing.is_empty(), "{} leaves out {missing:?}: {}", path.display(), clause.trim());
            lists += usize::from(EXTENSIONS.iter().all(|kind| clause.contains(&format!(".{kind}"))));
        }
    }
    assert!(lists >= 4, "pages list the formats by their endings");
    assert_eq!(missing_formats("GLB, glTF, OBJ, STL, PLY, 3MF and RVM"), ["dae"], "the test finds what it looks for");
    assert_eq!(missing_formats("`.obj`, `.stl`, `.ply`, `.glb`, `.gltf`, `.3mf`, `.rvm`"), ["dae"]);
}

/// A value of a TOML file of the repository.
fn value(file: &str, keys: &[&str]) -> String {
    let document: toml::Value = toml::from_str(&read(file)).expect("TOML");
    let found = keys.iter().try_fold(&document, |value, key| value.get(key));
    let text = found.and_then(toml::Value::as_str).unwrap_or_else(|| panic!("{file} has no {keys:?}"));
    text.trim_start_matches(['=', '>', '^']).to_owned()
}

#[test]
fn versions_are_those_of_the_manifests() {
    let program = value("Cargo.toml", &["workspace", "package", "version"]);
    let series = program.rsplit_once('.').expect("three numbers").0;
    let rust = value("Cargo.toml", &["workspace", "package", "rust-version"]);
    let python = value("python/pyproject.toml", &["project", "requires-python"]);
    let toolchain = value("rust-toolchain.toml", &["toolchain", "channel"]);
    let arrow = value("Cargo.toml", &["workspace", "dependencies", "arrow-array", "version"]);
    let facts = [
        ("version is ", series),
        ("clearsweep = { version = \"", series),
        ("clearsweep-", &program),
        ("clearsweep==", &program),
        ("Rust ", &rust),
        ("Python ", &python),
        ("of arrow ", &arrow),
    ];
    let mut found = [0; 7];
    for page in pages() {
        let text = read(&page);
        for (&(words, expected), found) in facts.iter().zip(&mut found) {
            for number in numbers_behind(&text, words) {
                assert_eq!(number, expected, "{}: `{words}{number}`", page.display());
                *found += 1;
            }
        }
    }
    assert!(found[0] > 0 && found[1] > 0 && found[4] > 2 && found[5] > 0 && found[6] > 0, "{found:?}");
    assert_eq!(numbers_behind(&read("Containerfile"), "rust:"), [toolchain], "Containerfile");
}

#[test]
fn exit_codes_are_those_that_the_program_declares() {
    let declared: BTreeSet<String> = {
        let help = read("src/cli/help.rs");
        let program = help.split_once("Exit codes: ").expect("the help of the program").1;
        let program = program.split_once("\";").expect("its end").0.replace("\\\n", "");
        program.split("; ").filter_map(|part| part.split_whitespace().next()).map(str::to_owned).collect()
    };
    assert!(["0", "1", "2", "3", "4", "130", "141"].iter().all(|code| declared.contains(*code)), "{declared:?}");
    let mut seen = BTreeSet::new();
    // The system ends a program with others.
    let of_system = ["134", "137"];
    for page in pages() {
        for words in ["xit code ", "xit code is ", "xit code of ", "xit codes ", "xit codes**: ", "xit codes: "] {
            for code in numbers_behind(&read(&page), words) {
                assert!(
                    declared.contains(&code) || of_system.contains(&&*code),
                    "{}: exit code {code}",
                    page.display()
                );
                seen.insert(code);
            }
        }
    }
    let reference = read("docs/reference/command-line.md");
    let section = reference.split_once("## Exit codes").expect("a section").1.split_once("\n## ").expect("its end").0;
    let cells = section.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|').take(7));
    let listed: BTreeSet<String> =
        cells.map(str::trim).filter(|cell| cell.parse::<u8>().is_ok()).map(str::to_owned).collect();
    assert_eq!(listed, declared, "docs/reference/command-line.md lists them");
    assert!(seen.len() > 3, "{seen:?}");
}

#[test]
fn comments_name_files_that_exist() {
    let folders = ["crates", "src", "xtask", "python", "tests", "benches", "examples"];
    let sources: Vec<PathBuf> = folders.into_iter().flat_map(|folder| files(folder, &[".rs"])).collect();
    let known: BTreeSet<String> =
        sources.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned()).collect();
    let mut named = 0;
    for path in &sources {
        let text = fs::read_to_string(path).expect("a source");
        for line in text.lines().map(str::trim_start).filter(|line| line.starts_with("//")) {
            for word in line.split(|c: char| !(c.is_ascii_alphanumeric() || "_-./".contains(c))) {
                let word = word.trim_end_matches('.');
                let name = word.rsplit('/').next().unwrap_or_default();
                if !name.ends_with(".rs") || name.len() == 3 {
                    continue;
                }
                assert!(known.contains(name), "{} names `{word}`: {line}", path.display());
                named += 1;
            }
        }
    }
    assert!(named > 50, "{named}");
}

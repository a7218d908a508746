//! Proposals of the program, followed: a slip in a right job leads to each message that proposes
//! text to write. The proposal is read from what the program says, and written as it says. The
//! mended job has to give the result of the right job.
//!
//! `remedies/bases.toml` holds the right jobs and says how slips are written; the other files there
//! hold the slips.

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use toml::{Table, Value};

const BASES: &str = include_str!("remedies/bases.toml");
const WORDS: &str = include_str!("remedies/words.toml");
const LINES: &str = include_str!("remedies/lines.toml");
const TRAJECTORIES: &str = include_str!("remedies/trajectories.toml");
const COMMANDS: &str = include_str!("remedies/commands.toml");
const OTHERS: &str = include_str!("remedies/others.toml");

/// Place of a slip unless it names another file.
const SCENE: &str = "scene.toml";
/// Name under which the command lines of a job stand among its files.
const COMMAND: &str = "command";

/// Files of a job by name.
type Files = BTreeMap<String, String>;

fn table(text: &str) -> Table {
    text.parse().unwrap_or_else(|error| panic!("the data: {error}"))
}

/// A text of a slip.
fn text<'t>(slip: &'t Table, key: &str) -> Option<&'t str> {
    slip.get(key).map(|value| value.as_str().unwrap_or_else(|| panic!("`{key}` of {slip}")))
}

/// Texts of a list.
fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|item| item.as_str().expect("a text")).collect()
}

/// The files with one text of a file replaced, which stands there once.
fn changed(files: &Files, file: &str, [from, to]: [&str; 2]) -> Files {
    let mut files = files.clone();
    let content = files.get_mut(file).unwrap_or_else(|| panic!("no file {file}"));
    assert_eq!(content.matches(from).count(), 1, "`{from}` stands once in {file}:\n{content}");
    *content = content.replace(from, to);
    files
}

/// The file and the two texts of a change.
fn change(list: &Value) -> (&str, [&str; 2]) {
    match texts(list)[..] {
        [from, to] => (SCENE, [from, to]),
        [file, from, to] => (file, [from, to]),
        _ => panic!("a change has two or three texts: {list}"),
    }
}

/// Files of the right job.
fn right_files(bases: &Table, slip: &Table) -> Files {
    let base = text(slip, "base").expect("a base");
    let tables = [bases.get("all"), bases.get(base), slip.get("files")];
    let named = tables.into_iter().flatten().filter_map(Value::as_table).flatten();
    let mut files: Files =
        named.map(|(name, content)| (name.clone(), content.as_str().expect("a text").to_owned())).collect();
    files.extend(text(slip, COMMAND).map(|commands| (COMMAND.to_owned(), commands.to_owned())));
    if slip.contains_key("warns") {
        // A warning shows in a check.
        let commands = files.get_mut(COMMAND).expect("a command");
        *commands = format!("check {SCENE}\n{commands}");
    }
    for change_of_base in slip.get("with").and_then(Value::as_array).into_iter().flatten() {
        let (file, texts) = change(change_of_base);
        files = changed(&files, file, texts);
    }
    files
}

/// Outcome of a job.
#[derive(Clone)]
struct Outcome {
    /// Exit code of the last command line that was run.
    code: i32,
    /// Stdout of that command.
    result: String,
    /// Stdout and stderr of all commands.
    said: String,
}

impl Outcome {
    /// Whether all command lines were run.
    fn is_done(&self) -> bool {
        matches!(self.code, 0 | 3 | 4)
    }
}

/// Words of a command line, with the quotes of a shell removed.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted, mut is_escaped) = (Vec::new(), None::<String>, false, false);
    for c in line.chars() {
        match c {
            _ if is_escaped => {
                word.get_or_insert_default().push(c);
                is_escaped = false;
            }
            '\\' if !is_quoted => is_escaped = true,
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Runs the command lines of a job in a folder of its own, as far as they succeed.
fn play(files: &Files) -> Outcome {
    let folder = tempfile::tempdir().expect("scratch");
    for (name, content) in files.iter().filter(|(name, _)| *name != COMMAND) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        match name.ends_with(".parquet") {
            true => write_parquet(&path, content),
            false => fs::write(&path, content).expect("written"),
        }
    }
    let mut outcome = Outcome { code: 0, result: String::new(), said: String::new() };
    for line in files[COMMAND].lines().filter(|line| !line.trim().is_empty()) {
        let mut words = words(line);
        words.drain(..usize::from(words[0] == "clearsweep"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        let done = command.env_remove("COLUMNS").current_dir(folder.path()).args(&words).output().expect("it starts");
        let [out, err] = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        outcome.said += &format!("{out}{err}");
        (outcome.code, outcome.result) = (done.status.code().unwrap_or(-1), out);
        if !outcome.is_done() {
            break;
        }
    }
    outcome
}

/// Writes the rows of a CSV text as Parquet: whole numbers as integers, other numbers as floats.
fn write_parquet(path: &Path, csv: &str) {
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |at: usize| -> (&str, ArrayRef) {
        let cells = || rows[1..].iter().map(|row| row[at]);
        let whole: Option<Vec<i64>> = cells().map(|cell| cell.parse().ok()).collect();
        let real: Option<Vec<f64>> = cells().map(|cell| cell.parse().ok()).collect();
        let array: ArrayRef = match (whole, real) {
            (Some(whole), _) => Arc::new(Int64Array::from(whole)),
            (None, Some(real)) => Arc::new(Float64Array::from(real)),
            (None, None) => Arc::new(StringArray::from_iter_values(cells())),
        };
        (rows[0][at], array)
    };
    let batch = RecordBatch::try_from_iter((0..rows[0].len()).map(column)).expect("a batch");
    let mut writer =
        ArrowWriter::try_new(fs::File::create(path).expect("created"), batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("finished");
}

/// The proposal in what a program says: the text between two others, and the sentence with both.
fn proposal<'s>(said: &'s str, [before, after]: [&str; 2]) -> Option<(&'s str, &'s str)> {
    let start = said.find(before)?;
    let from = start + before.len();
    let to = from + said[from..].find(after)?;
    Some((&said[from..to], &said[start..to + after.len()]))
}

/// The files of a wrong job with a proposal written where the slip says.
fn mended(files: &Files, slip: &Table, wrong: (&str, &str), proposed: &str) -> Files {
    let mut filled = proposed.to_owned();
    for (placeholder, content) in slip.get("fill").and_then(Value::as_table).into_iter().flatten() {
        assert!(filled.contains(placeholder), "`{placeholder}` is no placeholder of `{proposed}`");
        filled = filled.replace(placeholder, content.as_str().expect("a text"));
    }
    let written = match (text(slip, "under"), text(slip, "put")) {
        (Some(line), _) => format!("{line}\n{filled}\n"),
        (None, Some(form)) => form.replace("{}", &filled),
        (None, None) => filled,
    };
    let file = text(slip, "file").unwrap_or(wrong.0);
    match text(slip, "under").or(text(slip, "at")).unwrap_or(wrong.1) {
        "" => {
            let mut files = files.clone();
            *files.get_mut(file).expect("a file") += &written;
            files
        }
        at => changed(files, file, [at, &written]),
    }
}

/// Follows the proposal that a slip leads to; returns what went wrong.
fn follow(bases: &Table, slip: &Table, known: &mut HashMap<Files, Outcome>) -> Result<(), String> {
    let files = right_files(bases, slip);
    let right = known.entry(files.clone()).or_insert_with(|| play(&files)).clone();
    if !right.is_done() || right.result.lines().count() < 2 {
        return Err(format!("the right job gives no result:\n{}", right.said));
    }
    let (file, texts_of_change) = change(&slip["change"]);
    let files = changed(&files, file, texts_of_change);
    let wrong = play(&files);
    if wrong.code == right.code && !slip.contains_key("warns") {
        return Err(format!("the slip makes no difference:\n{}", wrong.said));
    }
    let says = slip.get("says").map_or(vec!["did you mean `", "`?"], texts);
    let says = <[&str; 2]>::try_from(says).expect("two texts");
    let Some((proposed, sentence)) = proposal(&wrong.said, says) else {
        return Err(format!("the program proposes nothing between {says:?}:\n{}", wrong.said));
    };
    let files = mended(&files, slip, (file, texts_of_change[1]), proposed);
    let mended = play(&files);
    let repeats = mended.said.contains(sentence) && !right.said.contains(sentence);
    match mended.code == right.code && mended.result == right.result && !repeats {
        true => Ok(()),
        false => Err(format!("`{proposed}` leads to:\n{}\nand not to:\n{}", mended.said, right.result)),
    }
}

/// Slips of a kind.
fn slips(data: &Table, kind: &str) -> Vec<Table> {
    let list = data[kind].as_array().expect("a list");
    list.iter().map(|slip| slip.as_table().expect("a slip").clone()).collect()
}

/// Follows all proposals of a kind.
fn follow_all(data: &str, kind: &str) {
    let (bases, slips) = (table(BASES), slips(&table(data), kind));
    let mut known = HashMap::new();
    let failed: Vec<String> = slips
        .iter()
        .filter_map(|slip| Some(format!("{slip}\n{}\n", follow(&bases, slip, &mut known).err()?)))
        .collect();
    assert!(failed.is_empty(), "{} of {} proposals fail:\n\n{}", failed.len(), slips.len(), failed.join("\n"));
    assert!(!slips.is_empty(), "no proposal of the kind {kind}");
}

#[test]
fn a_proposed_word_takes_the_place_of_a_wrong_one() {
    follow_all(WORDS, "word");
}

#[test]
fn a_proposed_line_mends_the_file() {
    follow_all(LINES, "line");
}

#[test]
fn a_proposed_line_makes_trajectories_fit_the_scene() {
    follow_all(TRAJECTORIES, "line");
}

#[test]
fn a_proposed_option_or_value_mends_the_command_line() {
    follow_all(COMMANDS, "flag");
}

#[test]
fn a_proposed_command_leads_to_the_result() {
    follow_all(COMMANDS, "command");
}

/// The code of a file without comments and unit tests, each text literal on one line.
fn code(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("read");
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let (mut code, mut is_continued) = (String::new(), false);
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let line = if is_continued { line.trim_start() } else { line };
        let part = line.strip_suffix('\\');
        is_continued = part.is_some();
        code += part.unwrap_or(line);
        code += if is_continued { "" } else { "\n" };
    }
    code
}

/// The code of the program by file: `scene/keys` is `crates/scene/src/keys.rs`, and `cli/run` is
/// `src/cli/run.rs`.
fn sources() -> BTreeMap<String, String> {
    fn add(folder: &Path, name: &str, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let name = if name.is_empty() { stem.clone() } else { format!("{name}/{stem}") };
            match path.is_dir() {
                _ if stem.ends_with("tests") => {}
                true => add(&path, &name, found),
                false if path.extension().is_some_and(|extension| extension == "rs") => {
                    found.insert(name, code(&path));
                }
                false => {}
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    add(&root.join("src"), "", &mut found);
    for entry in fs::read_dir(root.join("crates")).expect("the crates") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.join("src").is_dir() && name != "testing" {
            add(&path.join("src"), &name, &mut found);
        }
    }
    found
}

#[test]
fn every_message_that_proposes_text_is_followed() {
    /// Marks of a proposal in the code: a word, and a key with a text as its value.
    const MARKS: [&str; 2] = ["did you mean `", " = \\\""];
    let mut messages: HashMap<(String, String), usize> = HashMap::new();
    let mut count =
        |source: &str, message: &str| *messages.entry((source.to_owned(), message.to_owned())).or_default() += 1;
    let kinds = [(WORDS, "word"), (LINES, "line"), (TRAJECTORIES, "line"), (COMMANDS, "flag"), (COMMANDS, "command")];
    for (data, kind) in kinds {
        for slip in slips(&table(data), kind) {
            count(text(&slip, "source").expect("a source"), text(&slip, "message").unwrap_or("did you mean `{near}`?"));
        }
    }
    let others = table(OTHERS);
    for list in ["unreachable", "problems"].into_iter().flat_map(|key| others[key].as_array().expect("a list")) {
        count(texts(list)[0], texts(list)[1]);
    }
    let sources = sources();
    let mut missing = Vec::new();
    for ((source, message), cases) in &messages {
        let places = sources.get(source).map_or(0, |code| code.matches(message.as_str()).count());
        if !(1..=*cases).contains(&places) {
            missing.push(format!("{source}: `{message}` stands {places} times in the code, and has {cases} cases"));
        }
    }
    // Data sets and first scenes are scenes that the program writes.
    let is_scene = |source: &str| source.starts_with("datasets/") || source == "cli/first_scene";
    for (source, code) in sources.iter().filter(|(source, _)| !is_scene(source)) {
        let of_source = messages.keys().filter(|(of, _)| of == source);
        let spans: Vec<(usize, usize)> = of_source
            .flat_map(|(_, message)| code.match_indices(message.as_str()).map(|(at, text)| (at, at + text.len())))
            .collect();
        for (at, mark) in MARKS.into_iter().flat_map(|mark| code.match_indices(mark)) {
            if !spans.iter().any(|&(from, to)| from <= at && at + mark.len() <= to) {
                let line = code[..at].rfind('\n').map_or(0, |line| line + 1);
                missing.push(format!("{source}: no case: {}", code[line..].lines().next().unwrap_or_default().trim()));
            }
        }
    }
    missing.sort();
    assert!(missing.is_empty(), "{} messages:\n{}", missing.len(), missing.join("\n"));
}

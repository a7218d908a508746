//! `cargo xtask levels PROGRAM`: the same bytes at every level of registers that this machine has.
//!
//! The fingerprints of all tables of all scenes are kept in `xtask/golden/levels.txt`, so that other
//! machines and systems are compared, too: `--write` writes them anew.

use super::cases::CASES;
use super::{files, fingerprint, prepare};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

pub(crate) const USAGE: &str = "\
usage: cargo xtask levels PROGRAM [--under EMULATOR] [--only WORD] [--write]
  the tables of some forty scenes at every level of registers, compared with xtask/golden/levels.txt
  --under EMULATOR  a command before the program's, such as \"qemu-x86_64 -cpu Westmere\"
  --only WORD       cases whose name holds it
  --write           writes the file anew";

/// Names of `CLEARSWEEP_SIMD`, narrowest first.
const LEVELS: [&str; 3] = ["portable", "avx2", "avx512"];

/// The file of the fingerprints.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/levels.txt");

/// The program at a level, in a folder with all scenes.
struct Levelled<'a> {
    words: &'a [String],
    level: &'a str,
    place: &'a Path,
}

pub(crate) fn main(arguments: &[&str]) -> Result<bool, String> {
    let (mut program, mut emulator, mut only, mut writes) = (None, String::new(), String::new(), false);
    let mut words = arguments.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().map(|&value| value.to_owned()).ok_or_else(|| USAGE.to_owned());
        match word {
            "--under" => emulator = value()?,
            "--only" => only = value()?,
            "--write" => writes = true,
            path => program = Some(fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?),
        }
    }
    let program = program.ok_or_else(|| USAGE.to_owned())?.display().to_string();
    if writes && !only.is_empty() {
        return Err(format!("--write takes all cases\n{USAGE}"));
    }
    let command: Vec<String> = emulator.split_whitespace().map(str::to_owned).chain([program]).collect();
    let scratch = std::env::temp_dir().join(format!("clearsweep-levels-{}", std::process::id()));
    prepare(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let expected = fs::read_to_string(GOLDEN).unwrap_or_default();
    let mut is_same = true;
    let mut levels = 0;
    for level in LEVELS {
        let levelled = Levelled { words: &command, level, place: &scratch };
        if !levelled.is_there() {
            eprintln!("{level:<9} skipped: this processor does not have it");
            continue;
        }
        let begun = Instant::now();
        let found = levelled.tables(&only)?;
        let tables = found.lines().count();
        eprintln!("{level:<9} {tables} tables in {} s", begun.elapsed().as_secs());
        if writes && levels == 0 {
            fs::create_dir_all(Path::new(GOLDEN).parent().unwrap_or(Path::new(".")))
                .and_then(|()| fs::write(GOLDEN, &found))
                .map_err(|error| format!("{GOLDEN}: {error}"))?;
        }
        let expected = if writes { fs::read_to_string(GOLDEN).unwrap_or_default() } else { expected.clone() };
        is_same &= tables > 0 && say_differences(level, &expected, &found, &only);
        levels += 1;
    }
    fs::remove_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    Ok(is_same && levels > 0)
}

impl Levelled<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).current_dir(self.place).env("CLEARSWEEP_SIMD", self.level);
        command.stdin(Stdio::null());
        command
    }

    /// Whether the processor has the level.
    fn is_there(&self) -> bool {
        let mut command = self.command();
        command.arg("doctor").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// A line a table: case, file, bytes, fingerprint.
    fn tables(&self, only: &str) -> Result<String, String> {
        let mut lines = BTreeMap::new();
        for case in CASES.iter().filter(|case| case.name.contains(only) && case.name != "refused") {
            let out = format!("levels/{}/{}", self.level, case.name);
            let words = format!("run {} {} --threads 2 --progress none --out {out}", case.scene, case.flags);
            let done = self.command().args(words.split_whitespace()).output();
            let done = done.map_err(|error| format!("{}: {error}", self.words[0]))?;
            // 2, 3 and 4 are verdicts.
            if !matches!(done.status.code(), Some(0 | 2 | 3 | 4)) {
                return Err(format!("{words}: {}", String::from_utf8_lossy(&done.stderr)));
            }
            let tables: BTreeMap<PathBuf, Vec<u8>> = files(&self.place.join(&out));
            if tables.is_empty() {
                return Err(format!("{words}: no table"));
            }
            for (name, bytes) in tables.iter().filter(|(name, _)| name.extension().is_some_and(|e| e == "parquet")) {
                let key = format!("{} {}", case.name, name.display());
                lines.insert(key, format!("{} {:016x}", bytes.len(), fingerprint(bytes)));
            }
        }
        Ok(lines.iter().map(|(key, value)| format!("{key} {value}\n")).collect())
    }
}

/// Says which tables differ; whether none does.
fn say_differences(level: &str, expected: &str, found: &str, only: &str) -> bool {
    let mut is_same = true;
    let is_asked = |line: &&str| line.split(' ').next().is_some_and(|name| name.contains(only));
    let expected: Vec<&str> = expected.lines().filter(is_asked).collect();
    for line in found.lines().filter(|line| !expected.contains(line)) {
        println!("{level}: {line} is not as kept");
        is_same = false;
    }
    if expected.len() != found.lines().count() {
        println!("{level}: {} tables are kept, {} were written", expected.len(), found.lines().count());
        is_same = false;
    }
    is_same
}

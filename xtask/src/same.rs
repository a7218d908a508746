//! `cargo xtask same OLD NEW`: two programs, every file and every word that they write compared.
//!
//! Masks hide values that differ from one execution to the next: seconds, the device, its memory,
//! and with several threads the routes of the search. Anything else that differs is a fault, so
//! that a change of structure is proven to change nothing that a user sees.

mod cases;
pub(crate) mod levels;

use cases::{CASES, Case, write_own};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const USAGE: &str = "\
usage: cargo xtask same OLD NEW [--only WORD] [--but KEY]... [--python OLD_PYTHON NEW_PYTHON]
  every file and every word of two programs compared, over some forty scenes
  --only WORD   cases whose name holds it
  --but KEY     a key of the manifest, or the first word of a line, that may differ
  --python      interpreters with either wheel: batches of rows are compared, too";

/// Threads and memory of the executions.
const WAYS: [(&str, &str); 4] = [("1", "2GB"), ("1", "1KB"), ("8", "2GB"), ("8", "1KB")];

/// Keys of JSON, and first words of lines, that tell the execution and not the result.
const OF_EXECUTION: [&str; 9] = [
    "seconds",
    "frames_per_s",
    "rows_per_s",
    "timings",
    "device",
    "peak_memory_bytes",
    "spooled_bytes",
    "time",
    "memory",
];

/// How a chunk of rows is told by Python.
const BATCHES: &str = "import sys, hashlib, clearsweep as c\n\
    for batch in c.run(sys.argv[1], frames=(0, 20)):\n\
    \tprint(batch.num_rows, hashlib.sha256(repr(batch.to_pydict()).encode()).hexdigest())";

/// The programs, and the outputs to compare.
struct Comparison {
    programs: [PathBuf; 2],
    only: String,
    masked: Vec<String>,
    /// Folders of the programs: the same relative names mean the same.
    places: [PathBuf; 2],
    differing: usize,
    compared: usize,
}

/// Exit code and output of a program.
struct Said {
    code: Option<i32>,
    out: Vec<u8>,
    err: Vec<u8>,
}

pub(crate) fn main(arguments: &[&str]) -> Result<bool, String> {
    let (mut programs, mut only, mut masked, mut pythons) = (Vec::new(), String::new(), Vec::new(), Vec::new());
    let mut words = arguments.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().map(|&value| value.to_owned()).ok_or_else(|| USAGE.to_owned());
        match word {
            "--only" => only = value()?,
            "--but" => masked.push(value()?),
            "--python" => pythons = vec![value()?, value()?],
            path => programs.push(fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?),
        }
    }
    let programs: [PathBuf; 2] = programs.try_into().map_err(|_| USAGE.to_owned())?;
    masked.extend(OF_EXECUTION.map(str::to_owned));
    let scratch = std::env::temp_dir().join(format!("clearsweep-same-{}", std::process::id()));
    let places = ["old", "new"].map(|name| scratch.join(name));
    // Under one name, which help and errors tell.
    let programs_here = ["old-program", "new-program"].map(|name| scratch.join(name).join("clearsweep"));
    let copied = programs.iter().zip(&programs_here).try_for_each(|(from, to)| {
        to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::copy(from, to).map(drop))
    });
    copied
        .and_then(|()| places.iter().try_for_each(|place| prepare(place)))
        .map_err(|error| format!("{}: {error}", scratch.display()))?;
    let programs = programs_here;
    let mut comparison = Comparison { programs, only, masked, places, differing: 0, compared: 0 };
    let begun = Instant::now();
    comparison.cases();
    comparison.killed();
    if let Ok(pythons) = <[String; 2]>::try_from(pythons) {
        comparison.batches(&pythons);
    }
    let Comparison { compared, differing, .. } = comparison;
    eprintln!("{compared} outputs compared in {} s: {differing} differ", begun.elapsed().as_secs());
    if differing == 0 {
        fs::remove_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    } else {
        eprintln!("both are kept in {}", scratch.display());
    }
    Ok(differing == 0 && compared > 0)
}

/// A folder with the data sets and the other scenes.
fn prepare(place: &Path) -> std::io::Result<()> {
    let datasets = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets"))?;
    write_own(&place.join("own"))?;
    copy(&datasets, &place.join("datasets"))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &target)? } else { fs::copy(&path, &target).map(drop)? }
    }
    Ok(())
}

/// All files below a folder, by name.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(folder_now) = folders.pop() {
        for entry in fs::read_dir(&folder_now).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let (Ok(bytes), Ok(name)) = (fs::read(&path), path.strip_prefix(folder)) {
                found.insert(name.to_owned(), bytes);
            }
        }
    }
    found
}

impl Comparison {
    fn cases(&mut self) {
        let mut earlier: Option<(&str, String)> = None;
        let only = self.only.clone();
        for case in CASES.iter().filter(|case| case.name.contains(&only)) {
            let begun = Instant::now();
            for (threads, memory) in WAYS {
                let out = format!("out/{}-{threads}-{memory}", case.name);
                let Case { scene, flags, .. } = case;
                let words =
                    format!("run {scene} {flags} --threads {threads} --memory {memory} --progress none --out {out}");
                self.command(&words, threads != "1");
                self.folders(&out, threads != "1");
            }
            let out = format!("out/{}-1-2GB", case.name);
            if self.places[0].join(&out).join("manifest.json").exists() {
                self.readers(case, &out, earlier.as_ref().filter(|(scene, _)| *scene == case.scene));
                self.shards(case);
                earlier = Some((case.scene, out));
            } else if case.name != "refused" {
                self.differ(case.name, "the old program refuses it, so that nothing is compared");
            }
            eprintln!(
                "{:<20} {:>6.1} s, {} of {} differ",
                case.name,
                begun.elapsed().as_secs_f64(),
                self.differing,
                self.compared
            );
        }
    }

    /// All that reads a result.
    fn readers(&mut self, case: &Case, out: &str, earlier: Option<&(&str, String)>) {
        let Case { scene, flags, .. } = case;
        self.command(&format!("check {scene} --json"), false);
        self.command(&format!("check {scene}"), false);
        self.command(&format!("audit {scene} --csv"), false);
        for words in ["summary", "summary --json", "verify --json"] {
            self.command(&format!("{words} {out}"), false);
        }
        if let Some((_, before)) = earlier {
            self.command(&format!("diff {before} {out} --csv"), false);
        }
        let to = out.replacen("out/", "csv/", 1);
        self.command(&format!("export {out} --csv --to {to}"), false);
        self.folders(&to, false);
        let to = out.replacen("out/", "report/", 1);
        self.places.iter().for_each(|place| drop(fs::create_dir_all(place.join(&to))));
        let written =
            format!("--html {to}/r.html --bcf {to}/r.bcf --author a@example.com --glb {to}/r.glb --csv {to}/r.csv");
        self.command(&format!("report {out} {written} --xlsx {to}/r.xlsx --png {to}/png"), false);
        self.folders(&to, false);
        let few = flags.split(" --require").next().unwrap_or_default();
        self.command(&format!("run {scene} {few} --threads 1 --progress none --out -"), false);
    }

    fn shards(&mut self, case: &Case) {
        let Case { name, scene, flags } = case;
        for shard in 0..3 {
            self.command(
                &format!("run {scene} {flags} --threads 1 --progress none --shard {shard}/3 --out shards/{name}"),
                false,
            );
        }
        self.folders(&format!("shards/{name}"), false);
        self.command(&format!("merge shards/{name} --out merged/{name} --threads 1 --progress none"), false);
        self.folders(&format!("merged/{name}"), false);
    }

    /// A job that is killed once its first part is whole, and gone on with.
    fn killed(&mut self) {
        if !"killed".contains(&self.only) {
            return;
        }
        let begun = Instant::now();
        self.command("generate crowd --bodies 150 --frames 1600 --out large --progress none", false);
        let words = "run large/scene.toml --within 1000m --columns distance --progress none --threads 2 --out killed";
        for (program, place) in self.programs.iter().zip(&self.places) {
            let command = Command::new(program)
                .current_dir(place)
                .args(words.split(' '))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let Ok(mut child) = command else { continue };
            while !place.join("killed/distances/part-00000.parquet").exists()
                && begun.elapsed() < Duration::from_secs(600)
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(50));
            let _ = child.kill();
            let _ = child.wait();
        }
        self.masked.push("resumed".to_owned());
        self.command(&format!("{words} --resume"), true);
        self.masked.pop();
        self.folders("killed/distances", true);
        self.command("verify killed", true);
        eprintln!(
            "{:<20} {:>6.1} s, {} of {} differ",
            "killed",
            begun.elapsed().as_secs_f64(),
            self.differing,
            self.compared
        );
    }

    fn batches(&mut self, pythons: &[String; 2]) {
        for scene in ["own/kinds.toml", "datasets/crowd/scene.toml", "datasets/joints/cell.toml"] {
            let said: Vec<Said> = pythons
                .iter()
                .zip(&self.places)
                .map(|(python, place)| said(Command::new(python).current_dir(place).args(["-c", BATCHES, scene])))
                .collect();
            self.say_differences(&format!("python, {scene}"), &said, false);
        }
    }

    /// Executes a command by both programs, and compares what they say.
    fn command(&mut self, words: &str, is_parallel: bool) {
        let words_of: Vec<&str> = words.split_whitespace().collect();
        let said: Vec<Said> = self
            .programs
            .iter()
            .zip(&self.places)
            .map(|(program, place)| said(Command::new(program).current_dir(place).args(&words_of)))
            .collect();
        self.say_differences(words, &said, is_parallel);
    }

    fn say_differences(&mut self, what: &str, said: &[Said], is_parallel: bool) {
        let [old, new] = said else { return };
        self.compared += 1;
        let texts = [(&old.out, &new.out), (&old.err, &new.err)];
        if old.code != new.code {
            self.differ(what, &format!("exit codes {:?} and {:?}", old.code, new.code));
        } else if let Some(difference) = texts.iter().find_map(|(a, b)| self.difference(a, b, is_parallel)) {
            self.differ(what, &difference);
        }
    }

    /// Compares the files of a folder of both.
    fn folders(&mut self, folder: &str, is_parallel: bool) {
        let [old, new] = self.places.each_ref().map(|place| files(&place.join(folder)));
        self.compared += old.len();
        let names: Vec<&PathBuf> = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))).collect();
        for name in names {
            let what = format!("{folder}/{}", name.display());
            match [&old, &new].map(|files| files.get(name)) {
                [Some(a), Some(b)] if name.ends_with("manifest.json") => {
                    if let Some(difference) = self.difference(a, b, is_parallel) {
                        self.differ(&what, &difference);
                    }
                }
                [Some(a), Some(b)] if a == b => {}
                [Some(a), Some(b)] => self.differ(&what, &format!("{} and {} bytes", a.len(), b.len())),
                [a, _] => self.differ(
                    &what,
                    if a.is_some() { "only the old one writes it" } else { "only the new one writes it" },
                ),
            }
        }
    }

    fn differ(&mut self, what: &str, how: &str) {
        self.differing += 1;
        println!("{what}: {how}");
    }

    /// The first line in which two texts differ; bytes that are no text are one line.
    fn difference(&self, old: &[u8], new: &[u8], is_parallel: bool) -> Option<String> {
        let [a, b] = [old, new].map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) => self.masked(text, is_parallel),
            Err(_) => vec![format!("{} bytes, {:016x}", bytes.len(), fingerprint(bytes))],
        });
        let differs = a.iter().zip(&b).find(|(a, b)| a != b).map(|(a, b)| format!("`{}`, `{}`", a.trim(), b.trim()));
        differs.or_else(|| (a.len() != b.len()).then(|| format!("{} and {} lines", a.len(), b.len())))
    }

    /// The lines that tell the result, without durations. An object under a masked key goes with
    /// all its lines.
    fn masked(&self, text: &str, is_parallel: bool) -> Vec<String> {
        let (mut lines, mut skipped) = (Vec::new(), None);
        for line in text.lines() {
            let indentation = line.len() - line.trim_start().len();
            if let Some(of_key) = skipped {
                skipped = (indentation > of_key).then_some(of_key);
                continue;
            }
            let word = line.trim_start().trim_start_matches('"');
            let word = word.split(['"', ' ', ':']).next().unwrap_or_default();
            let is_masked = self.masked.iter().any(|key| key == word) || is_parallel && word == "routes";
            if !is_masked {
                lines.push(without_duration(line).to_owned());
            } else if line.ends_with(['{', '[']) {
                skipped = Some(indentation);
            }
        }
        lines
    }
}

/// A line without how long something took, at its end: `... in 12 ms`.
fn without_duration(line: &str) -> &str {
    let Some((rest, duration)) = line.rsplit_once(" in ") else { return line };
    let is_duration =
        matches!(duration.split_once(' '), Some((number, "ms" | "s" | "min")) if number.parse::<f64>().is_ok());
    if is_duration { rest } else { line }
}

/// Runs a program and returns its exit code and output.
fn said(command: &mut Command) -> Said {
    // The date of files that have one.
    match command.env("SOURCE_DATE_EPOCH", "0").stdin(Stdio::null()).output() {
        Ok(done) => Said { code: done.status.code(), out: done.stdout, err: done.stderr },
        Err(error) => Said { code: None, out: Vec::new(), err: error.to_string().into_bytes() },
    }
}

/// FNV-1a: tells bytes apart in a message; they are compared as they are.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

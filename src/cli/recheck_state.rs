//! Where `recheck --all --out` goes on after it was interrupted: what was found, as lines of JSON.

use clearsweep::{Error, Result};
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{RecheckOutcome, RecheckTable, RecheckWhat, Word};
use clearsweep_verifier::finding::{Finding, Place};
use clearsweep_verifier::recheck::Before;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Which result and what of it: a state of another one is not gone on with.
pub(super) struct Key(Value);

impl Key {
    /// The key of a result and a choice.
    pub(super) fn new(manifest: &Manifest, pair: Option<[u32; 2]>) -> Self {
        let digests = manifest.rows_digest.iter().flatten();
        let digests: Vec<Value> = digests.map(|(table, digest)| json!([table, digest.blake3_sum])).collect();
        let inputs: Vec<&Option<String>> = manifest.inputs.iter().map(|input| &input.sha256).collect();
        Self(json!({ "version": env!("CARGO_PKG_VERSION"), "digests": digests, "inputs": inputs, "pair": pair }))
    }
}

/// The file that is appended to.
pub(super) struct State {
    path: PathBuf,
    file: File,
    before: Before,
}

impl State {
    /// Opens the state, or begins one; with what was found before.
    pub(super) fn open(path: &Path, key: &Key) -> Result<(Self, Vec<Finding>)> {
        let unwritable = |error: std::io::Error| Error::unwritable(path, &error);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(unwritable)?;
        let mut text = String::new();
        // A state that is no text is none.
        let is_text = file.read_to_string(&mut text).is_ok();
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().unwrap_or_default();
        let is_known = is_text && serde_json::from_str::<Value>(first).is_ok_and(|known| known == key.0);
        let mut state = Self { path: path.to_owned(), file, before: Before::default() };
        let (mut found, mut pending) = (Vec::new(), Vec::new());
        let (mut whole, mut at) = (first.len(), first.len());
        if is_known {
            for line in lines {
                at += line.len();
                let Ok(value) = serde_json::from_str::<Value>(line) else { break };
                match before(&value) {
                    // What follows the last such line was not finished.
                    Some(before) => {
                        state.before = before;
                        found.append(&mut pending);
                        whole = at;
                    }
                    None => pending.extend(finding(&value)),
                }
            }
            state.file.set_len(whole as u64).map_err(unwritable)?;
            state.file.seek(SeekFrom::End(0)).map_err(unwritable)?;
        } else {
            state.file.set_len(0).map_err(unwritable)?;
            state.file.seek(SeekFrom::Start(0)).map_err(unwritable)?;
            writeln!(state.file, "{}", key.0).map_err(unwritable)?;
        }
        Ok((state, found))
    }

    /// What was looked at before.
    pub(super) fn before(&self) -> Before {
        self.before
    }

    /// Adds what was found since the last call; `whole`: all that was looked at.
    pub(super) fn append(&mut self, findings: &[Finding], whole: Before) -> Result<()> {
        let mut text: String = findings.iter().map(|finding| format!("{}\n", line(finding))).collect();
        let Before { frames, rows, intervals, missing } = whole;
        text += &format!("{}\n", json!({ "frames": frames, "rows": rows, "intervals": intervals, "missing": missing }));
        self.file.write_all(text.as_bytes()).map_err(|error| Error::unwritable(&self.path, &error))
    }

    /// Removes the state of what is finished.
    pub(super) fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(|error| Error::unwritable(&self.path, &error))
    }
}

fn before(line: &Value) -> Option<Before> {
    let count = |key: &str| line[key].as_u64();
    Some(Before {
        frames: count("frames")?,
        rows: count("rows")?,
        intervals: count("intervals")?,
        missing: count("missing")?,
    })
}

fn line(finding: &Finding) -> Value {
    let Place { run, frame, pair } = finding.place;
    let words = [finding.table.code(), finding.what.code(), finding.outcome.code()];
    // Numbers that JSON does not have become null.
    json!([words, run, frame, pair, finding.proven, finding.stated, finding.why])
}

fn finding(line: &Value) -> Option<Finding> {
    let word = |at: usize| Some(line[0][at].as_u64()? as usize);
    let ends = |at: usize| [0, 1].map(|k| line[at][k].as_f64().unwrap_or(f64::NAN));
    let body = |k: usize| Some(line[3][k].as_u64()? as u32);
    Some(Finding {
        table: *RecheckTable::ALL.get(word(0)?)?,
        what: *RecheckWhat::ALL.get(word(1)?)?,
        outcome: *RecheckOutcome::ALL.get(word(2)?)?,
        place: Place {
            run: line[1].as_i64(),
            frame: line[2].as_i64(),
            pair: body(0).zip(body(1)).map(|(a, b)| [a, b]),
        },
        proven: ends(4),
        stated: ends(5),
        why: line[6].as_str().map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(number: i64) -> Finding {
        let place = Place { run: Some(0), frame: Some(number), pair: Some([1, 2]) };
        let new = Finding::new(RecheckTable::Intervals, RecheckWhat::Least, RecheckOutcome::Bounded, place);
        Finding { proven: [0.1 + 0.2, f64::NAN], stated: [-0.0, 1e-300], ..new.because("why\nnot") }
    }

    #[test]
    fn a_state_goes_on_after_the_last_whole_frames() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("recheck.state");
        let key = || Key::new(&Manifest::default(), Some([1, 2]));
        let whole = |frames| Before { frames, rows: 3 * frames, intervals: 2, missing: 7 };
        let (mut state, found) = State::open(&path, &key()).expect("begun");
        assert!(found.is_empty() && state.before() == Before::default());
        state.append(&[some(1)], whole(64)).expect("stored");
        state.append(&[some(2), some(3)], whole(128)).expect("stored");
        drop(state);
        // What an interruption left of the third.
        let text = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, format!("{text}{}\n{{\"fra", line(&some(4)))).expect("written");
        let (state, found) = State::open(&path, &key()).expect("gone on with");
        assert_eq!(state.before(), whole(128));
        let texts: Vec<String> = found.iter().map(|finding| format!("{finding:?}")).collect();
        assert_eq!(texts, [1, 2, 3].map(|number| format!("{:?}", some(number))));
        drop(state);
        assert_eq!(std::fs::read_to_string(&path).expect("text"), text, "the rest is cut off");
        let (state, found) = State::open(&path, &Key::new(&Manifest::default(), None)).expect("begun");
        assert!(found.is_empty() && state.before() == Before::default(), "another choice begins anew");
        state.remove().expect("removed");
        assert!(!path.exists());
    }
}

//! `manifest.json`, declared once: the structs that it is written from and read into.
//!
//! Fields stand in the order of the keys. Manifests of older versions lack keys, which get the
//! defaults of their types; unknown keys are skipped. A number is an `Option` if it can be infinite
//! (null in JSON), or if a missing number means something other than 0. Lengths are in metres, and
//! times in seconds.

mod execution;
mod named;
mod summary;

pub use execution::{
    Adapter, Counts, Device, Fallback, GjkSearch, GpuReport, HashCells, IgnoreRule, Input, OfferedAdapter, Options,
    Overrides, Resumed, RowsDigest, SceneEntry, Search, Shard, Shards, Sweep, SweepJoint, TrialTimes, Warning,
};
pub use named::{Named, Span};
pub use summary::{
    Dispositions, FirstContact, Hulls, Intervals, Least, ListedPair, MaxGap, NamedPair, OpenMeshes, RuleFindings,
    RuleTerms, StalePair, Summary, SweptJoint, Undecided, Worst,
};

use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::regular_file;
use clearsweep_model::LengthUnit;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// Version of the tables' schema and of the manifest.
pub const SCHEMA_VERSION: u32 = 1;

/// Largest manifest, bytes: that of a million inputs.
const MAX_BYTES: u64 = 256 << 20;

/// An execution: its scene, options and inputs, the machine, and the findings.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Manifest {
    /// `clearsweep`.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Figures that a person or a script asks for first.
    pub summary: Summary,
    /// Warnings about trajectories, sizes and open meshes.
    pub warnings: Vec<Warning>,
    /// The scene.
    pub scene: SceneEntry,
    /// Options of the run.
    pub options: Options,
    /// The part that an interrupted execution had written.
    pub resumed: Option<Resumed>,
    /// Files of the scene, of geometry and of trajectories.
    pub inputs: Vec<Input>,
    /// Bytes of streams that were copied to a temporary file.
    pub spooled_bytes: Option<u64>,
    /// Candidates, and rows by method.
    pub counts: Counts,
    /// Counters of the narrow phase.
    pub routes: Named<u64>,
    /// Digests of the rows of each table; `None`: the rows were not written to tables.
    pub rows_digest: Option<Named<RowsDigest>>,
    /// The shard that this result is.
    pub shard: Option<Shard>,
    /// Seconds of each stage.
    pub timings: Named<f64>,
    /// The machine.
    pub device: Device,
    /// CRC-32 of each other file of the result, hexadecimal. The writer of the tables adds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Named<String>>,
    /// The shards of a merged result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<Shards>,
}

impl Manifest {
    /// Reads the manifest of the finished execution in `dir`.
    ///
    /// # Errors
    /// There is no manifest, it cannot be read, or it is none of clearsweep.
    pub fn read(dir: &Path) -> Result<Self> {
        Ok(Self::read_with_summary(dir)?.0)
    }

    /// Reads a manifest, and its `summary` as it stands in the file: `--json` prints no key that
    /// the file lacks.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_with_summary(dir: &Path) -> Result<(Self, Value)> {
        let path = dir.join("manifest.json");
        let wrong =
            |problem: String| Error::input(path.display(), problem, "give the output directory of `clearsweep run`");
        let bytes = regular_file::read(&path, MAX_BYTES).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Error::input(
                path.display(),
                "is not there: this is not the output of a finished execution",
                "give the directory that was named by `clearsweep run --out`; the manifest is written last",
            ),
            _ => wrong(format!("cannot be read ({error})")),
        })?;
        let mut json: Value =
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("is not JSON ({error})")))?;
        if !json.get("summary").is_some_and(Value::is_object) {
            return Err(wrong("is not a manifest of clearsweep: it has no `summary`".to_owned()));
        }
        let manifest = Self::deserialize(&json);
        let manifest = manifest.map_err(|error| wrong(format!("is not a manifest of clearsweep ({error})")))?;
        Ok((manifest, json["summary"].take()))
    }

    /// The manifest of an execution of this program, from the JSON that it hands out.
    ///
    /// # Errors
    /// The JSON is not that of a manifest.
    pub fn of_json(json: &Value) -> Result<Self> {
        Self::deserialize(json).map_err(|error| Error::internal("manifest.json", error))
    }

    /// The JSON that the program hands out.
    ///
    /// # Errors
    /// None: keys are strings.
    pub fn to_json(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(|error| Error::internal("manifest.json", error))
    }

    /// Returns the unit of lengths in texts: that of the requirement, else that of the scene, else
    /// metres.
    pub fn length_unit(&self) -> LengthUnit {
        let word = self.summary.require_unit.as_ref().unwrap_or(&self.scene.length_unit);
        LengthUnit::parse(word).unwrap_or(LengthUnit::ALL[0])
    }

    /// CRC-32 of each other file of the result, by name; empty if an older version wrote it.
    pub fn checksums(&self) -> BTreeMap<String, u32> {
        let files = self.files.iter().flatten();
        files.filter_map(|(name, sum)| Some((name.clone(), u32::from_str_radix(sum, 16).ok()?))).collect()
    }
}

/// A manifest's JSON with the CRC-32 of each other file of the result, by name.
pub fn with_checksums(manifest: &Value, files: &BTreeMap<String, u32>) -> Value {
    let mut manifest = manifest.clone();
    manifest["files"] = files.iter().map(|(name, sum)| (name.as_str(), format!("{sum:08x}"))).collect();
    manifest
}

/// The object that `--json` prints of a manifest's JSON.
pub fn summary_json(manifest: &Value) -> &Value {
    &manifest["summary"]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_directory_without_manifest_is_explained() {
        let dir = tempfile::tempdir().expect("scratch");
        let problem = |text: Option<&str>| {
            text.iter().for_each(|text| std::fs::write(dir.path().join("manifest.json"), text).expect("written"));
            Manifest::read(dir.path()).expect_err("refused").problem
        };
        assert!(problem(None).contains("not the output"));
        assert!(problem(Some("{")).contains("is not JSON"));
        assert!(problem(Some("[1]")).contains("it has no `summary`"));
        assert!(problem(Some(r#"{ "summary": { "rows": "?" } }"#)).contains("expected u64"));
    }

    #[test]
    fn missing_and_unknown_keys_are_no_errors() {
        let dir = tempfile::tempdir().expect("scratch");
        let text =
            r#"{ "new": 1, "summary": { "runs": 2, "later": 3, "worst": { "distance_m": 0.5 }, "intervals": {} } }"#;
        std::fs::write(dir.path().join("manifest.json"), text).expect("written");
        let (manifest, summary) = Manifest::read_with_summary(dir.path()).expect("a manifest");
        assert_eq!((&summary["later"], summary.get("rows")), (&json!(3), None), "the summary stays as it is");
        let Summary { runs, bodies_dynamic, worst, intervals, .. } = &manifest.summary;
        assert_eq!((*runs, *bodies_dynamic, intervals), (2, None, &Some(Intervals::default())));
        assert_eq!(worst.as_ref().expect("a row").pair.body_a, "?");
        assert_eq!((manifest.spooled_bytes, manifest.checksums().len()), (None, 0));
    }

    #[test]
    fn keys_keep_their_order_and_nulls_stay() {
        let text = concat!(
            r#"{"tolerance_m":0.5,"max_gap":1,"max_gap_s":null,"rows":0,"skipped":0,"by_status":{"clear":1,"contact":0},"#,
            r#""violated":0,"undecided":0,"undecided_interval":null,"pairs_violated":2,"violating_pairs":[{"body_a":"a","#,
            r#""body_b":"b","of_hulls":true,"rule":null,"required_m":null,"min_upper_m":-1e-7,"lower_m":null,"#,
            r#""upper_m":null,"run":1,"frame":2,"intervals":3,"runs":1,"#,
            r#""spans":1,"from_frame":1,"to_frame":2,"from_time_s":null,"to_time_s":null}],"pairs_contact":0,"#,
            r#""pairs_contact_only":0,"least":null,"first_contact":null}"#
        );
        let intervals: Intervals = serde_json::from_str(text).expect("intervals");
        assert_eq!(intervals.max_gap_s, Some(None));
        assert_eq!(serde_json::to_string(&intervals).expect("JSON"), text);
    }
}

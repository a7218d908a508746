//! The manifest: what was executed, on what, and what came of it.
//!
//! It is the only file of an execution that may differ between two executions of the same job.

use super::device::OpenDevice;
use super::manifest_intervals::max_gap_s;
use super::manifest_summary::{Summary, counts};
use super::options::JobOptions;
use super::shard_note::{ShardNote, shown};
use super::timings::Timings;
use super::warning::Warning;
use clearsweep_base::simd::{self, Level};
use clearsweep_base::{Error, Result};
use clearsweep_broad::DeviceReport;
use clearsweep_geometry::Vec3;
use clearsweep_kinematics::{Joint, Sweep};
use clearsweep_model::{BetweenFrames, IgnoreRule, InputDigest, Missing, SameAncestor, Scene, SearchOptions};
use clearsweep_narrow::SolverStats;
use clearsweep_records::manifest::{
    self, Device, Fallback, GpuReport, Input, Manifest, Named, Options, Resumed, RowsDigest, SCHEMA_VERSION, SceneEntry,
};
use clearsweep_tables::{DistanceColumns, RunsDigest, TableDigest, Totals};

/// Everything that a manifest reports, collected.
pub(super) struct Report<'a> {
    pub(super) scene: &'a Scene,
    pub(super) options: &'a JobOptions,
    /// Whether the poses were read from files.
    pub(super) from_files: bool,
    /// Scene, geometry and trajectory files.
    pub(super) inputs: &'a [InputDigest],
    /// Bytes of streams that were copied to a temporary file.
    pub(super) spooled_bytes: u64,
    /// Whether the times of the trajectories are dates.
    pub(super) has_dates: bool,
    pub(super) summary: Summary<'a>,
    /// Warnings about the trajectories and about sizes.
    pub(super) warnings: &'a [Warning],
    pub(super) stats: &'a SolverStats,
    pub(super) timings: &'a Timings,
    /// The methods and the device that were used.
    pub(super) broad: &'a str,
    pub(super) narrow: &'a str,
    pub(super) device: &'a OpenDevice,
    /// The report of the device.
    pub(super) device_report: Option<&'a DeviceReport>,
    pub(super) threads: usize,
    pub(super) candidates: u64,
    pub(super) candidate_samples: u64,
    /// Samples whose rows an execution wrote that was killed.
    pub(super) resumed_samples: u64,
    /// The shard of a job that this one is.
    pub(super) shard: Option<&'a ShardNote>,
}

impl Report<'_> {
    /// The manifest without the files, whose checksums the writer adds.
    pub(super) fn manifest(&self) -> Manifest {
        let Self { scene, summary, device, .. } = self;
        Manifest {
            program: "clearsweep".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema_version: SCHEMA_VERSION,
            summary: summary.entry(),
            warnings: self.warnings.iter().map(|warning| self.warning(warning)).collect(),
            scene: SceneEntry {
                path: shown(&scene.path),
                name: scene.name.clone(),
                length_unit: scene.unit.word.to_owned(),
                ignore: scene.ignore_rules.iter().map(ignored).collect(),
            },
            options: self.options(),
            resumed: (self.resumed_samples > 0).then_some(Resumed { samples: self.resumed_samples }),
            inputs: self.inputs.iter().map(input).chain(self.shard.into_iter().flat_map(ShardNote::inputs)).collect(),
            spooled_bytes: Some(self.spooled_bytes),
            counts: counts(scene, summary.totals, [self.candidates, self.candidate_samples]),
            routes: self.stats.entries().into_iter().collect(),
            rows_digest: rows_digest(summary.totals),
            shard: self.shard.map(ShardNote::entry),
            timings: self.timings.entries(),
            device: Device {
                asked: self.options.device.name().to_owned(),
                kind: device.kind().to_owned(),
                reason: device.reason.clone(),
                auto: device.times,
                adapter: device.adapter.clone(),
                gpu: self.device_report.map(device_report),
                threads: Some(self.threads as u64),
                architecture: std::env::consts::ARCH.to_owned(),
                system: std::env::consts::OS.to_owned(),
                simd: simd_features().into_iter().map(str::to_owned).collect(),
                simd_level: Some(simd_level().to_owned()),
                peak_memory_bytes: self.options.peak_memory.and_then(|measure| measure()),
            },
            files: None,
            shards: None,
        }
    }

    fn warning(&self, warning: &Warning) -> manifest::Warning {
        /// More bodies than these are counted, by `bodies_count`.
        const LISTED: usize = 100;
        let name = |body: &u32| self.scene.bodies[*body as usize].name.clone();
        manifest::Warning {
            kind: warning.kind.to_owned(),
            bodies: warning.bodies.iter().take(LISTED).map(name).collect(),
            bodies_count: warning.bodies.len() as u64,
            problem: warning.problem.clone(),
            help: warning.remedy.clone(),
        }
    }

    fn options(&self) -> Options {
        let (query, motion, options) = (&self.scene.query, &self.scene.motion, self.options);
        let trajectories = options.read.path.as_ref().or(self.scene.trajectories.as_ref()).filter(|_| self.from_files);
        let is_of_scene = self.from_files && options.read.path.is_none() && options.read.stream.is_none();
        let wrap = if motion.wraps { "shortest" } else { "as-given" };
        let swept = self.scene.joints.as_ref().is_some_and(|joints| joints.sweeps.is_some());
        let looks_between = motion.between != BetweenFrames::None;
        let missing = match self.scene.missing {
            Missing::Error => "error",
            Missing::Absent => "absent",
            Missing::Hold => "hold",
        };
        let columns = match options.columns {
            DistanceColumns::All => "all",
            DistanceColumns::Distance => "distance",
        };
        Options {
            sweep: swept && is_of_scene,
            sweeps: if swept && is_of_scene { sweeps(self.scene) } else { Vec::new() },
            time_origin: self.has_dates.then(|| UNIX_EPOCH.to_owned()),
            within_m: Some(query.within),
            within_from_require: query.within_from_require,
            require_m: query.require,
            touch_m: Some(query.touch),
            static_pairs: query.static_pairs,
            answer: query.answer.name().to_owned(),
            contacts: if query.contacts { "all" } else { "none" }.to_owned(),
            direction: self.scene.direction.map(Vec3::to_array),
            between: motion.between.name().to_owned(),
            between_tolerance_m: looks_between.then_some(motion.tolerance),
            between_work: looks_between.then_some(motion.work),
            max_gap: looks_between.then_some(motion.max_gap),
            max_gap_s: max_gap_s(motion).filter(|_| looks_between),
            wrap: (motion.between == BetweenFrames::Joint).then(|| wrap.to_owned()),
            gravity_m_s2: (motion.between == BetweenFrames::Ballistic).then(|| motion.gravity.to_array()),
            frames_along_splines: (motion.between == BetweenFrames::Spline).then(|| motion.spline_frames.to_string()),
            missing: missing.to_owned(),
            rest: self.scene.hierarchy.rest_orientation.name().to_owned(),
            trajectories: trajectories.map(|path| shown(path)),
            runs: options.read.runs.as_ref().map(Into::into),
            frames: options.read.frames.as_ref().map(Into::into),
            broad: self.broad.to_owned(),
            narrow: self.narrow.to_owned(),
            search: search(&self.scene.search),
            device: options.device.name().to_owned(),
            adapter: options.adapter.clone(),
            device_memory_bytes: options.device_memory,
            threads: self.threads as u64,
            memory_bytes: options.memory,
            columns: columns.to_owned(),
            allow_empty: options.allow_empty,
            previous: self.scene.earlier_issues.as_ref().map(|earlier| earlier.path.clone()),
        }
    }
}

/// The options of the searches; `None`: the scene states none.
fn search(options: &SearchOptions) -> Option<manifest::Search> {
    let gjk = options.gjk.map(|gjk| manifest::GjkSearch {
        sub_algorithm: gjk.sub_algorithm.name().to_owned(),
        support: gjk.supports.name().to_owned(),
        start: gjk.start_name().to_owned(),
        tolerance: gjk.tolerance,
    });
    let hash = options.hash.map(|cells| manifest::HashCells { alpha: cells.alpha(), beta: cells.beta() });
    (gjk.is_some() || hash.is_some()).then_some(manifest::Search { gjk, hash })
}

/// Time from which the times of timestamps count.
const UNIX_EPOCH: &str = "1970-01-01T00:00:00Z";

/// The sweeps of a scene that move a joint, in the order of their runs.
fn sweeps(scene: &Scene) -> Vec<manifest::Sweep> {
    let Some((joints, runs)) = scene.joints.as_deref().and_then(|joints| Some((joints, joints.sweeps.as_ref()?)))
    else {
        return Vec::new();
    };
    let columns: Vec<&Joint> = joints.tree.columns().collect();
    let entry = |sweep: &Sweep| manifest::Sweep {
        path: sweep.path.name().to_owned(),
        steps: sweep.steps,
        runs: sweep.runs().unwrap_or(0),
        joints: sweep
            .joints
            .iter()
            .map(|swept| manifest::SweepJoint {
                name: columns[swept.column as usize].name.clone(),
                unit: if swept.turns { "rad" } else { "m" }.to_owned(),
                from: swept.range[0],
                to: swept.range[1],
                rest: sweep.rest[swept.column as usize],
            })
            .collect(),
    };
    runs.sweeps().iter().filter(|sweep| !sweep.joints.is_empty()).map(entry).collect()
}

/// The digests of the rows of each table; `None` where the rows are not written to tables.
pub(super) fn rows_digest(totals: &Totals) -> Option<Named<RowsDigest>> {
    let of = |(table, digest): &(String, TableDigest)| {
        let runs = Some(digest.groups.iter().map(RunsDigest::to_string).collect());
        (table.clone(), RowsDigest { rows: digest.rows(), blake3_sum: digest.sum().to_string(), runs })
    };
    (!totals.digests.is_empty()).then(|| totals.digests.iter().map(of).collect())
}

/// A rule that takes pairs out, and why.
fn ignored(rule: &IgnoreRule) -> manifest::IgnoreRule {
    let IgnoreRule { a, b, same, reason, pairs, .. } = rule.clone();
    manifest::IgnoreRule { a, b, same: same.map(SameAncestor::word), reason, pairs }
}

fn input(digest: &InputDigest) -> Input {
    Input { path: shown(&digest.path), bytes: digest.bytes, sha256: Some(digest.sha256.clone()), mark: None }
}

/// The vector instruction sets of this machine that matter here.
pub fn simd_features() -> Vec<&'static str> {
    simd::features()
}

/// Chooses the level of registers of this process by its name, `portable`, `avx2` or `avx512`, for
/// measurements and reports of faults: no row depends on it.
///
/// # Errors
///
/// The processor has no level of that name.
pub fn limit_simd(name: &str) -> Result<()> {
    let names = || Level::available().into_iter().map(Level::name).collect::<Vec<_>>().join(", ");
    simd::limit(name).map(drop).ok_or_else(|| {
        Error::usage(
            format!("CLEARSWEEP_SIMD={name}"),
            "is no level of registers that this processor has",
            format!("unset it, or set one of: {}", names()),
        )
    })
}

/// The name of the level of registers of this process.
pub fn simd_level() -> &'static str {
    simd::level().name()
}

fn device_report(report: &DeviceReport) -> GpuReport {
    let kernels = report.kernels.as_ref();
    GpuReport {
        memory_bytes: report.memory_bytes,
        memory_limit_bytes: report.memory_limit_bytes,
        written_bytes: report.written_bytes,
        fetched_bytes: report.fetched_bytes,
        fetches: report.fetches,
        out_of_memory: report.halvings,
        kernels_s: kernels.map(|kernels| kernels.iter().map(|(name, time)| (*name, time.as_secs_f64())).collect()),
        fallback: report.failure.as_ref().map(|reason| Fallback {
            blocks: report.fallback_blocks,
            kind: report.failure_kind.map(str::to_owned),
            reason: reason.clone(),
        }),
    }
}

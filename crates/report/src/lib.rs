//! Reports of a finished execution, for people who pass on what was found: HTML with views,
//! pictures, BCF, GLB, CSV and XLSX.
//!
//! [`read_report`] reads the tables, the scene and the poses into a [`Report`], which is plain data
//! (`data`); each format is written from it:
//!
//! - `read`: `findings` joins events into issues and pairs, `series` reads distances over time and
//!   over runs, `scene` loads the scene and compares digests, `views` gathers the poses of bodies
//!   and their neighbours, `plant` places all bodies as boxes, `groups` counts by rules and groups
//!   of bodies, `runs` finds the worst runs, `facts` says what was checked and what was not.
//! - `display` turns shapes into triangles for a screen; `picture` renders them on the CPU, the
//!   same bytes everywhere.
//! - `chart` draws curves and histograms as SVG; `html` puts everything into one file.
//! - `bcf`, `glb`, `sheet` write the formats of other programs. `words` writes numbers for people.
//!
//! *Architecture invariant*: reads what an execution wrote, and judges nothing anew. Where the tables have no witness points for a view, such as between
//! frames, it asks the engine for them.

mod bcf;
mod chart;
mod data;
mod display;
mod glb;
mod html;
mod picture;
mod read;
mod run_glb;
mod sheet;
mod words;

pub use bcf::{BcfOptions, BcfVersion, bcf, topics_without_snapshot};
pub use data::{
    Camera, Contact, Curve, CurveBetween, CurvePoint, Decision, DisplayMesh, EarlierDecisions, Element, Fact, Finding,
    GroupCell, GroupMatrix, Histogram, Issue, Moment, Placement, Plant, PlantBox, Report, RuleTotal, RunRow,
    SolvedPair, Tone, TrackSample, Verdict, View, ViewPart,
};
pub use html::{JointEntry, html, joint_html, joint_verdict};
pub use read::{ReportOptions, RowView, read_report};
pub use run_glb::{GlbMoment, run_glb};
pub use sheet::{csv, xlsx};
pub use words::{Lengths, count, counted, longest_step, outward, resting_on};

use clearsweep_model::Scene;
use rayon::prelude::*;

/// Width and height of a picture, pixels.
pub const PICTURE_SIZE: [usize; 2] = [360, 240];

/// Renders two bodies of a scene and what a row says about them as a PNG: witness points, and the
/// separating plane where they are apart.
pub fn row_picture(scene: &Scene, row: &RowView, size: [usize; 2]) -> Vec<u8> {
    let (view, meshes) = row.view(scene);
    picture::png(&picture::render(&view, &meshes, size))
}

/// Renders the first view of each issue as a PNG; `None` of an issue without a view.
pub fn pictures(report: &Report, size: [usize; 2]) -> Vec<Option<Vec<u8>>> {
    let picture = |issue: &Issue| Some(picture::png(&picture::render(issue.view()?, &report.meshes, size)));
    // Only the first issues have views: a thread that took a stretch of them would have all the
    // work.
    report.issues.par_iter().with_max_len(1).map(picture).collect()
}

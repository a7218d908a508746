//! Tables, scene and poses into a [`Report`].

mod decisions;
mod facts;
mod findings;
mod groups;
mod motion;
mod neighbours;
mod plant;
mod runs;
mod series;
mod shapes;
mod thinned;
mod views;

pub(crate) use motion::{between, placement};
pub(crate) use shapes::{distinct_shapes, shape_key};

use crate::data::{Issue, Report};
use crate::words::{Clock, Lengths};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::Scene;
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Body, Table};
use clearsweep_verifier::load_scene;
use std::path::Path;

/// What else there is to do where the geometry cannot be read again.
pub(crate) const WITHOUT_VIEWS: &str = "leave geometry out of the report (--no-views)";

/// The choice of what a report shows.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// Issues that are shown in full; the others are rows of a list.
    pub max_issues: usize,
    /// Whether geometry and poses are read again, for views and pictures.
    pub views: bool,
    /// Whether every issue has a view, solved ones too, and not only those in full.
    pub all_views: bool,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { max_issues: 200, views: true, all_views: false }
    }
}

/// Reads the report of the execution in `dir`, whose manifest is given.
///
/// # Errors
/// A table is missing or damaged; the scene, its geometry or its trajectories cannot be read, or
/// are not those of the execution any more.
pub fn read_report(dir: &Path, manifest: &Manifest, options: &ReportOptions) -> Result<Report> {
    let (summary, unit) = (&manifest.summary, manifest.length_unit());
    let bodies = Table::<Body>::open(dir)?.rows().collect::<Result<Vec<_>>>()?;
    let mut issues = if summary.issues.is_some() { findings::gather(dir)? } else { Vec::new() };
    let rules = groups::rules(summary, &issues);
    let matrix = groups::matrix(summary, &bodies, &mut issues);
    issues.iter_mut().for_each(|issue| issue.findings.truncate(Issue::MOST_FINDINGS));
    let in_full = issues.iter().filter(|issue| !issue.findings.is_empty()).count().min(options.max_issues);
    let scene = if options.views { Some(load_scene(manifest, Some(WITHOUT_VIEWS))?) } else { None };
    let moves = summary.moves();
    // Stale and resolved issues have no event, and come last.
    let rows = series::add(dir, manifest, &mut issues[..in_full])?;
    let views::Shown { meshes, facts: view_facts, plant } = match &scene {
        Some(scene) => {
            let viewed = if options.all_views { issues.len() } else { in_full };
            check_bodies(dir, &scene.scene, &issues[..viewed])?;
            views::add(scene, &mut issues[..viewed], in_full, &rows)?
        }
        None => views::Shown::default(),
    };
    if !moves {
        issues[..in_full].iter_mut().flat_map(|issue| &mut issue.findings).for_each(|finding| finding.curve = None);
    }
    let clock = Clock::of_options(&manifest.options, summary.runs, Lengths::to_five_digits(unit));
    let (checked, mut unchecked) = facts::all(&bodies, manifest, &clock);
    unchecked.extend(view_facts);
    Ok(Report {
        name: manifest.scene.name.clone(),
        version: manifest.version.clone(),
        dir: (!dir.has_root()).then(|| dir.to_owned()),
        unit,
        moves,
        runs: summary.runs,
        sweeps: manifest.options.sweeps.clone(),
        has_dates: manifest.options.time_origin.is_some(),
        between: summary.between.clone().unwrap_or_default(),
        verdict: facts::verdict(summary, manifest.options.runs_are_draws()),
        checked,
        unchecked,
        elements: groups::elements(&bodies, &issues),
        issues,
        in_full,
        meshes,
        rules,
        matrix,
        worst_runs: runs::worst(dir, summary)?,
        plant,
        has_decisions: summary.dispositions.is_some(),
        decisions: scene.map(|of| decisions::decisions(&of.scene)).transpose()?.flatten(),
    })
}

/// Fails if an event names a body that the scene has not at that place: its indices choose
/// geometry.
fn check_bodies(dir: &Path, scene: &Scene, issues: &[Issue]) -> Result<()> {
    for finding in issues.iter().flat_map(|issue| &issue.findings) {
        for (&index, name) in finding.bodies.iter().zip(&finding.names) {
            if scene.bodies.get(index as usize).is_none_or(|body| body.name != *name) {
                let problem = format!("names body {index} `{name}`, which is not that of the scene");
                return Err(Error::input(dir.join("events.parquet").display(), problem, "run the scene again"));
            }
        }
    }
    Ok(())
}

//! `clearsweep check`: validates a scene and its trajectories without running.

use super::args::CheckArgs;
use super::exit::Done;
use super::run::Input;
use super::stdout;
use super::text::{count, counted, length, table};
use clearsweep::Result;
use clearsweep::engine::{self, Checked, JobOptions};
use clearsweep::scene::Scene;

/// Reads everything once, and prints what was found.
pub(crate) fn check(args: CheckArgs) -> Result<Done> {
    let input = Input::from(args.input);
    let scene = input.load()?;
    let options = JobOptions { read: input.read, ..JobOptions::new("") };
    let checked = engine::check(&scene, &options)?;
    stdout::print(&text(&scene, &checked))?;
    Ok(Done::Clear)
}

fn text(scene: &Scene, checked: &Checked) -> String {
    let query = &scene.query;
    let require = query.require.map_or_else(|| "nothing required".to_owned(), |r| format!("{} required", length(r)));
    let pairs = match checked.pairs_ignored {
        0 => String::new(),
        ignored => format!(", {} of them ignored", count(ignored)),
    };
    let mut rows = vec![
        ("scene", format!("{} ({}), unit {}", scene.name, scene.path.display(), scene.unit.word)),
        ("bodies", bodies(scene)),
        ("pairs", format!("{}{pairs}", count(checked.pairs_possible))),
        ("query", format!("rows within {}, {require}", length(query.within))),
    ];
    if checked.files > 0 {
        rows.push((
            "trajectories",
            format!("{} in {}", counted(checked.rows, "row"), counted(checked.files as u64, "file")),
        ));
    }
    let frames = checked.frames.map_or(String::new(), |(low, high)| format!(", frames {low} to {high}"));
    rows.push(("chosen", format!("{}, {}{frames}", counted(checked.runs, "run"), counted(checked.samples, "frame"))));
    if let Some(bounds) = checked.bounds {
        let ends = |axis: usize| format!("{:.3} .. {:.3}", bounds.min[axis], bounds.max[axis]);
        rows.push(("positions", format!("x {}, y {}, z {} m", ends(0), ends(1), ends(2))));
    }
    let mut text = table(&rows);
    text.push_str("Everything fits together.\n");
    text
}

fn bodies(scene: &Scene) -> String {
    let pieces: usize = scene.bodies.iter().map(|body| body.shape.pieces.len()).sum();
    let moving = scene.dynamic.len();
    format!(
        "{}: {} moving, {} static; {}",
        count(scene.bodies.len() as u64),
        count(moving as u64),
        count((scene.bodies.len() - moving) as u64),
        counted(pieces as u64, "convex piece"),
    )
}

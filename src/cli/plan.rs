//! `clearsweep plan`: how a job would be divided among machines.

use super::args_divided::PlanArgs;
use super::exit::ProgramEnd;
use super::run::Input;
use super::text::{columns, counted};
use super::{files, stdout};
use clearsweep::Result;
use clearsweep_tables::shard_table;
use clearsweep_trajectory::{PlannedShard, plan_shards};
use serde_json::{Value, json};
use std::ops::Range;

/// Shards that the text lists.
const LISTED: usize = 20;

/// Plans, writes the plan if that is asked for, and prints it.
pub(crate) fn plan(args: PlanArgs) -> Result<ProgramEnd> {
    if let Some(out) = &args.out {
        files::check_target(out, args.force)?;
    }
    let input = Input::new(args.input, None)?;
    let scene = input.load_scene()?;
    let shards = plan_shards(&scene, &input.read, args.shards)?.shards;
    if let Some(out) = &args.out {
        let rows: Vec<_> = shards
            .iter()
            .map(|shard| shard_table::ShardRow::new(&shard.part.runs, shard.part.frames.as_ref(), shard.poses))
            .collect();
        shard_table::write(out, &rows)?;
    }
    match args.json {
        true => stdout::print_json(&as_json(&shards))?,
        false => stdout::print(&text(&shards))?,
    }
    Ok(ProgramEnd::Clear)
}

pub(super) fn as_json(shards: &[PlannedShard]) -> Value {
    let total: u64 = shards.iter().map(|shard| shard.poses).sum();
    let end = |value: i64, open: i64| (value != open).then_some(value);
    let ends = |range: Option<&Range<i64>>| {
        range.map_or([None; 2], |range| [end(range.start, i64::MIN), end(range.end, i64::MAX)])
    };
    let all = shards.iter().enumerate().map(|(index, shard)| {
        let is_nothing = shard.part.is_nothing();
        let [runs_from, runs_to] = ends(Some(&shard.part.runs).filter(|_| !is_nothing));
        let [frames_from, frames_to] = ends(shard.part.frames.as_ref());
        json!({
            "shard": index,
            "shards": shards.len(),
            "is_empty": is_nothing,
            "runs_from": runs_from,
            "runs_to": runs_to,
            "frames_from": frames_from,
            "frames_to": frames_to,
            "poses": shard.poses,
            "share": shard.poses as f64 / total.max(1) as f64,
        })
    });
    json!({ "shards": all.collect::<Vec<_>>() })
}

fn text(shards: &[PlannedShard]) -> String {
    let total: u64 = shards.iter().map(|shard| shard.poses).sum();
    let rows: Vec<Vec<String>> = shards
        .iter()
        .enumerate()
        .take(LISTED)
        .map(|(index, shard)| {
            let part = &shard.part;
            let [runs, frames] = match part.is_nothing() {
                true => ["none".to_owned(), String::new()],
                false => [range(&part.runs), part.frames.as_ref().map_or_else(|| "all".to_owned(), range)],
            };
            let share = 100.0 * shard.poses as f64 / total.max(1) as f64;
            vec![format!("{index}/{}", shards.len()), runs, frames, shard.poses.to_string(), format!("{share:.1} %")]
        })
        .collect();
    let titles = ["shard", "runs", "frames", "poses", "share"];
    let mut text = columns(&titles, &[false, false, false, true, true], &rows);
    if shards.len() > LISTED {
        text += &format!("and {} more (--json and --out have all)\n", counted((shards.len() - LISTED) as u64, "shard"));
    }
    text
}

fn range(of: &Range<i64>) -> String {
    let end = |value: i64, open: i64| if value == open { String::new() } else { value.to_string() };
    match (end(of.start, i64::MIN), end(of.end, i64::MAX)) {
        (start, end) if start.is_empty() && end.is_empty() => "all".to_owned(),
        (start, end) => format!("{start}..{end}"),
    }
}

//! `clearsweep explain`: why a row is proven, in numbers that somebody can check by hand.

use super::args_recheck::ExplainArgs;
use super::exit::{self, ProgramEnd};
use super::files::{check_beside, check_target, write_whole};
use super::recheck::pair_of;
use super::text::visible;
use super::{results, stdout};
use clearsweep::{Error, PairOptions, ProximityQuery, Result};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{FeatureKind, IntervalMethod, IntervalStatus, Method, Scene, Shape, Status};
use clearsweep_narrow::pair::bound_of;
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Distance, Event, Interval, OfPair, RecheckOutcome, Table, Word};
use clearsweep_report::{RowView, row_picture};
use clearsweep_verifier::Placement;
use clearsweep_verifier::explain::{Explanation, IntervalExplanation, Side, SupportVertex, interval_row, row};
use clearsweep_verifier::finding::Finding;
use clearsweep_verifier::frames::Frame;
use clearsweep_verifier::recheck::Recheck;
use serde_json::{Value, json};
use std::path::Path;

/// Columns of the text.
const WIDTH: usize = 80;

/// Width and height of the picture, pixels.
const PICTURE_SIZE: [usize; 2] = [720, 480];

/// The row that is explained.
struct Chosen {
    pair: [u32; 2],
    run: i64,
    frame: i64,
    is_interval: bool,
}

/// Explains a row, and prints it.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ProgramEnd> {
    let place = results::one(&args.dir, true)?;
    if let Some(png) = &args.png {
        check_beside(png, &place.dir)?;
        check_target(png, args.force)?;
    }
    let manifest = Manifest::read(&place.dir)?;
    let recheck = Recheck::open(&place.dir, &manifest)?;
    let chosen = chosen(args, &place.dir, &recheck)?;
    let frame = recheck.frame(chosen.run, chosen.frame)?;
    let names = chosen.pair.map(|body| recheck.scene().bodies[body as usize].name.clone());
    let is_pair = |a: i32, b: i32| [a as u32, b as u32] == chosen.pair;
    let missing = |table: &str| {
        let problem =
            format!("has no row of {} and {} in frame {} of run {}", names[0], names[1], chosen.frame, chosen.run);
        Error::input(place.dir.join(table).display(), problem, "no row: they are farther apart than `within`")
    };
    let (text, object, findings) = if chosen.is_interval {
        let row =
            frame.intervals.iter().find(|row| is_pair(row.a_index, row.b_index)).ok_or_else(|| missing("intervals"))?;
        let found = interval_row(&recheck, &frame, row).ok_or_else(|| {
            let problem = "the poses at the end of the interval are not there, or half a turn lies between them";
            Error::input(place.dir.join("intervals").display(), problem, "explain the frames beside it: --frame")
        })?;
        let pictured = written(args.png.as_deref(), args.force, || interval_picture(recheck.scene(), row, &found))?;
        (interval_text(&names, row, &found) + &pictured, interval_json(&names, row, &found), found.findings)
    } else {
        let of = frame.rows.iter().find(|row| is_pair(row.a_index, row.b_index)).ok_or_else(|| missing("distances"))?;
        let found = row(&recheck, &frame, of).ok_or_else(|| {
            let problem = "has no witness points, or a body is absent in the frame";
            Error::input(
                place.dir.join("distances").display(),
                problem,
                "run the scene again without --columns distance",
            )
        })?;
        let sources = chosen.pair.map(|body| recheck.scene().bodies[body as usize].deviation_source.name());
        let pictured = written(args.png.as_deref(), args.force, || Ok(picture(recheck.scene(), &frame, of)))?;
        let named = Named { bodies: names.each_ref().map(String::as_str), sources };
        (row_text(&named, of, &found) + &pictured, row_json(&names, of, &found), found.findings)
    };
    let printed = if args.json { stdout::print_json(&object) } else { stdout::print(&text) };
    let has = |outcome| findings.iter().any(|finding: &Finding| finding.outcome == outcome);
    let end = match () {
        () if has(RecheckOutcome::Wrong) => ProgramEnd::Violated,
        () if is_open(&findings) => ProgramEnd::Uncertified,
        () => ProgramEnd::Clear,
    };
    exit::printed(printed, end)
}

/// Writes a picture, if there is to be one; returns the line that says where.
fn written(png: Option<&Path>, force: bool, picture: impl FnOnce() -> Result<Vec<u8>>) -> Result<String> {
    let Some(png) = png else { return Ok(String::new()) };
    write_whole(png, &picture()?, force)?;
    Ok(line("picture", &visible(&png.display().to_string())))
}

/// The picture of an interval that was explained: both bodies in the middle of the times of least
/// distance.
fn interval_picture(scene: &Scene, of: &Interval, found: &IntervalExplanation) -> Result<Vec<u8>> {
    let bodies = [of.a_index as u32, of.b_index as u32];
    let [a, b] = bodies.map(|body| &*scene.bodies[body as usize].shape);
    let poses = found.places.each_ref().map(Placement::pose);
    let own = |shape: &Shape, pose: &Pose| pose.recentred(Vec3::ZERO - shape.center);
    let mut query = ProximityQuery::new(a, b, &PairOptions::default())?;
    let row = query.proximity(&own(a, &poses[0]), &own(b, &poses[1]))?;
    let row = row.ok_or_else(|| Error::internal("explain", "no answer within any distance"))?;
    let witness = [row.point_a, row.point_b];
    let view = RowView { bodies, poses, witness, normal: row.normal, distance: row.lower };
    Ok(row_picture(scene, &view, PICTURE_SIZE))
}

/// The picture of a row that was explained, so that both bodies are there and it has points.
fn picture(scene: &Scene, frame: &Frame, of: &Distance) -> Vec<u8> {
    let bodies = [of.a_index as u32, of.b_index as u32];
    let pose = |k: usize| frame.places[bodies[k] as usize].as_ref().map_or(Pose::IDENTITY, Placement::pose);
    let vector = |point: [Option<f64>; 3]| Vec3::from(point.map(|c| c.unwrap_or(f64::NAN)));
    let row = RowView {
        bodies,
        poses: [pose(0), pose(1)],
        witness: [vector([of.a_x, of.a_y, of.a_z]), vector([of.b_x, of.b_y, of.b_z])],
        normal: vector([of.n_x, of.n_y, of.n_z]),
        distance: of.lower_m.unwrap_or(f64::NAN),
    };
    row_picture(scene, &row, PICTURE_SIZE)
}

/// Whether the bracket is not proven again.
fn is_open(findings: &[Finding]) -> bool {
    use clearsweep_records::RecheckWhat::{Bracket, Least};
    let brackets = findings.iter().filter(|finding| matches!(finding.what, Bracket | Least));
    brackets.clone().count() == 0 || brackets.into_iter().any(|finding| finding.outcome != RecheckOutcome::Proven)
}

fn chosen(args: &ExplainArgs, dir: &Path, recheck: &Recheck) -> Result<Chosen> {
    if let Some(issue) = &args.issue {
        let mut worst: Option<Event> = None;
        for event in Table::<Event>::open(dir)?.rows() {
            let event = event?;
            let upper = |event: &Event| event.upper_m.unwrap_or(f64::NEG_INFINITY);
            if *event.issue == **issue && worst.as_ref().is_none_or(|worst| upper(&event) < upper(worst)) {
                worst = Some(event);
            }
        }
        let problem = format!("the result has no event of issue `{}`", visible(issue));
        let event = worst.ok_or_else(|| {
            Error::usage("--issue", problem, "`clearsweep summary DIR` and issues.parquet have the ids")
        })?;
        let pair = [event.a_index as u32, event.b_index as u32];
        return Ok(Chosen { pair, run: event.run, frame: event.frame_of_least, is_interval: event.samples == 0 });
    }
    let pair = pair_of(recheck.scene(), args.pair.as_deref().unwrap_or_default())?;
    if let (Some(run), Some(frame)) = (args.run, args.frame.or(args.interval)) {
        return Ok(Chosen { pair, run, frame, is_interval: args.interval.is_some() });
    }
    let frame = args.frame.or(args.interval);
    let mut worst: Option<(f64, i64, i64)> = None;
    let mut add = |upper: Option<f64>, run: i64, at: i64| {
        let upper = upper.unwrap_or(f64::NEG_INFINITY);
        let is_chosen = args.run.is_none_or(|only| only == run) && frame.is_none_or(|only| only == at);
        if is_chosen && worst.is_none_or(|(least, ..)| upper < least) {
            worst = Some((upper, run, at));
        }
    };
    let is_pair = |bodies: [u32; 2]| bodies == pair;
    match args.interval {
        Some(_) => {
            for row in Table::<Interval>::open(dir)?.rows() {
                let row = row?;
                if is_pair([row.a_index as u32, row.b_index as u32]) {
                    add(row.upper_m, row.run, row.frame);
                }
            }
        }
        None => {
            for row in Table::<clearsweep_records::DistanceBracket>::open(dir)?.rows() {
                let row = row?;
                if is_pair(row.bodies()) {
                    add(row.upper_m, row.run, row.frame);
                }
            }
        }
    }
    let (_, run, at) = worst.ok_or_else(|| {
        let problem = "the result has no such row of this pair";
        Error::usage("--pair", problem, "no row: the bodies are farther apart than `within`, or ignored")
    })?;
    Ok(Chosen { pair, run, frame: at, is_interval: args.interval.is_some() })
}

/// A length or a coordinate for a pocket calculator.
fn number(value: f64) -> String {
    cut(value, 12)
}

fn short(value: f64) -> String {
    cut(value, 9)
}

/// A number with this many digits after the point, without zeros at its end.
fn cut(value: f64, digits: usize) -> String {
    let value = value + 0.0; // no minus before a zero
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.*e}", digits / 2);
    }
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn vector(v: [f64; 3]) -> String {
    format!("({})", v.map(number).join(", "))
}

fn line(label: &str, text: &str) -> String {
    let room = Some(WIDTH);
    format!("{label:10} {}\n", super::wrap::wrapped(text, room, 11))
}

fn end(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:?}"))
}

/// Names that the text prints beside the row.
struct Named<'a> {
    bodies: [&'a str; 2],
    /// Sources of the deviations of both bodies.
    sources: [&'static str; 2],
}

fn row_text(names: &Named<'_>, of: &Distance, found: &Explanation) -> String {
    let method = of.method.map_or("?", |method| Method::NAMES[method as usize]);
    let time = of.time_s.map_or_else(String::new, |time| format!(", {time} s"));
    let mut text = line("pair", &format!("A = {}, B = {}", visible(names.bodies[0]), visible(names.bodies[1])));
    let what = format!("{}, by {}", Status::NAMES[of.status as usize], method_words(of.method, method));
    text += &line("row", &format!("run {}, frame {}{time}: {what}", of.run, of.frame));
    text += &line("bracket", &format!("{} .. {} m", end(of.lower_m), end(of.upper_m)));
    text += &line("frame", &frame_words(found));
    let is_turned = found.rotation != [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let map = if is_turned { "R x_B + t" } else { "x_B + t" };
    text += &line("B in A", &format!("x_A = {map}, t = {}", vector(found.translation)));
    for (k, row) in found.rotation.iter().enumerate().filter(|_| is_turned) {
        text += &line("", &format!("row {} of R = {}", k + 1, vector(*row)));
    }
    let of_what = if of.status == Status::Separated { "n, of both planes" } else { "n, of the depth" };
    text += &line("direction", &format!("{} = {}", of_what, vector(found.normal)));
    for (k, name) in ["A", "B"].into_iter().enumerate() {
        text += &side_text(name, &found.sides[k], if k == 0 { "largest" } else { "least" }, &feature(of, k));
    }
    let [a, b] = &found.sides;
    let radii = a.growth + b.growth;
    let less = if radii > 0.0 { format!(" - {} (radii)", short(radii)) } else { String::new() };
    text += &line("gap", &format!("{} - {}{less} = {} m", number(b.height), number(a.height), number(found.gap)));
    let e = bound_of::<f64>(found.size);
    let [of_a, of_b, apart] = [a.reach, b.reach, found.size - a.reach - b.reach].map(short);
    text += &line(
        "rounding",
        &format!("E = 256 * 2^-53 * S = {e:.6e} m, S = {of_a} + {of_b} + {apart}: reach of A, of B, |t|"),
    );
    let deviation = match a.deviation + b.deviation > 0.0 {
        true => format!(
            "{} m of A ({}), {} m of B ({}): both ends are that much wider",
            short(a.deviation),
            names.sources[0],
            short(b.deviation),
            names.sources[1]
        ),
        false => "none: both bodies are as stored".to_owned(),
    };
    text += &line("deviation", &deviation);
    text += &ends_text(of, found, e);
    text + &checked_text(&found.findings)
}

fn method_words(method: Option<Method>, name: &str) -> String {
    let why = match method {
        Some(Method::Strict) => "one nearest pair of features, beyond rounding",
        Some(Method::Tie) => "several nearest features within rounding",
        Some(Method::Exact) => "extended precision",
        Some(Method::Mesh) => "two triangles, and all others farther apart",
        Some(Method::Bound) => "a bracket of the depth",
        Some(Method::Round) => "supports of round bodies",
        Some(Method::Winding) => "the winding number of an open mesh",
        Some(Method::None) | None => "no proof",
    };
    format!("method {name} ({why})")
}

fn frame_words(found: &Explanation) -> String {
    let [a, b] = &found.sides;
    let centres = [("A", a.center), ("B", b.center)];
    let moved = centres.iter().filter(|(_, center)| center.iter().any(|c| *c != 0.0));
    let moved: Vec<String> =
        moved.map(|(name, c)| format!("origin of {name} moved to {} of its own frame", vector(*c))).collect();
    let of_a = "all coordinates are in A's frame, metres";
    if moved.is_empty() { of_a.to_owned() } else { format!("{of_a}; {}", moved.join("; ")) }
}

fn feature(of: &Distance, k: usize) -> String {
    let kind = [of.feature_a_kind, of.feature_b_kind][k].map_or("?", |kind| FeatureKind::NAMES[kind as usize]);
    let (number, part) = ([of.feature_a, of.feature_b][k].unwrap_or(-1), [of.part_a, of.part_b][k].unwrap_or(-1));
    format!("{kind} {number} of part {part}")
}

fn side_text(name: &str, side: &Side, most: &str, feature: &str) -> String {
    let more = side.count.saturating_sub(side.vertices.len());
    let more = if more > 0 { format!(", {more} more on it") } else { String::new() };
    let of = if side.compared > 1 { format!(", the {most} of {} vertices", side.compared) } else { String::new() };
    let mut text = line(name, &format!("{feature}: n.x = {}{of}{more}", number(side.height)));
    for SupportVertex { number: id, in_a, .. } in &side.vertices {
        let id = id.map_or_else(|| "point".to_owned(), |id| format!("vertex {id}"));
        text += &line("", &format!("{id} at ({})", in_a.map(number).join(", ")));
    }
    text
}

fn ends_text(of: &Distance, found: &Explanation, e: f64) -> String {
    let mut text = String::new();
    let deviation = found.sides[0].deviation + found.sides[1].deviation;
    let lower = found.gap - deviation - of.lower_m.unwrap_or(f64::NAN);
    let why = match of.status {
        Status::Separated if found.is_of_whole_bodies => "no point of A is above its plane, none of B below",
        Status::Separated => "of the nearest parts; the verifier compares all others",
        _ if found.is_of_whole_bodies => "B moved by that much along n is free of A",
        _ => "the whole bodies need the way that the lower end says",
    };
    text += &line("lower end", &format!("gap - lower_m = {:.3e} m = {:.2} E: {why}", lower, lower / e));
    let between = found.between().unwrap_or(f64::NAN);
    let [a, b] = found.sides.each_ref().map(|side| side.witness.map_or_else(|| "?".to_owned(), vector));
    text += &line("point a", &a);
    text += &line("point b", &format!("{b}: {} m apart", number(between)));
    let upper = match of.status {
        Status::Separated => {
            let off = of.upper_m.unwrap_or(f64::NAN) - deviation - between;
            format!("upper_m - |b - a| = {off:.3e} m = {:.2} E: points of both bodies", off / e)
        }
        Status::Penetrating => "no direction shows less overlap: the verifier goes through all of them".to_owned(),
        _ => "the bodies touch, or overlap by less than `touch`".to_owned(),
    };
    text + &line("upper end", &upper)
}

fn checked_text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let mut words = format!("{}: {}", finding.what.name(), finding.outcome.name().replace('_', " "));
        if let Some(why) = &finding.why {
            words += &format!(" ({why})");
        }
        text += &line("recheck", &words);
        if finding.proven.iter().all(|end| end.is_finite()) {
            text += &line("", &format!("{:?} .. {:?} m", finding.proven[0], finding.proven[1]));
        }
    }
    text
}

fn findings_json(findings: &[Finding]) -> Vec<Value> {
    let finite = |end: f64| end.is_finite().then_some(end);
    let one = |finding: &Finding| {
        json!({
            "what": finding.what.name(),
            "outcome": finding.outcome.name(),
            "why": finding.why,
            "lower_m": finite(finding.proven[0]),
            "upper_m": finite(finding.proven[1]),
        })
    };
    findings.iter().map(one).collect()
}

fn side_json(side: &Side, feature: String) -> Value {
    let vertex = |vertex: &SupportVertex| json!({ "number": vertex.number, "own": vertex.own, "in_a": vertex.in_a, "height_m": vertex.height });
    json!({
        "feature": feature,
        "vertices": side.vertices.iter().map(vertex).collect::<Vec<_>>(),
        "vertices_on_plane": side.count,
        "vertices_compared": side.compared,
        "height_m": side.height,
        "growth_m": side.growth,
        "deviation_m": side.deviation,
        "reach_m": side.reach,
        "center": side.center,
        "witness": side.witness,
    })
}

fn row_json(names: &[String; 2], of: &Distance, found: &Explanation) -> Value {
    json!({
        "kind": "row",
        "body_a": names[0],
        "body_b": names[1],
        "run": of.run,
        "frame": of.frame,
        "time_s": of.time_s,
        "status": Status::NAMES[of.status as usize],
        "method": of.method.map(|method| Method::NAMES[method as usize]),
        "lower_m": of.lower_m,
        "upper_m": of.upper_m,
        "normal": found.normal,
        "rotation": found.rotation,
        "translation": found.translation,
        "a": side_json(&found.sides[0], feature(of, 0)),
        "b": side_json(&found.sides[1], feature(of, 1)),
        "gap_m": found.gap,
        "size_m": found.size,
        "bound_m": bound_of::<f64>(found.size),
        "points_m": found.between(),
        "directions": null,
        "samples": null,
        "recheck": findings_json(&found.findings),
    })
}

fn interval_text(names: &[String; 2], of: &Interval, found: &IntervalExplanation) -> String {
    let mut text = line("pair", &format!("A = {}, B = {}", visible(&names[0]), visible(&names[1])));
    let (status, method) = (IntervalStatus::NAMES[of.status as usize], IntervalMethod::NAMES[of.method as usize]);
    text += &line(
        "interval",
        &format!("run {}, frames {} to {}: {status}, by method {method}", of.run, of.frame, of.frame_next),
    );
    text += &line("bracket", &format!("{} .. {} m", end(of.lower_m), end(of.upper_m)));
    text += &line("nearest", &format!("between shares {} and {} of the interval", of.closest_lo, of.closest_hi));
    if let (Some(clear), Some(touching)) = (of.contact_lo, of.contact_hi) {
        text += &line("contact", &format!("clear before share {clear}, in contact at {touching}"));
    }
    for (share, [lower, upper]) in &found.samples {
        text += &line("sample", &format!("at share {share:.6}: {} .. {} m", short(*lower), short(*upper)));
    }
    if found.covers.is_empty() {
        text += &line("direction", "none keeps the hulls so far apart: the verifier divides the interval instead");
    }
    for cover in &found.covers {
        let [from, to] = cover.share;
        let along = cover.direction.map(short).join(", ");
        text += &line(
            "direction",
            &format!("shares {from:.4} to {to:.4}: ({along}), gap at least {} m", short(cover.gap_m)),
        );
    }
    text + &checked_text(&found.findings)
}

fn interval_json(names: &[String; 2], of: &Interval, found: &IntervalExplanation) -> Value {
    let covers = found
        .covers
        .iter()
        .map(|cover| json!({ "share": cover.share, "direction": cover.direction, "gap_m": cover.gap_m }));
    let finite = |end: f64| end.is_finite().then_some(end);
    let samples = found
        .samples
        .iter()
        .map(|(share, ends)| json!({ "share": share, "lower_m": finite(ends[0]), "upper_m": finite(ends[1]) }));
    json!({
        "kind": "interval",
        "body_a": names[0],
        "body_b": names[1],
        "run": of.run,
        "frame": of.frame,
        "frame_next": of.frame_next,
        "status": IntervalStatus::NAMES[of.status as usize],
        "method": IntervalMethod::NAMES[of.method as usize],
        "lower_m": of.lower_m,
        "upper_m": of.upper_m,
        "directions": covers.collect::<Vec<_>>(),
        "samples": samples.collect::<Vec<_>>(),
        "recheck": findings_json(&found.findings),
    })
}

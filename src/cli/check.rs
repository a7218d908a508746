//! `clearsweep check`: validates a scene and its trajectories without running.

use super::args::CheckArgs;
use super::body_lines;
use super::color::{Tone, paint};
use super::exit::ProgramEnd;
use super::first_scene::FirstScene;
use super::run::Input;
use super::srdf::Proposal;
use super::stdout;
use super::summary;
use super::text::{Lengths, ONCE, bytes, count, counted, resting_on, seconds, table, visible};
use super::tree;
use super::wrap::{width, wrapped};
use clearsweep::Result;
use clearsweep_base::text::shell_word;
use clearsweep_engine::{
    Checked, JobOptions, LargestJointStep, LargestStep, REST_COLUMNS, Warning, ignore_words, input_name,
    pairs_by_deviation_source, rest_row, rule_terms,
};
use clearsweep_model::{Baseline, BetweenFrames, FreeLength, IgnoreRule, Motion, SameAncestor, Scene};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Names that are listed before the rest is counted.
const LISTED: usize = 5;

/// Groups that are listed: a file of many nodes has a group of each that holds others.
const GROUPS: usize = 20;

/// Reads everything once, and prints what was found.
pub(crate) fn check(args: CheckArgs) -> Result<ProgramEnd> {
    let CheckArgs { input, srdf, unit, json } = args;
    let input = Input::new(input, None)?;
    let mut first = FirstScene::of(input.scene(), unit.as_deref())?;
    let scene = match &mut first {
        Some(first) => first.load(&input.overrides)?,
        None => input.load_scene()?,
    };
    let options = JobOptions { read: input.read, ..JobOptions::default() };
    let checked = clearsweep_engine::check(&scene, &options)?;
    let proposal = Proposal::new(&scene, &srdf)?;
    if proposal.as_ref().is_some_and(Proposal::is_printed) {
        return Ok(ProgramEnd::Clear);
    }
    let mut object = json.then(|| as_json(&scene, &checked));
    if let (Some(object), Some(proposal)) = (&mut object, &proposal) {
        object["srdf"] = proposal.as_json();
    }
    let mut shown = if json { String::new() } else { text(&scene, &checked, (first.as_ref(), proposal.as_ref())) };
    if let Some(first) = &first {
        let out = first.proposed();
        let file = first.text(&first.seen_from(Path::new("."))?, &out, &scene);
        object.iter_mut().for_each(|object| first.add_to(object, &file));
        let command = format!("clearsweep init {} --out {}", shell_word(first.file()), shell_word(&out));
        shown += &format!("\nA scene to begin with; `{command}` writes it:\n\n{file}");
    }
    match object {
        Some(object) => stdout::print_json(&object)?,
        None => stdout::print(&shown)?,
    }
    Ok(ProgramEnd::Clear)
}

/// Returns the findings as text: of a scene that was made for a geometry file, if there is one, and
/// with a proposal.
pub(super) fn text(
    scene: &Scene,
    checked: &Checked,
    (first, proposal): (Option<&FirstScene>, Option<&Proposal<'_>>),
) -> String {
    let query = &scene.query;
    let lengths = Lengths::of(scene.unit);
    let require = match (scene.rules.all().len(), query.require) {
        (0, None) => "nothing required".to_owned(),
        (0, Some(require)) if require < 0.0 => lengths.requirement(require),
        (0, Some(require)) => format!("{} required", lengths.text(require)),
        (rules, _) => format!("{} below", counted(rules as u64, "rule")),
    };
    let pairs = match checked.pairs_ignored {
        0 => String::new(),
        ignored => format!(", {} of them ignored", count(ignored)),
    };
    let mut rows = vec![
        ("scene", format!("{} ({}), unit {}", scene.name, scene.path.display(), scene.unit.word)),
        ("bodies", bodies(scene)),
        ("sizes", sizes(scene)),
    ];
    rows.extend(first.map(|first| ("units", first.units())));
    rows.extend(body_lines::hulls(scene).map(|line| ("hulls", line)));
    rows.extend(body_lines::decompositions(scene).map(|line| ("decomposed", line)));
    let lines = body_lines::meshes(scene, &checked.meshes);
    rows.extend(["meshes"].into_iter().chain(std::iter::repeat("")).zip(lines));
    rows.push(("pairs", format!("{} possible{pairs}", count(checked.pairs_possible))));
    rows.extend(resting_on(&pairs_by_deviation_source(scene)).map(|line| ("basis", line)));
    rows.extend([(
        "query",
        format!(
            "rows within {}{}, {require}, touching up to {}",
            lengths.text(query.within),
            if query.within_from_require { summary::FROM_REQUIRE } else { "" },
            lengths.text(query.touch)
        ),
    )]);
    rows.extend(input(checked, scene));
    let mut text = table(&rows);
    for warning in &checked.warnings {
        text.push_str(&warning_text(scene, warning));
    }
    let mut lists = Vec::new();
    scene.trees.iter().for_each(|made| lists.extend(under("made of", tree::lines(made))));
    // Joints begin where the files have their bodies.
    if scene.joints.is_none() {
        lists.extend(under("at rest", rest(scene)));
    }
    lists.extend(under("joints", body_lines::joints(scene)));
    lists.extend(under("groups", groups(checked)));
    lists.extend(under("ignored", ignored(scene)));
    lists.extend(proposal.into_iter().flat_map(|proposal| under("srdf", proposal.lines())));
    lists.extend(under("rules", rules(scene, checked)));
    lists.extend(found(scene, checked));
    text.push_str(&table(&lists));
    text.push_str(&match checked.warnings.len() as u64 {
        0 => paint(Tone::Good, "Everything fits together."),
        n => format!("A run would be done; {}.", paint(Tone::Doubtful, &counted(n, "warning"))),
    });
    text.push('\n');
    text
}

/// Returns the places of moving nodes in the files, as rows of trajectories: nodes that nothing
/// carries.
fn rest(scene: &Scene) -> Vec<String> {
    let nodes = || scene.hierarchy.rest.iter().filter(|rest| rest.carrier.is_none());
    let rows = nodes().take(LISTED).map(|rest| rest_row(scene, rest));
    let names = nodes().take(1).map(|_| REST_COLUMNS.to_owned());
    let mut lines: Vec<String> = names.chain(rows).collect();
    match nodes().count().saturating_sub(LISTED) as u64 {
        0 => {}
        more => lines.push(format!("and {} more (`rest_poses` of --json has all)", count(more))),
    }
    lines
}

/// Lines of one name.
fn under(name: &'static str, lines: Vec<String>) -> impl Iterator<Item = (&'static str, String)> {
    let lines = lines.into_iter().map(|line| visible(&line).into_owned());
    std::iter::once(name).chain(std::iter::repeat("")).zip(lines)
}

fn bodies(scene: &Scene) -> String {
    let convex = scene.bodies.iter().filter(|body| body.shape.mesh.is_none());
    let pieces: usize = convex.map(|body| body.shape.pieces.len()).sum();
    let moving = scene.dynamic.len();
    format!(
        "{}: {} moving, {} static; {}",
        count(scene.bodies.len() as u64),
        count(moving as u64),
        count((scene.bodies.len() - moving) as u64),
        counted(pieces as u64, "convex piece"),
    )
}

/// The smallest, the median and the largest body.
fn sizes(scene: &Scene) -> String {
    let mut by_size: Vec<(f64, &str)> =
        scene.bodies.iter().map(|body| (body.shape.size(), body.name.as_str())).collect();
    by_size.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lengths = Lengths::of(scene.unit);
    match (by_size.first(), by_size.get(by_size.len() / 2), by_size.last()) {
        (Some(least), Some(median), Some(most)) => format!(
            "{} ({}) to {} ({}) across, median {}",
            lengths.text(least.0),
            visible(least.1),
            lengths.text(most.0),
            visible(most.1),
            lengths.text(median.0)
        ),
        _ => "-".to_owned(),
    }
}

fn groups(checked: &Checked) -> Vec<String> {
    let line = |group: &clearsweep_engine::GroupFound| {
        let more = if group.bodies > group.examples.len() as u64 { ", ..." } else { "" };
        format!(
            "{}: {} ({}{more})",
            group.name,
            if group.bodies == 1 { "1 body".to_owned() } else { format!("{} bodies", count(group.bodies)) },
            group.examples.join(", ")
        )
    };
    let mut lines: Vec<String> = checked.groups.iter().take(GROUPS).map(line).collect();
    if checked.groups.len() > GROUPS {
        lines.push(format!("and {} more groups", count((checked.groups.len() - GROUPS) as u64)));
    }
    lines
}

/// Rules of one reason from which on they share a line: a robot has one for each pair of
/// neighbours.
const ALIKE: usize = 4;

/// Pairs that a line names.
const PAIRS_NAMED: usize = 3;

/// A line for each ignore rule, and one for many of the same reason.
fn ignored(scene: &Scene) -> Vec<String> {
    let name = |body: u32| scene.bodies[body as usize].name.as_str();
    let line = |what: &str, rules: &[&IgnoreRule]| {
        let pairs: u64 = rules.iter().map(|rule| rule.pairs).sum();
        let named = rules.iter().flat_map(|rule| &rule.examples).take(PAIRS_NAMED);
        let examples: Vec<_> = named.map(|&[a, b]| format!("{} and {}", name(a), name(b))).collect();
        let more = if pairs > examples.len() as u64 { "; ..." } else { "" };
        let examples = if examples.is_empty() { String::new() } else { format!(" ({}{more})", examples.join("; ")) };
        format!("{what}: {}{examples}", counted(pairs, "pair"))
    };
    let mut of_reason: BTreeMap<&str, Vec<&IgnoreRule>> = BTreeMap::new();
    for rule in &scene.ignore_rules {
        of_reason.entry(rule.reason.as_deref().unwrap_or_default()).or_default().push(rule);
    }
    let shares = |reason: &str, rules: &[&IgnoreRule]| !reason.is_empty() && rules.len() >= ALIKE;
    let mut lines = Vec::new();
    for rule in &scene.ignore_rules {
        let reason = rule.reason.as_deref().unwrap_or_default();
        match of_reason.get(reason).filter(|rules| shares(reason, rules)) {
            Some(rules) if std::ptr::eq(rules[0], rule) => lines.push(line(reason, rules)),
            Some(_) => {}
            None => lines.push(line(&ignore_words(rule), &[rule])),
        }
    }
    lines
}

/// Number of pairs under the ignore rules of each reason; a pair may be under several.
fn pairs_by_reason(scene: &Scene) -> BTreeMap<&str, u64> {
    let mut pairs = BTreeMap::new();
    for rule in &scene.ignore_rules {
        *pairs.entry(rule.reason.as_deref().unwrap_or("no reason is given")).or_default() += rule.pairs;
    }
    pairs
}

/// A line for each rule, in their order, and how many pairs are under it; none without rules.
fn rules(scene: &Scene, checked: &Checked) -> Vec<String> {
    let (requirements, lengths) = (scene.requirements(), Lengths::of(scene.require_unit));
    if requirements.uniform().is_some() {
        return Vec::new();
    }
    let line = |(rule, &pairs): (usize, &u64)| {
        let required = match requirements.by(rule) {
            nothing if nothing.is_nan() => "nothing required".to_owned(),
            required => lengths.requirement(required),
        };
        let of = requirements.rules().get(rule).map_or_else(String::new, |rule| {
            let baseline = rule.baseline.map_or_else(String::new, |Baseline { at, worse_by }| {
                format!(", or {} nearer than at baseline {at}", lengths.text(worse_by))
            });
            let free = rule.free_length.map_or_else(String::new, |FreeLength { direction, footprint }| {
                let [x, y, z] = direction.to_array();
                format!(" free along {x} {y} {z} within {}", lengths.text(footprint))
            });
            let b = rule.b.as_deref().unwrap_or("everything");
            format!("{free}{baseline}, {} against {b}, {}", rule.a, rule.severity.name())
        });
        format!("{}: {required}{of}: {}", requirements.name(rule), counted(pairs, "pair"))
    };
    checked.pairs_by_rule.iter().enumerate().map(line).collect()
}

fn input(checked: &Checked, scene: &Scene) -> Vec<(&'static str, String)> {
    let (unit, of_splines) = (scene.unit, scene.motion.between == BetweenFrames::Spline);
    let mut rows = Vec::new();
    if checked.files > 0 {
        let files = counted(checked.files as u64, "file");
        let (what, row) = if of_splines { ("splines", "piece") } else { ("trajectories", "row") };
        rows.push((what, format!("{} in {files}", counted(checked.rows, row))));
    }
    if checked.spooled_bytes > 0 {
        rows.push(("copied", format!("{} of a stream, to a temporary file", bytes(checked.spooled_bytes))));
    }
    let frames = checked.frames.map_or(String::new(), |(low, high)| format!(", frames {low} to {high}"));
    let runs = match checked.run_keys {
        Some((low, high)) if low < high => format!(", runs {low} to {high}"),
        _ => String::new(),
    };
    if checked.files == 0 && checked.rows > 0 {
        rows.push(("sweep", counted(checked.rows, "sample")));
    }
    let chosen = match checked.rows {
        0 if checked.files == 0 => ONCE.to_owned(),
        _ => format!("{}, {}{frames}{runs}", counted(checked.runs, "run"), counted(checked.samples, "frame")),
    };
    rows.push(("chosen", chosen));
    if let Some((from, to)) = checked.times_s {
        let steps = match checked.time_steps_s {
            Some((low, high)) if high - low <= 1e-6 * high.abs() => format!(", steps of {}", seconds(high)),
            Some((low, high)) => format!(", steps of {} to {}", seconds(low), seconds(high)),
            None => String::new(),
        };
        // 39 * 0.05 is not quite 1.95.
        let rounded = |time: f64| format!("{:.9}", time).trim_end_matches('0').trim_end_matches('.').to_owned();
        rows.push(("times", format!("{} s to {} s{steps}", rounded(from), rounded(to))));
    }
    if let Some(bounds) = checked.bounds {
        // As numbers like those of the file: a wrong unit shows here first.
        let lengths = Lengths::of(unit);
        let number = |metres: f64| lengths.text(metres).trim_end_matches(unit.word).trim_end().to_owned();
        let ends = |axis: usize| format!("{} .. {}", number(bounds.min[axis]), number(bounds.max[axis]));
        rows.push(("positions", format!("x {}, y {}, z {} {}", ends(0), ends(1), ends(2), unit.word)));
    }
    rows
}

fn found(scene: &Scene, checked: &Checked) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if let Some(step) = checked.largest_steps.first() {
        rows.push(("largest step", step_text(scene, step)));
    }
    if let Some(LargestJointStep { joint, values: [from, to], run, frames }) = &checked.largest_joint_step {
        let [degrees, from, to] = [(to - from).abs(), *from, *to].map(f64::to_degrees);
        let step = format!("{} by {degrees:.1} degrees, {from:.1} to {to:.1}", visible(joint));
        rows.push(("of joints", format!("{step}: run {run}, frames {} to {}", frames[0], frames[1])));
    }
    let never = &checked.never_near;
    rows.push((
        "never near",
        match never.len() {
            0 => "none: every body comes near another one".to_owned(),
            n => format!("{} of {}: {}", count(n as u64), count(scene.bodies.len() as u64), names(scene, never)),
        },
    ));
    if !checked.open_meshes.is_empty() {
        let n = checked.open_meshes.len() as u64;
        rows.push((
            "open meshes",
            format!(
                "{} of {} bodies: {} (hulls and pieces do not mind)",
                count(n),
                count(scene.bodies.len() as u64),
                names(scene, &checked.open_meshes)
            ),
        ));
    }
    rows
}

fn step_text(scene: &Scene, step: &LargestStep) -> String {
    let LargestStep { body, step_m, angle_rad, size_m, run, from_frame, to_frame } = *step;
    let lengths = Lengths::of(scene.unit);
    format!(
        "{} by {} ({} across), {:.1} degrees of it a turn: run {run}, frames {from_frame} to {to_frame}",
        scene.bodies[body as usize].name,
        lengths.text(step_m),
        lengths.text(size_m),
        angle_rad.to_degrees()
    )
}

/// The first names, and how many more.
fn names(scene: &Scene, bodies: &[u32]) -> String {
    let first: Vec<_> = bodies.iter().take(LISTED).map(|&body| visible(&scene.bodies[body as usize].name)).collect();
    match bodies.len().saturating_sub(LISTED) as u64 {
        0 => first.join(", "),
        more => format!("{} and {} more", first.join(", "), count(more)),
    }
}

fn warning_text(scene: &Scene, warning: &Warning) -> String {
    // A problem of sizes or of contacts names its bodies itself.
    let who = match warning.bodies.is_empty() || ["size", "contact", "tipped"].contains(&warning.kind) {
        true => String::new(),
        false => format!("{}: ", names(scene, &warning.bodies)),
    };
    let problem = format!("{} {who}{}", paint(Tone::Doubtful, "warning:"), visible_lines(&warning.problem));
    let remedy = format!("  help: {}", visible_lines(&warning.remedy));
    // What follows a blank line is TOML, in which a line break would part a name.
    let (words, toml) = remedy.split_once("\n\n").unwrap_or((&remedy, ""));
    let toml = if toml.is_empty() { String::new() } else { format!("\n{toml}\n\n") };
    format!("{}\n{}\n{toml}", wrapped(&problem, width(), 0), wrapped(words, width(), 2))
}

/// Text that may quote names: lines stay lines, other control characters are escaped.
fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

pub(super) fn as_json(scene: &Scene, checked: &Checked) -> Value {
    let name = |body: &u32| scene.bodies[*body as usize].name.clone();
    let all = |bodies: &[u32]| bodies.iter().map(name).collect::<Vec<_>>();
    let is_static = |body: &&clearsweep_model::Body| matches!(body.motion, Motion::Static(_));
    let mut object = json!({
        "scene": { "path": scene.path.display().to_string(), "name": scene.name, "length_unit": scene.unit.word },
        "bodies": scene.bodies.len(),
        "bodies_dynamic": scene.dynamic.len(),
        "bodies_static": scene.bodies.iter().filter(is_static).count(),
        "pairs_possible": checked.pairs_possible,
        "pairs_ignored": checked.pairs_ignored,
        "pairs_ignored_by_reason": pairs_by_reason(scene),
        "within_m": scene.query.within,
        "within_from_require": scene.query.within_from_require,
        "require_m": scene.query.require,
        "touch_m": scene.query.touch,
        "made_of": scene.trees.iter().map(tree::as_json).collect::<Vec<_>>(),
        "groups": checked.groups.iter().map(|group| json!({
            "name": group.name, "bodies": group.bodies, "examples": group.examples,
        })).collect::<Vec<_>>(),
        "ignore": scene.ignore_rules.iter().map(|rule| json!({
            "a": rule.a, "b": rule.b, "same": rule.same.map(SameAncestor::word), "reason": rule.reason, "pairs": rule.pairs,
            "examples": rule.examples.iter().map(|pair| pair.map(|body| &scene.bodies[body as usize].name)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "rules": rule_terms(scene, &checked.pairs_by_rule),
        "files": checked.files,
        "rows": checked.rows,
        "runs": checked.runs,
        "frames": checked.samples,
        "run_range": checked.run_keys,
        "frame_range": checked.frames,
        "time_range_s": checked.times_s,
        "time_step_range_s": checked.time_steps_s,
        "position_bounds_m": checked.bounds.map(|bounds| json!({ "min": bounds.min, "max": bounds.max })),
        "sizes": scene.bodies.iter().map(|body| json!({
            "body": body.name, "size_m": body.shape.size(), "extent_m": body.shape.extent(),
        })).collect::<Vec<_>>(),
        "hulls": body_lines::hulls_json(scene),
        "decompositions": body_lines::decompositions_json(scene),
        "meshes": body_lines::meshes_json(scene, &checked.meshes),
        "largest_steps": checked.largest_steps.iter().map(|step| json!({
            "body": name(&step.body), "step_m": step.step_m, "angle_rad": step.angle_rad, "size_m": step.size_m,
            "run": step.run, "from_frame": step.from_frame, "to_frame": step.to_frame,
        })).collect::<Vec<_>>(),
        "largest_joint_step": checked.largest_joint_step.as_ref().map(|step| json!({
            "joint": step.joint, "from_rad": step.values[0], "to_rad": step.values[1],
            "run": step.run, "from_frame": step.frames[0], "to_frame": step.frames[1],
        })),
        "rest_poses": scene.hierarchy.rest.iter().map(|rest| json!({
            "body": input_name(scene, rest.input), "position_m": rest.pose.position.to_array().map(|c| c + 0.0),
            "qw": rest.pose.q[0], "qx": rest.pose.q[1], "qy": rest.pose.q[2], "qz": rest.pose.q[3],
            "carried_by": rest.carrier.map(|carrier| input_name(scene, carrier)), "row": rest_row(scene, rest),
        })).collect::<Vec<_>>(),
        "never_near": all(&checked.never_near),
        "open_meshes": all(&checked.open_meshes),
        "lasting_contacts": checked.lasting_contacts.iter().map(|contact| json!({
            "body_a": name(&contact.a), "body_b": name(&contact.b), "frames": contact.frames, "of": contact.looked_at,
        })).collect::<Vec<_>>(),
        "ignore_rules": checked.ignore_rules,
        "warnings": checked.warnings.iter().map(|warning| json!({
            "kind": warning.kind, "bodies": all(&warning.bodies), "problem": warning.problem, "help": warning.remedy,
        })).collect::<Vec<_>>(),
    });
    object["deviation"] = json!(pairs_by_deviation_source(scene));
    object
}

//! `clearsweep diff`: the violations of two executions, of two revisions of a model for instance.

use super::accept::quoted;
use super::args::DiffArgs;
use super::color::{Tone, paint};
use super::exit::ProgramEnd;
use super::results::{self, ResultPlace};
use super::stdout;
use super::text::{Lengths, counted, visible};
use clearsweep::{Error, Result};
use clearsweep_base::text::marked;
use clearsweep_model::LengthUnit;
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Body, Event, Table};
use clearsweep_scene::length::parse_length;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs that the text lists of each change.
const LISTED: usize = 10;

/// A pair under a rule: its name, and the names of the bodies in order.
type RulePair = (String, [String; 2]);

/// The bracket of the least distance of a pair, metres, over all its events.
#[derive(Debug, Clone, Copy)]
struct Least {
    lower: f64,
    upper: f64,
}

/// An execution, or several that stand for one.
struct Execution {
    /// The pairs that violate, with the bracket of their least distance.
    violations: BTreeMap<RulePair, Least>,
    /// Names of its bodies.
    bodies: BTreeSet<String>,
    /// Up to which distance bodies touch, metres: the largest of its scenes.
    touch: f64,
}

/// The bodies of only one of two executions.
struct Parts {
    /// Bodies of the later one.
    new: BTreeSet<String>,
    /// Bodies of the earlier one.
    gone: BTreeSet<String>,
}

impl Parts {
    fn of(old: &Execution, new: &Execution) -> Self {
        let only = |one: &Execution, other: &Execution| one.bodies.difference(&other.bodies).cloned().collect();
        Self { new: only(new, old), gone: only(old, new) }
    }

    /// `new` or `gone`; `None` for a body of both executions.
    fn word(&self, body: &str) -> Option<&'static str> {
        match () {
            () if self.new.contains(body) => Some("new"),
            () if self.gone.contains(body) => Some("gone"),
            () => None,
        }
    }
}

/// The change of a pair between two executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// It violates in the later execution only.
    New,
    /// It is proven to come nearer, by more than the threshold.
    Worse,
    /// Neither is proven.
    Same,
    /// It is proven to stay farther away, by more than the threshold, and still violates.
    Better,
    /// It violates in the earlier execution only.
    Resolved,
}

impl Change {
    const ALL: [Self; 5] = [Self::New, Self::Worse, Self::Same, Self::Better, Self::Resolved];

    fn name(self) -> &'static str {
        ["new", "worse", "same", "better", "resolved"][self as usize]
    }

    /// `threshold`: the greatest difference that is no change, metres.
    fn of(old: Option<Least>, new: Option<Least>, threshold: f64) -> Self {
        match (old, new) {
            (None, _) => Self::New,
            (_, None) => Self::Resolved,
            (Some(old), Some(new)) if old.lower - new.upper > threshold => Self::Worse,
            (Some(old), Some(new)) if new.lower - old.upper > threshold => Self::Better,
            _ => Self::Same,
        }
    }
}

/// A pair with both brackets.
struct Compared {
    pair: RulePair,
    change: Change,
    old: Option<Least>,
    new: Option<Least>,
}

/// Compares, and prints.
pub(crate) fn diff(args: &DiffArgs) -> Result<ProgramEnd> {
    let [old, new] = [&args.old, &args.new].map(|dir| results::places(std::slice::from_ref(dir), false));
    let (old, new) = (old?, new?);
    let manifest = Manifest::read(&new[0].dir)?;
    let (old, new) = (execution(&old)?, execution(&new)?);
    let threshold = threshold(args, &manifest)?.unwrap_or(old.touch.max(new.touch));
    let parts = Parts::of(&old, &new);
    let compared = compare(old.violations, new.violations, threshold);
    if args.json {
        stdout::print_json(&as_json(&compared, &parts, threshold))?;
    } else if args.csv {
        stdout::print(&as_csv(&compared, &parts))?;
    } else {
        stdout::print(&text(&compared, &parts, threshold, Lengths::of(manifest.length_unit())))?;
    }
    Ok(ProgramEnd::Clear)
}

/// The length of `--worse-by`, metres. A number without a unit is in the unit of the later scene.
fn threshold(args: &DiffArgs, manifest: &Manifest) -> Result<Option<f64>> {
    let Some(text) = &args.worse_by else { return Ok(None) };
    let remedy = "give the greatest difference that is no change as a length, 0 or more, such as 0.5mm";
    let unit = LengthUnit::parse(&manifest.scene.length_unit).unwrap_or(manifest.length_unit());
    match parse_length(text, unit) {
        Ok(length) if length >= 0.0 => Ok(Some(length)),
        Ok(_) => Err(Error::usage("--worse-by", format!("`{text}` is negative"), remedy)),
        Err(problem) => Err(Error::usage("--worse-by", problem, remedy)),
    }
}

/// Reads an execution, or several as one.
fn execution(places: &[ResultPlace]) -> Result<Execution> {
    let (mut bodies, mut touch) = (BTreeSet::new(), 0.0_f64);
    for ResultPlace { dir, .. } in places {
        touch = touch.max(Manifest::read(dir)?.options.touch_m.unwrap_or(0.0));
        for body in Table::<Body>::open(dir)?.rows() {
            bodies.insert(body?.body.to_string());
        }
    }
    Ok(Execution { violations: violations(places)?, bodies, touch })
}

/// The pairs that violate in an execution, or in one of several.
fn violations(places: &[ResultPlace]) -> Result<BTreeMap<RulePair, Least>> {
    let mut pairs: BTreeMap<RulePair, Least> = BTreeMap::new();
    for ResultPlace { dir, .. } in places {
        for event in Table::<Event>::open(dir)?.rows() {
            let event = event?;
            let mut bodies = [&event.body_a, &event.body_b].map(|name| name.to_string());
            bodies.sort();
            let [lower, upper] = [(event.lower_m, f64::NEG_INFINITY), (event.upper_m, f64::INFINITY)]
                .map(|(end, unproven)| end.unwrap_or(unproven));
            let least = pairs.entry((event.rule.to_string(), bodies)).or_insert(Least { lower, upper });
            *least = Least { lower: least.lower.min(lower), upper: least.upper.min(upper) };
        }
    }
    Ok(pairs)
}

/// All pairs of either execution, by change, nearest first.
fn compare(old: BTreeMap<RulePair, Least>, mut new: BTreeMap<RulePair, Least>, threshold: f64) -> Vec<Compared> {
    let mut compared: Vec<Compared> = old
        .into_iter()
        .map(|(pair, old)| {
            let new = new.remove(&pair);
            Compared { change: Change::of(Some(old), new, threshold), pair, old: Some(old), new }
        })
        .collect();
    compared.extend(new.into_iter().map(|(pair, new)| Compared {
        change: Change::New,
        pair,
        old: None,
        new: Some(new),
    }));
    let upper = |of: &Compared| of.new.or(of.old).map_or(f64::INFINITY, |least| least.upper);
    compared
        .sort_by(|a, b| a.change.cmp(&b.change).then(upper(a).total_cmp(&upper(b))).then_with(|| a.pair.cmp(&b.pair)));
    compared
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn as_json(compared: &[Compared], parts: &Parts, threshold: f64) -> Value {
    let least = |of: Option<Least>| of.map(|least| json!({ "lower_m": finite(least.lower), "upper_m": least.upper }));
    let counts: serde_json::Map<String, Value> = Change::ALL
        .into_iter()
        .map(|change| (change.name().to_owned(), compared.iter().filter(|one| one.change == change).count().into()))
        .collect();
    let pairs = compared.iter().map(|one| {
        let (rule, [a, b]) = &one.pair;
        json!({
            "change": one.change.name(), "rule": rule, "a": a, "b": b, "old": least(one.old), "new": least(one.new),
            "part_a": parts.word(a), "part_b": parts.word(b),
        })
    });
    json!({
        "counts": counts,
        "pairs": pairs.collect::<Vec<_>>(),
        "threshold_m": threshold,
        "new_parts": parts.new,
        "gone_parts": parts.gone,
    })
}

fn as_csv(compared: &[Compared], parts: &Parts) -> String {
    let mut text = "change,rule,a,b,old_lower_m,old_upper_m,new_lower_m,new_upper_m,part_a,part_b\n".to_owned();
    let cell = |value: Option<f64>| value.and_then(finite).map_or_else(String::new, |value| format!("{value:?}"));
    for one in compared {
        let (rule, [a, b]) = &one.pair;
        let words = [one.change.name(), rule, a, b].map(|word| quoted(&marked(word))).join(",");
        let ends = [one.old, one.new]
            .map(|least| format!("{},{}", cell(least.map(|least| least.lower)), cell(least.map(|least| least.upper))));
        let parts = [a, b].map(|body| parts.word(body).unwrap_or_default());
        text += &format!("{words},{},{}\n", ends.join(","), parts.join(","));
    }
    text
}

fn text(compared: &[Compared], parts: &Parts, threshold: f64, lengths: Lengths) -> String {
    let mut text = String::new();
    for change in Change::ALL {
        let of: Vec<&Compared> = compared.iter().filter(|one| one.change == change).collect();
        let tone = match change {
            Change::New | Change::Worse if !of.is_empty() => Tone::Bad,
            _ => Tone::Good,
        };
        let limit = match change {
            Change::Worse | Change::Better => format!(" by more than {}", lengths.text(threshold)),
            _ => String::new(),
        };
        text += &format!("{:9} {}{limit}\n", change.name(), paint(tone, &counted(of.len() as u64, "pair")));
        if change == Change::Same {
            continue;
        }
        for one in of.iter().take(LISTED) {
            text += &format!("          {}\n", line(one, parts, lengths));
        }
        if of.len() > LISTED {
            let more = counted((of.len() - LISTED) as u64, "pair");
            text += &format!("          and {more} more (--json and --csv have all)\n");
        }
    }
    for (word, names) in [("new", &parts.new), ("gone", &parts.gone)].into_iter().filter(|(_, names)| !names.is_empty())
    {
        let more = match names.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more (--json has all)"),
        };
        let listed: Vec<_> = names.iter().take(LISTED).map(|name| visible(name)).collect();
        let count = counted(names.len() as u64, "part");
        text += &format!("{word:9} {count}: {}{more}\n", listed.join(", "));
    }
    text
}

fn line(one: &Compared, parts: &Parts, lengths: Lengths) -> String {
    let (rule, [a, b]) = &one.pair;
    let is_of_both = [a, b].iter().all(|body| parts.word(body).is_none());
    let how = |least: Option<Least>| match least {
        Some(Least { lower, upper }) => lengths.proven(finite(lower), finite(upper)),
        None if is_of_both => "kept".to_owned(),
        None => "not there".to_owned(),
    };
    let name = |body: &str| match parts.word(body) {
        Some(word) => format!("{} ({word} part)", visible(body)),
        None => visible(body).into_owned(),
    };
    let (before, now) = (how(one.old), how(one.new));
    // The digits of the brackets may not show the difference that is proven.
    let by = match (one.old, one.new) {
        (Some(old), Some(new)) => {
            format!(" (by {})", lengths.text((old.lower - new.upper).max(new.lower - old.upper)))
        }
        _ => String::new(),
    };
    format!("{} and {} ({}): {before} before, {now} now{by}", name(a), name(b), visible(rule))
}

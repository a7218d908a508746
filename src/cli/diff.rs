//! `clearsweep diff`: the violations of two executions, of two revisions of a model for instance.

use super::accept::quoted;
use super::args::DiffArgs;
use super::color::{Tone, paint};
use super::exit::ProgramEnd;
use super::results::{self, ResultPlace};
use super::stdout;
use super::text::{Lengths, counted, visible};
use clearsweep::Result;
use clearsweep_base::text::marked;
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Event, Table};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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

/// What has become of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// It violates in the later execution only.
    New,
    /// It is proven to come nearer.
    Worse,
    /// Neither is proven.
    Same,
    /// It is proven to stay farther away, and still violates.
    Better,
    /// It violates in the earlier execution only.
    Resolved,
}

impl Change {
    const ALL: [Self; 5] = [Self::New, Self::Worse, Self::Same, Self::Better, Self::Resolved];

    fn name(self) -> &'static str {
        ["new", "worse", "same", "better", "resolved"][self as usize]
    }

    fn of(old: Option<Least>, new: Option<Least>) -> Self {
        match (old, new) {
            (None, _) => Self::New,
            (_, None) => Self::Resolved,
            (Some(old), Some(new)) if new.upper < old.lower => Self::Worse,
            (Some(old), Some(new)) if new.lower > old.upper => Self::Better,
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
    let compared = compare(violations(&old)?, violations(&new)?);
    if args.json {
        stdout::print_json(&as_json(&compared))?;
    } else if args.csv {
        stdout::print(&as_csv(&compared))?;
    } else {
        stdout::print(&text(&compared, Lengths::of(manifest.length_unit())))?;
    }
    Ok(ProgramEnd::Clear)
}

/// The pairs that violate in an execution, or in one of several.
fn violations(places: &[ResultPlace]) -> Result<BTreeMap<RulePair, Least>> {
    let mut pairs: BTreeMap<RulePair, Least> = BTreeMap::new();
    for ResultPlace { dir, .. } in places {
        Manifest::read(dir)?; // only a finished execution has one
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
fn compare(old: BTreeMap<RulePair, Least>, mut new: BTreeMap<RulePair, Least>) -> Vec<Compared> {
    let mut compared: Vec<Compared> = old
        .into_iter()
        .map(|(pair, old)| {
            let new = new.remove(&pair);
            Compared { change: Change::of(Some(old), new), pair, old: Some(old), new }
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

fn as_json(compared: &[Compared]) -> Value {
    let least = |of: Option<Least>| of.map(|least| json!({ "lower_m": finite(least.lower), "upper_m": least.upper }));
    let counts: serde_json::Map<String, Value> = Change::ALL
        .into_iter()
        .map(|change| (change.name().to_owned(), compared.iter().filter(|one| one.change == change).count().into()))
        .collect();
    let pairs = compared.iter().map(|one| {
        let (rule, [a, b]) = &one.pair;
        json!({ "change": one.change.name(), "rule": rule, "a": a, "b": b, "old": least(one.old), "new": least(one.new) })
    });
    json!({ "counts": counts, "pairs": pairs.collect::<Vec<_>>() })
}

fn as_csv(compared: &[Compared]) -> String {
    let mut text = "change,rule,a,b,old_lower_m,old_upper_m,new_lower_m,new_upper_m\n".to_owned();
    let cell = |value: Option<f64>| value.and_then(finite).map_or_else(String::new, |value| format!("{value:?}"));
    for one in compared {
        let (rule, [a, b]) = &one.pair;
        let words = [one.change.name(), rule, a, b].map(|word| quoted(&marked(word))).join(",");
        let ends = [one.old, one.new]
            .map(|least| format!("{},{}", cell(least.map(|least| least.lower)), cell(least.map(|least| least.upper))));
        text += &format!("{words},{}\n", ends.join(","));
    }
    text
}

fn text(compared: &[Compared], lengths: Lengths) -> String {
    let mut text = String::new();
    for change in Change::ALL {
        let of: Vec<&Compared> = compared.iter().filter(|one| one.change == change).collect();
        let tone = match change {
            Change::New | Change::Worse if !of.is_empty() => Tone::Bad,
            _ => Tone::Good,
        };
        text += &format!("{:9} {}\n", change.name(), paint(tone, &counted(of.len() as u64, "pair")));
        if change == Change::Same {
            continue;
        }
        for one in of.iter().take(LISTED) {
            text += &format!("          {}\n", line(one, lengths));
        }
        if of.len() > LISTED {
            text += &format!(
                "          and {} more (--json and --csv have all)\n",
                counted((of.len() - LISTED) as u64, "pair")
            );
        }
    }
    text
}

fn line(one: &Compared, lengths: Lengths) -> String {
    let (rule, [a, b]) = &one.pair;
    let how = |least: Option<Least>| match least.map(|least| least.upper) {
        None => "kept".to_owned(),
        Some(upper) if upper < 0.0 => lengths.text(-upper) + " deep",
        Some(upper) => lengths.text(upper),
    };
    format!("{} and {} ({}): {} before, {} now", visible(a), visible(b), visible(rule), how(one.old), how(one.new))
}

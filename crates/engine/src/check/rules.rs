//! Bodies and pairs that rules cover, and members of groups.

use super::warning::Warning;
use clearsweep_scene::ignore::glob_matches;
use clearsweep_scene::model::{Rule, Severity};
use clearsweep_scene::{IgnoreRule, Scene};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Examples that are named.
const EXAMPLES: usize = 3;

/// An ignore rule, and what it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFound {
    /// The rule, as written.
    pub rule: IgnoreRule,
    /// Some of its pairs (names of bodies, in scene order).
    pub examples: Vec<(String, String)>,
}

/// A group, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupFound {
    /// Its name.
    pub name: String,
    /// Number of its bodies.
    pub bodies: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// The bodies that selectors name.
struct Selectors<'a> {
    scene: &'a Scene,
    by_name: HashMap<&'a str, u32>,
    known: HashMap<String, Vec<u32>>,
}

impl Selectors<'_> {
    /// An exact name, else `group:NAME`, else a glob; ascending.
    fn bodies(&mut self, selector: &str) -> Vec<u32> {
        if let Some(&body) = self.by_name.get(selector) {
            return vec![body];
        }
        if let Some(known) = self.known.get(selector) {
            return known.clone();
        }
        let bodies = self.scene.bodies.iter().zip(0..);
        let group = selector.strip_prefix("group:");
        let found = bodies.filter(|(body, _)| match group {
            Some(group) => body.groups.iter().any(|own| own == group),
            None => glob_matches(selector, &body.name),
        });
        let found: Vec<u32> = found.map(|(_, index)| index).collect();
        self.known.insert(selector.to_owned(), found.clone());
        found
    }
}

/// The rules with examples of their pairs.
pub(super) fn ignore_rules(scene: &Scene) -> Vec<RuleFound> {
    let by_name = scene.bodies.iter().zip(0..).map(|(body, index)| (body.name.as_str(), index)).collect();
    let mut selectors = Selectors { scene, by_name, known: HashMap::new() };
    let everything: Vec<u32> = (0..scene.bodies.len() as u32).collect();
    let found = scene.ignore_rules.iter().map(|rule| {
        let a = selectors.bodies(&rule.a);
        let b = rule.b.as_ref().map_or_else(|| everything.clone(), |b| selectors.bodies(b));
        let mut pairs = BTreeSet::new();
        let both = a.iter().flat_map(|&a| b.iter().map(move |&b| (a.min(b), a.max(b)))).filter(|(a, b)| a != b);
        for pair in both {
            pairs.insert(pair);
            if pairs.len() == EXAMPLES {
                break;
            }
        }
        let name = |body: u32| scene.bodies[body as usize].name.clone();
        RuleFound { rule: rule.clone(), examples: pairs.into_iter().map(|(a, b)| (name(a), name(b))).collect() }
    });
    found.collect()
}

/// The groups of the scene, by name.
pub(super) fn groups(scene: &Scene) -> Vec<GroupFound> {
    let mut groups: BTreeMap<&str, (u64, Vec<String>)> = BTreeMap::new();
    for body in &scene.bodies {
        for group in &body.groups {
            let (count, examples) = groups.entry(group).or_default();
            *count += 1;
            if examples.len() < EXAMPLES {
                examples.push(body.name.clone());
            }
        }
    }
    let found = groups.into_iter();
    found.map(|(name, (bodies, examples))| GroupFound { name: name.to_owned(), bodies, examples }).collect()
}

/// What each rule requires, with the number of pairs under it (`pairs`, the default last); null without rules.
#[doc(hidden)]
pub fn rules_json(scene: &Scene, pairs: &[u64]) -> Value {
    let requirements = scene.requirements();
    if requirements.uniform().is_some() {
        return Value::Null;
    }
    let one = |(rule, pairs): (usize, &u64)| {
        let written = requirements.rules().get(rule);
        json!({
            "rule": requirements.name(rule),
            "a": written.map(|rule| &rule.a),
            "b": written.and_then(|rule| rule.b.as_ref()),
            "require_m": Some(requirements.by(rule)).filter(|require| !require.is_nan()),
            "severity": written.map_or(Severity::default(), |rule| rule.severity).name(),
            "note": written.and_then(|rule| rule.note.as_ref()),
            "pairs": pairs,
        })
    };
    pairs.iter().enumerate().map(one).collect()
}

/// Number of pairs under each rule, and at last under none.
pub(in super::super) fn pairs_by_rule(scene: &Scene) -> Vec<u64> {
    scene.rules.count_pairs(&scene.bodies, &scene.ignored, scene.query.static_pairs)
}

/// Rules of what is required under which there is no pair.
pub(in super::super) fn idle(scene: &Scene) -> Vec<Warning> {
    let rules = scene.rules.all();
    let warn = |(rule, _): (&Rule, u64)| {
        let name = &rule.name;
        match &rule.unmatched {
            Some([problem, remedy]) => {
                Warning::new("rule", [], format!("[[rule]] `{name}` matches no pair: {problem}"), remedy.as_str())
            }
            None => Warning::new(
                "rule",
                [],
                format!(
                    "[[rule]] `{name}` matches no pair: rules before it or [[ignore]] take all that it covers, or it covers none"
                ),
                "put it before them, check its selectors, or remove it",
            ),
        }
    };
    if rules.is_empty() {
        return Vec::new();
    }
    rules.iter().zip(pairs_by_rule(scene)).filter(|&(_, pairs)| pairs == 0).map(warn).collect()
}

/// Ignore rules that cover no pair.
pub(super) fn warnings(rules: &[RuleFound]) -> Vec<Warning> {
    let idle = rules.iter().zip(1..).filter(|(found, _)| found.rule.pairs == 0);
    let warn = |(found, number): (&RuleFound, usize)| {
        let b = found.rule.b.as_ref().map_or("everything".to_owned(), |b| format!("`{b}`"));
        Warning::new(
            "rule",
            [],
            format!("[[ignore]] number {number} (`{}` against {b}) covers no pair", found.rule.a),
            "a body is no pair with itself: check the selectors, or remove the rule",
        )
    };
    idle.map(warn).collect()
}

//! Bodies and pairs that rules cover, and members of groups.

use super::super::warning::Warning;
use clearsweep_model::{BaselineAt, BetweenFrames, IgnoreRule, Rule, Scene, Severity};
use clearsweep_records::manifest::RuleTerms;
use std::collections::BTreeMap;

/// Examples that are named.
const EXAMPLES: usize = 3;

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

/// The groups of the scene, by name.
pub(super) fn groups(scene: &Scene) -> Vec<GroupFound> {
    let mut groups: BTreeMap<&str, (u64, Vec<String>)> = BTreeMap::new();
    for body in &scene.bodies {
        for group in body.groups.iter() {
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

/// Returns what each rule requires, the default last; `None` without rules. `pairs`: the number of
/// pairs under each.
#[doc(hidden)]
pub fn rule_terms(scene: &Scene, pairs: &[u64]) -> Option<Vec<RuleTerms>> {
    let requirements = scene.requirements();
    let one = |(rule, &pairs): (usize, &u64)| {
        let written = requirements.rules().get(rule);
        let free_length = written.and_then(|rule| rule.free_length.as_ref());
        let baseline = written.and_then(|rule| rule.baseline.as_ref());
        RuleTerms {
            rule: requirements.name(rule).to_owned(),
            a: written.map(|rule| rule.a.clone()),
            b: written.and_then(|rule| rule.b.clone()),
            require_m: Some(requirements.by(rule)).filter(|require| !require.is_nan()),
            severity: written.map_or(Severity::default(), |rule| rule.severity).name().to_owned(),
            direction: free_length.map(|free| free.direction.to_array()),
            footprint_m: free_length.map(|free| free.footprint),
            baseline: baseline.map(|baseline| baseline.at.to_string()),
            worse_by_m: baseline.map(|baseline| baseline.worse_by),
            note: written.and_then(|rule| rule.note.clone()),
            pairs,
        }
    };
    requirements.uniform().is_none().then(|| pairs.iter().enumerate().map(one).collect())
}

/// Number of pairs under each rule, and at last under none.
pub(in super::super) fn pairs_by_rule(scene: &Scene) -> Vec<u64> {
    scene.rules.count_pairs(&scene.bodies, &scene.ignored, scene.query.static_pairs)
}

/// Rules of what is required under which there is no pair, and those that say nothing between the
/// frames of a job that looks there.
pub(in super::super) fn of_rules(scene: &Scene) -> Vec<Warning> {
    let rules = scene.rules.all();
    let warn = |(rule, pairs): (&Rule, u64)| {
        let name = &rule.name;
        match (&rule.unmatched[..], pairs) {
            ([[problem, remedy], ..], 0) => {
                vec![Warning::new("rule", [], format!("[[rule]] `{name}` matches no pair: {problem}"), remedy.as_str())]
            }
            ([], 0) => vec![Warning::new(
                "rule",
                [],
                format!(
                    "[[rule]] `{name}` matches no pair: rules before it or [[ignore]] take all that it covers, or it covers none"
                ),
                "put it before them, check its selectors, or remove it",
            )],
            // Other texts of the list select bodies.
            (unmatched, _) => {
                let one = |[problem, remedy]: &[String; 2]| {
                    Warning::new("rule", [], format!("[[rule]] `{name}`, {problem}"), remedy.as_str())
                };
                unmatched.iter().map(one).collect()
            }
        }
    };
    if rules.is_empty() {
        return Vec::new();
    }
    let idle = rules.iter().zip(pairs_by_rule(scene)).flat_map(warn);
    let sampled = rules.iter().filter(|rule| rule.free_length.is_some()).map(|rule| {
        let problem = format!(
            "[[rule]] `{}` requires a free length, which is proven at samples only, not between them",
            rule.name
        );
        Warning::new(
            "rule",
            [],
            problem,
            "give the trajectories more frames where bodies under it move far between two",
        )
    });
    let looks_between = scene.motion.between != BetweenFrames::None;
    idle.chain(sampled.filter(|_| looks_between)).collect()
}

/// Warnings of frames that are a baseline, and that some of the runs have not; `runs_with`: how
/// many have them.
pub(in super::super) fn of_baselines(scene: &Scene, runs_with: &[(BaselineAt, u64)], runs: u64) -> Vec<Warning> {
    let warn = |&(at, with): &(BaselineAt, u64)| {
        let rules = scene.rules.all().iter().filter(|rule| rule.baseline.is_some_and(|baseline| baseline.at == at));
        let names: Vec<String> = rules.map(|rule| format!("`{}`", rule.name)).collect();
        let problem = format!(
            "{} of {runs} runs have no sample that is baseline = \"{at}\" of {}: all that is required holds there",
            runs - with,
            names.join(", ")
        );
        Warning::new("baseline", [], problem, "give these runs the frame, or compare with `baseline = \"first\"`")
    };
    runs_with.iter().filter(|(_, with)| *with < runs).map(warn).collect()
}

/// Ignore rules that cover no pair.
pub(super) fn warnings(scene: &Scene) -> Vec<Warning> {
    let idle = scene.ignore_rules.iter().zip(1..).filter(|(rule, _)| rule.pairs == 0);
    let warn = |(rule, number): (&IgnoreRule, usize)| {
        let problem = format!("[[ignore]] number {number} ({}) covers no pair", words(rule));
        let remedy = match rule.same {
            Some(_) => {
                "only bodies that `each` makes of a file have ancestors: check the selectors, or remove the rule"
            }
            None => "a body is no pair with itself: check the selectors, or remove the rule",
        };
        Warning::new("rule", [], problem, remedy)
    };
    idle.map(warn).collect()
}

/// The pairs that a rule covers, in words: `pipes* against group:steel, same parent`.
pub fn words(rule: &IgnoreRule) -> String {
    let selector = |text: &Option<String>| text.clone().unwrap_or_else(|| "everything".to_owned());
    let same = rule.same.map_or_else(String::new, |same| format!(", same {}", same.word()));
    format!("{} against {}{same}", selector(&rule.a), selector(&rule.b))
}

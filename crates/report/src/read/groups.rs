//! Violations by rules and by groups of bodies, and properties of bodies.

use super::findings::is_open;
use crate::data::{Element, GroupCell, GroupMatrix, Issue, RuleTotal};
use clearsweep_records::Body;
use clearsweep_records::manifest::{RuleFindings, Summary};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Groups of a matrix; the others are one.
const MOST_GROUPS: usize = 12;
/// The group of bodies that have none.
const WITHOUT: &str = "no group";
const OTHERS: &str = "other groups";

/// Beginnings of groups that have a meaning of their own.
const CLASS: &str = "class:";
const LEVEL: &str = "level:";
const JOINT: &str = "joint:";

/// The violations of each rule, in the order of the manifest.
pub(super) fn rules(summary: &Summary, issues: &[Issue]) -> Vec<RuleTotal> {
    let total = |rule: &RuleFindings| {
        let of = || issues.iter().filter(|issue| issue.rule == rule.terms.rule);
        RuleTotal {
            rule: rule.terms.rule.clone(),
            severity: rule.terms.severity.clone(),
            required_m: rule.terms.require_m,
            pairs: rule.terms.pairs,
            issues: of().count() as u64,
            open: of().filter(|issue| issue.is_open).count() as u64,
            nearest_m: of().filter_map(|issue| issue.bracket_m[1]).reduce(f64::min),
        }
    };
    summary.rules.iter().flatten().filter(|rule| rule.terms.require_m.is_some()).map(total).collect()
}

/// Fills in which cells of a matrix and which levels an issue has; returns the matrix.
pub(super) fn matrix(summary: &Summary, bodies: &[Body], issues: &mut [Issue]) -> GroupMatrix {
    let sizes = sizes(bodies);
    let named = named_groups(summary);
    let group = |body: u32| bodies.get(body as usize).map_or(WITHOUT, |body| group_of(body, &named, &sizes));
    let mut counts: BTreeMap<[&str; 2], [u64; 2]> = BTreeMap::new();
    for finding in issues.iter().flat_map(|issue| &issue.findings) {
        let count = counts.entry(sorted(finding.bodies.map(group))).or_default();
        count[0] += 1;
        count[1] += u64::from(is_open(&finding.state));
    }
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for ([a, b], [pairs, _]) in &counts {
        *totals.entry(a).or_default() += pairs;
        *totals.entry(b).or_default() += pairs;
    }
    let mut groups: Vec<&str> = totals.keys().copied().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(totals[group]), *group));
    if groups.len() > MOST_GROUPS {
        groups.truncate(MOST_GROUPS - 1);
        groups.push(OTHERS);
    }
    let number = |group: &str| groups.iter().position(|known| *known == group).unwrap_or(groups.len() - 1);
    let mut cells: BTreeMap<[usize; 2], [u64; 2]> = BTreeMap::new();
    for (pair, [pairs, open]) in &counts {
        let cell = cells.entry(sorted(pair.map(number))).or_default();
        cell[0] += pairs;
        cell[1] += open;
    }
    for issue in issues.iter_mut() {
        issue.between =
            issue.findings.iter().map(|finding| sorted(finding.bodies.map(|body| number(group(body))))).collect();
        issue.between.sort_unstable();
        issue.between.dedup();
    }
    let cells = cells.into_iter().map(|(groups, [pairs, open])| GroupCell { groups, pairs, open });
    let groups: Vec<String> = groups.into_iter().map(str::to_owned).collect();
    // A single group divides nothing.
    if groups.len() < 2 { GroupMatrix::default() } else { GroupMatrix { cells: cells.collect(), groups } }
}

fn sorted<T: Ord>([a, b]: [T; 2]) -> [T; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// Bodies of each group.
fn sizes(bodies: &[Body]) -> FxHashMap<&str, usize> {
    let mut sizes = FxHashMap::default();
    bodies.iter().flat_map(|body| &body.groups).for_each(|group| *sizes.entry(&**group).or_default() += 1);
    sizes
}

/// The groups that rules name, as they stand in the table of bodies.
fn named_groups(summary: &Summary) -> Vec<&str> {
    let selectors = summary.rules.iter().flatten().flat_map(|rule| [rule.terms.a.as_deref(), rule.terms.b.as_deref()]);
    let group = |selector: &'_ str| match selector.strip_prefix("group:") {
        Some(_) => Some("group:".len()),
        None => (selector.starts_with(CLASS) || selector.starts_with(LEVEL)).then_some(0),
    };
    selectors.flatten().filter_map(|selector| Some(&selector[group(selector)?..])).collect()
}

/// The group by which people know a body: one that a rule names, its class, the largest of its
/// groups, or the first part of its name.
fn group_of<'a>(body: &'a Body, named: &[&'a str], sizes: &FxHashMap<&str, usize>) -> &'a str {
    let has = |name: &str| body.groups.iter().any(|group| **group == *name);
    let shown = |group: &'a str| [CLASS, LEVEL].iter().find_map(|kind| group.strip_prefix(kind)).unwrap_or(group);
    if let Some(named) = named.iter().find(|name| has(name)) {
        return shown(named);
    }
    if let Some(class) = body.groups.iter().find_map(|group| group.strip_prefix(CLASS)) {
        return class;
    }
    let plain = body.groups.iter().filter(|group| ![CLASS, LEVEL, JOINT].iter().any(|kind| group.starts_with(kind)));
    let largest = plain.max_by_key(|group| (sizes[&***group], std::cmp::Reverse(&***group)));
    largest.map(|group| &**group).or_else(|| Some(body.body.split_once('/')?.0)).unwrap_or(WITHOUT)
}

/// The properties of the bodies that violate.
pub(super) fn elements(bodies: &[Body], issues: &[Issue]) -> BTreeMap<u32, Element> {
    let indices = issues.iter().flat_map(|issue| &issue.findings).flat_map(|finding| finding.bodies);
    let element = |index: u32| {
        let body = bodies.get(index as usize)?;
        let of = |kind: &str| body.groups.iter().find_map(|group| group.strip_prefix(kind)).map(str::to_owned);
        let class = of(CLASS);
        let is_plain =
            |group: &str| ![CLASS, LEVEL].iter().any(|kind| group.starts_with(kind)) && Some(group) != class.as_deref();
        let groups = body.groups.iter().filter(|group| is_plain(group)).map(|group| group.to_string()).collect();
        let model = body.model.as_ref().map(|model| model.to_string());
        Some((index, Element { level: of(LEVEL), groups, model, class }))
    };
    indices.filter_map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(name: &str, groups: &[&str]) -> Body {
        let groups = groups.iter().map(|group| (*group).into()).collect();
        Body { body: name.into(), convex: None, deviation_m: None, inside: None, model: None, groups }
    }

    #[test]
    fn a_body_is_known_by_one_of_its_groups() {
        let bodies = [
            body("a", &["UA-101", "pipes", "piping"]),
            body("b", &["piping"]),
            body("c", &["class:IfcWall", "IfcWall", "level:2"]),
            body("hall/d", &["joint:door"]),
            body("e", &[]),
        ];
        let sizes = sizes(&bodies);
        let of = |named: &[&'static str]| -> Vec<String> {
            bodies.iter().map(|body| group_of(body, named, &sizes).to_owned()).collect()
        };
        assert_eq!(of(&[]), ["piping", "piping", "IfcWall", "hall", WITHOUT]);
        assert_eq!(of(&["level:2", "UA-101"]), ["UA-101", "piping", "2", "hall", WITHOUT]);
    }
}

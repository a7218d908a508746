//! Ignore rules: selectors to sets of bodies, sets to classes and a bit matrix, and counting pairs by classes.

use super::body_spec::BodySpec;
use super::file::IgnoreSpec;
pub use super::glob::glob_matches;
use super::keys::SceneSource;
use super::model::{Body, IgnoredPairs, Motion, Scene};
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_model::own_pairs;
use std::collections::HashMap;

/// Most classes of bodies that the matrix is built for (128 MiB of bits).
const MAX_CLASSES: usize = 1 << 15;

/// An `[[ignore]]` rule and how much it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreRule {
    /// The selector `a`, as written.
    pub a: String,
    /// The selector `b`; `None`: everything.
    pub b: Option<String>,
    /// `reason`, as written.
    pub reason: Option<String>,
    /// Pairs of bodies (static ones too) that the rule covers; 0 where a group or a glob holds a single body.
    pub pairs: u64,
}

/// How many pairs of bodies a scene has: pairs of two static bodies count only with `static_pairs`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// All pairs, the ignored ones too.
    pub possible: u64,
    /// Those that rules ignore.
    pub ignored: u64,
}

impl Scene {
    /// Counts the pairs of the scene, by classes of bodies and not one by one.
    #[doc(hidden)]
    pub fn pair_counts(&self) -> PairCounts {
        self.pair_counts_with(self.query.static_pairs)
    }

    /// As [`Scene::pair_counts`], with the pairs of two static bodies or without them, whatever the scene says.
    #[doc(hidden)]
    pub fn pair_counts_with(&self, static_pairs: bool) -> PairCounts {
        let [dynamic, fixed] = split(&self.bodies);
        let possible = own_pairs(dynamic, fixed, static_pairs);
        PairCounts { possible, ignored: self.ignored.count_ignored(&self.bodies, static_pairs) }
    }
}

/// Numbers of dynamic and of static bodies.
fn split(bodies: &[Body]) -> [u64; 2] {
    let fixed = bodies.iter().filter(|body| matches!(body.motion, Motion::Static(_))).count() as u64;
    [bodies.len() as u64 - fixed, fixed]
}

/// The bodies by name and by group, for selectors.
struct Directory<'a> {
    bodies: &'a [BodySpec],
    by_name: HashMap<&'a str, u32>,
    by_group: HashMap<&'a str, Vec<u32>>,
}

impl<'a> Directory<'a> {
    fn of(bodies: &'a [BodySpec]) -> Self {
        let by_name = bodies.iter().zip(0..).map(|(body, index)| (body.name.as_str(), index)).collect();
        let mut by_group: HashMap<&str, Vec<u32>> = HashMap::new();
        for (body, index) in bodies.iter().zip(0..) {
            for group in body.groups.iter() {
                by_group.entry(group).or_default().push(index);
            }
        }
        Self { bodies, by_name, by_group }
    }

    /// The bodies of a selector, ascending: an exact name, else `group:NAME`, else a glob over names.
    fn select(&self, selector: &str) -> std::result::Result<Vec<u32>, (String, String)> {
        if let Some(&body) = self.by_name.get(selector) {
            return Ok(vec![body]);
        }
        if let Some(group) = selector.strip_prefix("group:") {
            return self.by_group.get(group).cloned().ok_or_else(|| self.no_group(group));
        }
        let names = self.bodies.iter().zip(0..);
        let found: Vec<u32> = match selector.contains(['*', '?']) {
            true => names.filter(|(body, _)| glob_matches(selector, &body.name)).map(|(_, index)| index).collect(),
            false => Vec::new(),
        };
        if found.is_empty() { Err(self.no_body(selector)) } else { Ok(found) }
    }

    fn no_group(&self, group: &str) -> (String, String) {
        let mut groups: Vec<&str> =
            self.bodies.iter().flat_map(|body| body.groups.iter().map(String::as_str)).collect();
        groups.sort_unstable();
        groups.dedup();
        let remedy = match nearest(group, groups.iter().copied()) {
            Some(near) => format!("did you mean `group:{near}`?"),
            None if groups.is_empty() => "no body has a `group`; add one, or name bodies".to_owned(),
            None => format!("groups of the scene: {}", groups[..groups.len().min(20)].join(", ")),
        };
        (format!("no body belongs to the group `{group}`"), remedy)
    }

    fn no_body(&self, selector: &str) -> (String, String) {
        let remedy = match nearest(selector, self.bodies.iter().map(|body| body.name.as_str())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "give a body's exact name, `group:NAME`, or a glob with `*` and `?` over names".to_owned(),
        };
        (format!("`{selector}` matches no body"), remedy)
    }
}

/// Lowers the rules of a scene.
///
/// # Errors
/// A selector without a body, a rule of one body by its name on both sides, or far too many different kinds of bodies.
/// All that is wrong with the rules is reported.
pub(super) fn lower(
    source: &SceneSource<'_>,
    bodies: &[BodySpec],
    rules: &[IgnoreSpec],
) -> std::result::Result<(IgnoredPairs, Vec<IgnoreRule>), Vec<Error>> {
    if rules.is_empty() {
        return Ok((IgnoredPairs::default(), Vec::new()));
    }
    let directory = Directory::of(bodies);
    let mut sets = Sets::default();
    let mut lowered = Vec::with_capacity(rules.len());
    let mut described = Vec::with_capacity(rules.len());
    let mut faults = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let mut set = |key: &str, text: &str, at: usize| {
            sets.find(&directory, text).map_err(|(problem, remedy)| {
                let place = format!("{}, key `{key}` of [[ignore]] number {}", source.place(at), number + 1);
                Error::input(place, problem, remedy)
            })
        };
        let a = set("a", &rule.a, rule.a_at);
        let b = rule.b.as_ref().map(|(text, at)| set("b", text, *at)).transpose();
        let (a, b) = match (a, b) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                faults.extend(a.err().into_iter().chain(b.err()));
                continue;
            }
        };
        let pairs = count_pairs(&sets.lists[a], b.map(|b| sets.lists[b].as_slice()), bodies.len());
        // A group of one body is no mistake: it may grow. One name on both sides is.
        let is_name = directory.by_name.contains_key(rule.a.as_str());
        if pairs == 0 && is_name && b.is_some() {
            let problem = format!("[[ignore]] number {} covers no pair: a body is no pair with itself", number + 1);
            faults.push(Error::input(source.place(rule.at), problem, "name two bodies, or remove the rule"));
            continue;
        }
        let text = rule.b.as_ref().map(|(text, _)| text.clone());
        described.push(IgnoreRule { a: rule.a.clone(), b: text, reason: rule.reason.clone(), pairs });
        lowered.push((a, b));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let ignored = sets.classify(source, bodies.len(), &lowered).map_err(|error| vec![error])?;
    Ok((ignored, described))
}

/// Unordered pairs of different bodies, one of `a` and one of `b` (`None`: all `n`); both ascending.
fn count_pairs(a: &[u32], b: Option<&[u32]>, n: usize) -> u64 {
    let (size, common) = match b {
        None => (n, a.len()),
        Some(b) => (b.len(), a.iter().filter(|body| b.binary_search(body).is_ok()).count()),
    };
    // Of all ordered choices, those of a body with itself are no pairs, and pairs within both sets come twice.
    let common = common as u64;
    a.len() as u64 * size as u64 - common * (common + 1) / 2
}

/// The different selectors of all rules, with their bodies.
#[derive(Default)]
struct Sets {
    by_text: HashMap<String, usize>,
    lists: Vec<Vec<u32>>,
}

impl Sets {
    fn find(&mut self, directory: &Directory<'_>, text: &str) -> std::result::Result<usize, (String, String)> {
        if let Some(&known) = self.by_text.get(text) {
            return Ok(known);
        }
        self.lists.push(directory.select(text)?);
        self.by_text.insert(text.to_owned(), self.lists.len() - 1);
        Ok(self.lists.len() - 1)
    }

    /// Bodies in the same sets are of one class, numbered in scene order; a rule marks classes of its sets.
    fn classify(&self, source: &SceneSource<'_>, n: usize, rules: &[(usize, Option<usize>)]) -> Result<IgnoredPairs> {
        if rules.is_empty() {
            return Ok(IgnoredPairs::default());
        }
        let mut sets_of: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (set, list) in self.lists.iter().enumerate() {
            for &body in list {
                sets_of[body as usize].push(set as u32);
            }
        }
        let mut class_of: HashMap<&[u32], u32> = HashMap::new();
        let mut classes_in: Vec<Vec<usize>> = vec![Vec::new(); self.lists.len()];
        let mut class = Vec::with_capacity(n);
        for sets in &sets_of {
            let next = class_of.len();
            let own = *class_of.entry(sets).or_insert(next as u32);
            if own as usize == next {
                sets.iter().for_each(|&set| classes_in[set as usize].push(next));
            }
            class.push(own);
        }
        let classes = class_of.len();
        if classes > MAX_CLASSES {
            let problem =
                format!("the ignore rules tell {classes} kinds of bodies apart; at most {MAX_CLASSES} can be");
            return Err(Error::input(source.place(0), problem, "use groups or globs instead of single names"));
        }
        let mut ignored = IgnoredPairs { class, classes, matrix: vec![0; (classes * classes).div_ceil(64)] };
        let everything: Vec<usize> = (0..classes).collect();
        for &(a, b) in rules {
            for &c in &classes_in[a] {
                for &d in b.map_or(&everything, |b| &classes_in[b]) {
                    ignored.mark(c, d);
                    ignored.mark(d, c);
                }
            }
        }
        Ok(ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_without_enumeration() {
        let sets: [&[u32]; 4] = [&[0, 1, 2], &[2, 3], &[5], &[0, 1, 2, 3, 4, 5]];
        for a in sets {
            for b in sets.map(Some).into_iter().chain([None]) {
                let other = b.unwrap_or(&[0, 1, 2, 3, 4, 5, 6]);
                let slow = (0..7_u32).flat_map(|i| (i + 1..7).map(move |j| (i, j)));
                let within = |i: &u32, j: &u32| a.contains(i) && other.contains(j);
                let slow = slow.filter(|(i, j)| within(i, j) || within(j, i)).count() as u64;
                assert_eq!(count_pairs(a, b, 7), slow, "{a:?} {b:?}");
            }
        }
    }
}

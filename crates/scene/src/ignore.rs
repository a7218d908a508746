//! Ignore rules: selectors to a bit matrix over classes of bodies, and counting pairs by classes.

use super::body_spec::BodySpec;
use super::file::IgnoreSpec;
pub use super::glob::glob_matches;
use super::keys::SceneSource;
use super::model::{Body, IgnoredPairs, Motion, Scene};
use super::selectors::{Directory, Sets, count_pairs};
use clearsweep_base::error::Error;
use clearsweep_model::own_pairs;

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
        let pairs = count_pairs(sets.bodies(a), b.map(|b| sets.bodies(b)), bodies.len());
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
    let classes = sets.classify(source, bodies.len(), MAX_CLASSES, "ignore rules").map_err(|error| vec![error])?;
    let bits = vec![0; (classes.count * classes.count).div_ceil(64)];
    let mut ignored = IgnoredPairs { classes: classes.count, matrix: bits, class: Vec::new() };
    for (a, b) in lowered {
        classes.pairs([Some(a), b]).for_each(|(c, d)| ignored.mark(c, d));
    }
    ignored.class = classes.class;
    Ok((ignored, described))
}

//! `[[ignore]]`: selectors to a bit matrix over classes of bodies, and counting pairs by classes.

use super::body_spec::BodySpec;
pub use super::glob::glob_matches;
use super::keys::{Field, Keys, SceneSource};
use super::same_ancestor::Families;
use super::selectors::{Directory, Selector, Sets, count_pairs};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{BodyTree, IgnoreRule, IgnoredPairs, SameAncestor};

/// Most classes of bodies that the matrix is built for (128 MiB of bits).
const MAX_CLASSES: usize = 1 << 15;

/// Pairs of a rule that are kept as examples.
const EXAMPLES: usize = 3;

/// `[[ignore]]`.
#[derive(Debug)]
pub(super) struct IgnoreSpec {
    /// `None`: everything.
    pub(super) a: Option<Selector>,
    /// `None`: everything.
    pub(super) b: Option<Selector>,
    /// Only bodies below one ancestor.
    pub(super) same: Option<SameAncestor>,
    pub(super) reason: Option<String>,
    pub(super) at: usize,
}

/// The ignore rules of a scene file.
///
/// # Errors
/// A key that does not fit.
pub(super) fn ignores(source: &SceneSource<'_>, top: &Keys<'_>) -> Result<Vec<IgnoreSpec>> {
    let mut ignores = Vec::new();
    for (index, (at, table)) in top.tables("ignore")?.into_iter().enumerate() {
        let keys = Keys::new(source, format!("[[ignore]] number {}", index + 1), table, at);
        keys.only(&["a", "b", "same", "reason"])?;
        let same = keys.get("same").map(|word| same(&word)).transpose()?;
        let a = match same {
            Some(_) => keys.get("a"),
            None => Some(keys.required("a", "name a body, `group:NAME` or a glob over names")?),
        };
        ignores.push(IgnoreSpec {
            a: a.map(Selector::of).transpose()?,
            b: keys.get("b").map(Selector::of).transpose()?,
            same,
            reason: keys.get("reason").map(|reason| reason.text()).transpose()?.map(str::to_owned),
            at,
        });
    }
    Ok(ignores)
}

/// The word of `same`.
fn same(field: &Field<'_>) -> Result<SameAncestor> {
    let word = field.text()?;
    SameAncestor::parse(word).ok_or_else(|| {
        field.error(
            format!("`{word}` is no ancestor"),
            "write \"parent\", \"level:1\" (a root of the file; `level:2` below it, ...), or \"component\"",
        )
    })
}

/// Lowers the rules of a scene.
///
/// # Errors
/// A selector without a body, a rule of one body by its name on both sides, or far too many
/// different kinds of bodies. All that is wrong with the rules is reported.
pub(super) fn lower(
    source: &SceneSource<'_>,
    bodies: &[BodySpec],
    trees: &[BodyTree],
    rules: &[IgnoreSpec],
) -> std::result::Result<(IgnoredPairs, Vec<IgnoreRule>), Vec<Error>> {
    if rules.is_empty() {
        return Ok((IgnoredPairs::default(), Vec::new()));
    }
    let (directory, families) = (Directory::of(bodies), Families::new(trees));
    let mut sets = Sets::default();
    let (mut lowered, mut described, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for (number, rule) in rules.iter().enumerate() {
        let known = faults.len();
        let mut set = |key: &str, selector: &Option<Selector>| {
            let selector = selector.as_ref()?;
            let (set, wrong) = sets.find(&directory, selector);
            let place = || format!("{}, key `{key}` of [[ignore]] number {}", source.place(selector.at), number + 1);
            faults.extend(wrong.into_iter().map(|(problem, remedy)| Error::input(place(), problem, remedy)));
            set
        };
        let (a, b) = (set("a", &rule.a), set("b", &rule.b));
        if faults.len() > known {
            continue;
        }
        let families = rule.same.map(|same| families.of(same, bodies));
        let covered = sets.covered([a, b], families);
        let count = |sets: &Sets, [a, b]: [Option<usize>; 2]| {
            count_pairs([a, b].map(|set| set.map(|set| sets.bodies(set))), bodies.len())
        };
        let pairs = covered.iter().map(|&pair| count(&sets, pair)).sum();
        // A group of one body is no mistake: it may grow. One name on both sides is.
        let is_name = rule.a.as_ref().is_some_and(|selector| selector.is_name(&directory));
        if pairs == 0 && is_name && b.is_some() && rule.same.is_none() {
            let problem = format!("[[ignore]] number {} covers no pair: a body is no pair with itself", number + 1);
            faults.push(Error::input(source.place(rule.at), problem, "name two bodies, or remove the rule"));
            continue;
        }
        let text = |selector: &Option<Selector>| selector.as_ref().map(Selector::text);
        let examples = sets.first_pairs(&covered, bodies.len(), EXAMPLES);
        let (a, b, same, reason) = (text(&rule.a), text(&rule.b), rule.same, rule.reason.clone());
        described.push(IgnoreRule { a, b, same, reason, pairs, examples });
        lowered.extend(covered);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let classes = sets.classify(source, bodies.len(), MAX_CLASSES, "ignore rules").map_err(|error| vec![error])?;
    let bits = vec![0; (classes.count * classes.count).div_ceil(64)];
    let mut ignored = IgnoredPairs { classes: classes.count, matrix: bits, class: Vec::new() };
    for pair in lowered {
        classes.pairs(pair).for_each(|(c, d)| ignored.mark(c, d));
    }
    ignored.class = classes.class;
    Ok((ignored, described))
}

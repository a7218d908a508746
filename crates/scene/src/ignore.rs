//! `[[ignore]]`: selectors to a bit matrix over classes of bodies, and counting pairs by classes.

use super::body_spec::BodySpec;
pub use super::glob::glob_matches;
use super::keys::{Field, Keys, SceneSource};
use super::same_ancestor::Families;
use super::selectors::{Directory, Sets, count_pairs};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{BodyTree, IgnoreRule, IgnoredPairs, SameAncestor};

/// Most classes of bodies that the matrix is built for (128 MiB of bits).
const MAX_CLASSES: usize = 1 << 15;

/// Pairs of a rule that are kept as examples.
const EXAMPLES: usize = 3;

/// `[[ignore]]`.
#[derive(Debug)]
pub(super) struct IgnoreSpec {
    /// The selector `a`, and its place in the text; `None`: everything.
    pub(super) a: Option<(String, usize)>,
    /// The selector `b`, and its place in the text; `None`: everything.
    pub(super) b: Option<(String, usize)>,
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
        let selector = |field: Field<'_>| Ok((field.text()?.to_owned(), field.at));
        let a = match same {
            Some(_) => keys.get("a"),
            None => Some(keys.required("a", "name a body, `group:NAME` or a glob over names")?),
        };
        ignores.push(IgnoreSpec {
            a: a.map(selector).transpose()?,
            b: keys.get("b").map(selector).transpose()?,
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
        let mut set = |key: &str, selector: &Option<(String, usize)>| {
            let find = |(text, at): &(String, usize)| {
                sets.find(&directory, text).map_err(|(problem, remedy)| {
                    let place = format!("{}, key `{key}` of [[ignore]] number {}", source.place(*at), number + 1);
                    Error::input(place, problem, remedy)
                })
            };
            selector.as_ref().map(find).transpose()
        };
        let (a, b) = match (set("a", &rule.a), set("b", &rule.b)) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                faults.extend(a.err().into_iter().chain(b.err()));
                continue;
            }
        };
        let families = rule.same.map(|same| families.of(same, bodies));
        let covered = sets.covered([a, b], families);
        let count = |sets: &Sets, [a, b]: [Option<usize>; 2]| {
            count_pairs([a, b].map(|set| set.map(|set| sets.bodies(set))), bodies.len())
        };
        let pairs = covered.iter().map(|&pair| count(&sets, pair)).sum();
        // A group of one body is no mistake: it may grow. One name on both sides is.
        let is_name = rule.a.as_ref().is_some_and(|(text, _)| directory.by_name.contains_key(text.as_str()));
        if pairs == 0 && is_name && b.is_some() && rule.same.is_none() {
            let problem = format!("[[ignore]] number {} covers no pair: a body is no pair with itself", number + 1);
            faults.push(Error::input(source.place(rule.at), problem, "name two bodies, or remove the rule"));
            continue;
        }
        let text = |selector: &Option<(String, usize)>| selector.as_ref().map(|(text, _)| text.clone());
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

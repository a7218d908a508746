//! `[[rule]]`: requirements for pairs. The first rule that matches a pair counts; `require` of
//! `[query]` comes last.

use super::body_spec::BodySpec;
use super::direction::direction;
use super::keys::{Field, Keys, SceneSource};
use super::length::unit_of;
use super::selectors::{Directory, Selector, Sets, count_pairs};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Baseline, BaselineAt, DEFAULT_RULE, FreeLength, LengthUnit, PairRules, Rule, Severity};
use std::collections::HashMap;

/// Most classes of bodies that the matrix is built for (128 MiB).
const MAX_CLASSES: usize = 1 << 13;

/// Most rules: their indices are stored in 16 bits.
const MAX_RULES: usize = u16::MAX as usize;

/// A `[[rule]]`, lowered.
#[derive(Debug)]
pub(super) struct RuleSpec {
    name: String,
    name_at: usize,
    a: Selector,
    /// `None`: everything.
    b: Option<Selector>,
    /// Metres, and where.
    pub(super) require: (f64, usize),
    /// The unit that `require` names.
    pub(super) unit: Option<LengthUnit>,
    severity: Severity,
    free_length: Option<FreeLength>,
    baseline: Option<BaselineSpec>,
    note: Option<String>,
    at: usize,
}

/// `baseline` and `worse_by` of a rule.
#[derive(Debug)]
struct BaselineSpec {
    moment: BaselineAt,
    /// Metres; `None`: `touch` of the scene.
    worse_by: Option<f64>,
    /// Place of `baseline`.
    at: usize,
}

impl RuleSpec {
    /// Pairs that are farther apart than this (metres) do not violate the rule.
    pub(super) fn reach(&self) -> f64 {
        let (require, _) = self.require;
        self.free_length.map_or(require, |free| require.hypot(free.footprint).next_up())
    }

    /// The place of `require` in messages.
    pub(super) fn require_place(&self, source: &SceneSource<'_>) -> String {
        format!("{}, key `require` of [[rule]] `{}`", source.place(self.require.1), self.name)
    }
}

/// The rules of a scene file.
///
/// # Errors
/// A key does not fit, or a name stands twice.
pub(super) fn rules(source: &SceneSource<'_>, top: &Keys<'_>, unit: LengthUnit) -> Result<Vec<RuleSpec>> {
    let tables = top.tables("rule")?;
    if tables.len() > MAX_RULES {
        let problem = format!("the scene has {} rules; at most {MAX_RULES} can be", tables.len());
        return Err(top.error(problem, "put pairs of the same requirement together, by groups or globs"));
    }
    let keys = tables.into_iter().zip(1..).map(|((at, table), number)| Keys::new(source, owner(number), table, at));
    of_keys(source, keys, unit)
}

/// A rule in messages until its name is known.
pub(super) fn owner(number: usize) -> String {
    format!("[[rule]] number {number}")
}

/// Returns the rules of these keys.
///
/// # Errors
/// As [`rules`].
pub(super) fn of_keys<'k>(
    source: &SceneSource<'_>,
    keys: impl Iterator<Item = Keys<'k>>,
    unit: LengthUnit,
) -> Result<Vec<RuleSpec>> {
    let (mut rules, mut names) = (Vec::new(), HashMap::new());
    for keys in keys {
        let rule = rule(&keys, unit)?;
        if let Some(first) = names.insert(rule.name.clone(), rule.name_at) {
            let first = match source.is_in_code() {
                true => "in the same scene".to_owned(),
                false => format!("on line {}", source.line(first)),
            };
            let problem = format!("the rule name `{}` was used before, {first}", rule.name);
            return Err(Error::input(source.place(rule.name_at), problem, "give each rule a name of its own"));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn rule(keys: &Keys<'_>, unit: LengthUnit) -> Result<RuleSpec> {
    keys.only(&["name", "a", "b", "require", "severity", "direction", "footprint", "baseline", "worse_by", "note"])?;
    let name = keys.required("name", "give the rule a unique `name`: tables and lists say by it what was violated")?;
    let words = Severity::NAMES.into_iter().zip([Severity::Info, Severity::Minor, Severity::Major, Severity::Critical]);
    let words: Vec<_> = words.collect();
    let require = keys.required("require", "say how far apart its pairs have to stay: `require = \"25mm\"`")?;
    Ok(RuleSpec {
        name: own_name(&name)?,
        name_at: name.at,
        a: Selector::of(keys.required("a", "name a body, `group:NAME` or a glob over names; `*` for everything")?)?,
        b: keys.get("b").map(Selector::of).transpose()?,
        require: (require.length(unit)?, require.at),
        unit: require.text().ok().and_then(unit_of),
        severity: keys.get("severity").map(|word| word.choice(&words)).transpose()?.unwrap_or_default(),
        free_length: free_length(keys, unit, &require)?,
        baseline: baseline(keys, unit)?,
        note: keys.get("note").map(|note| note.text()).transpose()?.map(str::to_owned),
        at: keys.at,
    })
}

/// `direction` and `footprint`; `None`: the distance is required.
fn free_length(keys: &Keys<'_>, unit: LengthUnit, require: &Field<'_>) -> Result<Option<FreeLength>> {
    let footprint = keys.get("footprint");
    match (keys.get("direction"), footprint) {
        (None, None) => Ok(None),
        (None, Some(stray)) => {
            let remedy = "add `direction = [x, y, z]`, or remove the key";
            Err(stray.error("a footprint lies across a direction, and the rule has none", remedy))
        }
        (Some(_), _) if require.length(unit)? < 0.0 => {
            Err(require.error("a free length is never negative", "give a length of 0 or more, or remove `direction`"))
        }
        (Some(along), footprint) => {
            let footprint = footprint.map(|length| length.length_from_zero(unit)).transpose()?.unwrap_or(0.0);
            Ok(Some(FreeLength { direction: direction(&along)?, footprint }))
        }
    }
}

/// `baseline` and `worse_by`; `None`: there is none.
fn baseline(keys: &Keys<'_>, unit: LengthUnit) -> Result<Option<BaselineSpec>> {
    let worse_by = keys.get("worse_by");
    let Some(field) = keys.get("baseline").filter(|field| field.text().ok() != Some("none")) else {
        return match worse_by {
            Some(stray) => {
                let remedy = "add `baseline = \"rest\"`, \"first\" or \"frame:N\", or remove the key";
                Err(stray.error("`worse_by` compares with a baseline, and the rule has none", remedy))
            }
            None => Ok(None),
        };
    };
    let text = field.text()?;
    let moment = match (text, text.strip_prefix("frame:").and_then(|number| number.trim().parse().ok())) {
        ("rest", _) => BaselineAt::Rest,
        ("first", _) => BaselineAt::First,
        (_, Some(frame)) => BaselineAt::Frame(frame),
        _ => {
            let remedy = "write \"rest\", \"first\", \"frame:N\" with the number of a frame, or \"none\"";
            return Err(field.error(format!("`{text}` is no baseline"), remedy));
        }
    };
    let worse_by = worse_by.map(|length| length.length_from_zero(unit)).transpose()?;
    Ok(Some(BaselineSpec { moment, worse_by, at: field.at }))
}

/// Returns the name of a rule, which is neither empty nor `default`.
fn own_name(field: &Field<'_>) -> Result<String> {
    let name = field.text()?;
    if name.trim().is_empty() {
        return Err(field.error("the name of the rule is empty", "give it a name"));
    }
    if name == DEFAULT_RULE {
        let problem = format!("`{DEFAULT_RULE}` is the name of `require` in [query], which is the last rule");
        return Err(field.error(problem, "give the rule another name"));
    }
    Ok(name.to_owned())
}

/// Lowers the rules of a scene; `are_carried`: joints carry all bodies that move, which are at rest
/// where the joints have the value 0. A rule whose selectors name no body matches no pair: rules
/// may be shared by several models.
///
/// # Errors
/// A rule of one body by its name on both sides, or far too many different kinds of bodies. All
/// that is wrong with the rules is reported.
pub(super) fn lower(
    source: &SceneSource<'_>,
    bodies: &[BodySpec],
    are_carried: bool,
    specs: Vec<RuleSpec>,
    touch: f64,
) -> std::result::Result<PairRules, Vec<Error>> {
    if specs.is_empty() {
        return Ok(PairRules::default());
    }
    let (directory, count) = (Directory::of(bodies), specs.len());
    let mut sets = Sets::default();
    let (mut lowered, mut rules, mut rests, mut faults) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, spec) in specs.into_iter().enumerate() {
        let mut unmatched = Vec::new();
        let mut set = |key: &str, selector: &Selector| {
            let (set, wrong) = sets.find(&directory, selector);
            unmatched.extend(wrong.into_iter().map(|(problem, remedy)| [format!("key `{key}`: {problem}"), remedy]));
            set
        };
        let (a, b) = (set("a", &spec.a), spec.b.as_ref().map(|b| set("b", b)));
        // A side whose texts select nothing leaves the rule without pairs.
        let both = a.zip(b.map_or(Some(None), |b| b.map(Some)));
        if let Some((a, Some(b))) = both
            && count_pairs([a, b].map(|set| Some(sets.bodies(set))), bodies.len()) == 0
            && spec.a.is_name(&directory)
        {
            let problem = format!("[[rule]] `{}` covers no pair: a body is no pair with itself", spec.name);
            faults.push(Error::input(source.place(spec.at), problem, "name two bodies, or remove the rule"));
        }
        lowered.extend(both.map(|(a, b)| (number as u16, a, b)));
        let RuleSpec { name, a, b, require, severity, free_length, note, .. } = spec;
        let baseline = spec.baseline.map(|BaselineSpec { moment, worse_by, at }| {
            rests.extend((moment == BaselineAt::Rest).then_some((number, at)));
            Baseline { at: moment, worse_by: worse_by.unwrap_or(touch) }
        });
        let (a, b, require) = (a.text(), b.as_ref().map(Selector::text), require.0);
        rules.push(Rule { name, a, b, require, severity, free_length, baseline, note, unmatched });
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let classes = sets.classify(source, bodies.len(), MAX_CLASSES, "rules").map_err(|error| vec![error])?;
    let mut matrix = vec![count as u16; classes.count * classes.count];
    let has_free_length = rules.iter().any(|rule| rule.free_length.is_some());
    let mut is_first = vec![false; if has_free_length { matrix.len() } else { 0 }];
    // The first rule that matches counts: it is written last.
    for (rule, a, b) in lowered.into_iter().rev() {
        classes.pairs([Some(a), b]).for_each(|(c, d)| matrix[c * classes.count + d] = rule);
        if has_free_length {
            classes.pairs([Some(a), b]).for_each(|(c, d)| is_first[c * classes.count + d] = false);
            classes.ordered_pairs([Some(a), b]).for_each(|(c, d)| is_first[c * classes.count + d] = true);
        }
    }
    let rules = PairRules::new(rules, (classes.class, classes.count), matrix, is_first);
    for (rule, at) in rests {
        let moves = |body: &BodySpec| !are_carried && body.pose.is_none() && body.node.is_none();
        if let Some((_, body)) = (0..).zip(bodies).find(|&(index, body)| moves(body) && rules.covers(rule, index)) {
            let problem = format!("the body `{}` moves, and no file says where it is at rest", body.name);
            let remedy = "compare with `baseline = \"first\"` or \"frame:N\", or put a rule without a baseline before this one for the body";
            let place = format!("{}, key `baseline` of [[rule]] `{}`", source.place(at), rules.all()[rule].name);
            return Err(vec![Error::input(place, problem, remedy)]);
        }
    }
    Ok(rules)
}

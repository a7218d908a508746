//! Selectors of bodies, of `[[ignore]]` and `[[rule]]`: selectors to sets of bodies, and sets to
//! classes of bodies that all rules treat alike.

use super::body_spec::BodySpec;
use super::glob::glob_matches;
use super::keys::{Field, SceneSource};
use clearsweep_base::error::{Error, Result, nearest, nearest_one};
use clearsweep_base::text::toml_text;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// A selector as written: a text, or a list of texts that selects what any of them selects.
#[derive(Clone)]
pub(super) struct Selector {
    texts: Vec<String>,
    is_list: bool,
    /// Its place in the text.
    pub(super) at: usize,
}

impl Selector {
    /// Returns the selector of one text.
    pub(super) fn of_text(text: impl Into<String>, at: usize) -> Self {
        Self { texts: vec![text.into()], is_list: false, at }
    }

    /// Returns the selector that a key holds.
    ///
    /// # Errors
    /// It is no text and no list of texts, or the list is empty.
    pub(super) fn of(field: Field<'_>) -> Result<Self> {
        let texts = field.texts()?;
        if texts.is_empty() {
            return Err(field.error("the list of selectors is empty", "name a body, `group:NAME` or a glob over names"));
        }
        let is_list = field.text().is_err();
        Ok(Self { texts, is_list, at: field.at })
    }

    /// Returns the text in the scene: of a list its TOML.
    pub(super) fn text(&self) -> String {
        match (&self.texts[..], self.is_list) {
            ([text], false) => text.clone(),
            (texts, _) => format!("[{}]", texts.iter().map(|text| toml_text(text)).collect::<Vec<_>>().join(", ")),
        }
    }

    /// Whether it is the name of one body.
    pub(super) fn is_name(&self, directory: &Directory<'_>) -> bool {
        matches!(&self.texts[..], [text] if directory.by_name.contains_key(text.as_str()))
    }
}

/// As a tuple of text and place: digests of scenes in code hold it.
impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&(self.text(), self.at), f)
    }
}

/// The bodies by name and by group, for selectors.
pub(super) struct Directory<'a> {
    bodies: &'a [BodySpec],
    by_name: HashMap<&'a str, u32>,
    by_group: HashMap<&'a str, Vec<u32>>,
}

impl<'a> Directory<'a> {
    pub(super) fn of(bodies: &'a [BodySpec]) -> Self {
        let by_name = bodies.iter().zip(0..).map(|(body, index)| (body.name.as_str(), index)).collect();
        let mut by_group: HashMap<&str, Vec<u32>> = HashMap::new();
        for (body, index) in bodies.iter().zip(0..) {
            for group in body.groups.iter() {
                by_group.entry(group).or_default().push(index);
            }
        }
        Self { bodies, by_name, by_group }
    }

    /// The bodies of one text of a selector: an exact name, else `group:NAME`, `class:NAME` or
    /// `level:NAME`, by name or glob, else a glob over names.
    fn select(&self, selector: &str) -> std::result::Result<Vec<u32>, Fault> {
        if let Some(&body) = self.by_name.get(selector) {
            return Ok(vec![body]);
        }
        let is_kind = ["class:", "level:"].iter().any(|kind| selector.starts_with(kind));
        if let Some(group) = selector.strip_prefix("group:").or(is_kind.then_some(selector)) {
            let found = self.by_group.get(group).cloned().unwrap_or_else(|| self.of_groups(group));
            return if found.is_empty() { Err(self.no_group(group)) } else { Ok(found) };
        }
        let names = self.bodies.iter().zip(0..);
        let found: Vec<u32> = match is_glob(selector) {
            true => names.filter(|(body, _)| glob_matches(selector, &body.name)).map(|(_, index)| index).collect(),
            false => Vec::new(),
        };
        if found.is_empty() { Err(self.no_body(selector)) } else { Ok(found) }
    }

    /// The bodies of all groups that fit a glob; classes and levels fit globs of their own kind.
    fn of_groups(&self, glob: &str) -> Vec<u32> {
        if !is_glob(glob) {
            return Vec::new();
        }
        let fits = |group: &str| kind_of(group) == kind_of(glob) && glob_matches(glob, group);
        self.by_group.iter().filter(|(group, _)| fits(group)).flat_map(|(_, bodies)| bodies).copied().collect()
    }

    fn no_group(&self, group: &str) -> Fault {
        let mut groups: Vec<&str> =
            self.bodies.iter().flat_map(|body| body.groups.iter().map(String::as_str)).collect();
        groups.sort_unstable();
        groups.dedup();
        // One group in place of a glob would be another rule.
        let near = nearest_one(group, groups.iter().copied()).filter(|_| !is_glob(group));
        let remedy = match near {
            Some(near) => format!("did you mean `{}`?", group_selector(near)),
            None if groups.is_empty() => "no body has a `group`; add one, or name bodies".to_owned(),
            None => format!("groups of the scene: {}", groups[..groups.len().min(20)].join(", ")),
        };
        let problem = match group.split_once(':') {
            Some((kind @ ("class" | "level"), glob)) if is_glob(glob) => format!("no {kind} of a body fits `{glob}`"),
            Some((kind @ ("class" | "level"), name)) => format!("no body is of the {kind} `{name}`"),
            _ if is_glob(group) => format!("no group of a body fits `{group}`"),
            _ => format!("no body belongs to the group `{group}`"),
        };
        (problem, remedy)
    }

    fn no_body(&self, selector: &str) -> Fault {
        let mut names = self.bodies.iter().map(|body| body.name.as_str());
        let remedy = if is_glob(selector) {
            // One body in place of a glob would be another rule.
            let folded = selector.to_lowercase();
            let other_case = names.find(|name| glob_matches(&folded, &name.to_lowercase()));
            other_case.map(|name| format!("write capital letters as names have them, such as those of `{name}`"))
        } else {
            nearest(selector, names).map(|near| format!("did you mean `{near}`?"))
        };
        let general = "give a body's exact name, `group:NAME`, or a glob with `*` and `?` over names";
        let remedy = remedy.unwrap_or_else(|| general.to_owned());
        (format!("`{selector}` matches no body"), remedy)
    }
}

/// Whether a text has characters that stand for others.
fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// The word of a group that is a class or a level.
fn kind_of(group: &str) -> Option<&str> {
    group.split_once(':').map(|(kind, _)| kind).filter(|kind| ["class", "level"].contains(kind))
}

/// The selector of a group: of a class or a level its own text.
fn group_selector(group: &str) -> String {
    if kind_of(group).is_some() { group.to_owned() } else { format!("group:{group}") }
}

/// Unordered pairs of different bodies, one of each set (`None`: all `n`); both ascending.
pub(super) fn count_pairs(sets: [Option<&[u32]>; 2], n: usize) -> u64 {
    let size = |set: Option<&[u32]>| set.map_or(n, <[u32]>::len) as u64;
    let common = match sets {
        [Some(a), Some(b)] => a.iter().filter(|body| b.binary_search(body).is_ok()).count() as u64,
        [Some(a), None] | [None, Some(a)] => a.len() as u64,
        [None, None] => n as u64,
    };
    // Among all ordered choices, a body with itself is no pair, and pairs within both sets come
    // twice.
    size(sets[0]) * size(sets[1]) - common * (common + 1) / 2
}

/// Why a text of a selector selects nothing, and the remedy.
pub(super) type Fault = (String, String);

/// The different selectors of all rules, with their bodies.
#[derive(Default)]
pub(super) struct Sets {
    by_texts: HashMap<Vec<String>, usize>,
    lists: Vec<Vec<u32>>,
}

/// Classes of bodies: bodies of one class are in the same sets.
pub(super) struct Classes {
    /// Class of each body, numbered in scene order.
    pub(super) class: Vec<u32>,
    /// Number of classes.
    pub(super) count: usize,
    /// The classes in each set.
    in_set: Vec<Vec<usize>>,
    everything: Vec<usize>,
}

impl Sets {
    /// The index of the set of a selector (`None`: no text of it selects anything), and the faults
    /// of its texts.
    pub(super) fn find(&mut self, directory: &Directory<'_>, selector: &Selector) -> (Option<usize>, Vec<Fault>) {
        if let Some(&known) = self.by_texts.get(&selector.texts) {
            return (Some(known), Vec::new());
        }
        let (mut bodies, mut faults) = (Vec::new(), Vec::new());
        for text in &selector.texts {
            match directory.select(text) {
                Ok(of_text) => bodies.extend(of_text),
                Err(fault) => faults.push(fault),
            }
        }
        if bodies.is_empty() {
            return (None, faults);
        }
        bodies.sort_unstable();
        bodies.dedup();
        let set = self.add(bodies);
        if faults.is_empty() {
            self.by_texts.insert(selector.texts.clone(), set);
        }
        (Some(set), faults)
    }

    /// The pairs of sets that a rule covers: the sets of its selectors (`None`: everything), or
    /// their parts within each family.
    pub(super) fn covered(
        &mut self,
        selected: [Option<usize>; 2],
        families: Option<Vec<Vec<u32>>>,
    ) -> Vec<[Option<usize>; 2]> {
        let Some(families) = families else { return vec![selected] };
        let mut covered = Vec::new();
        for family in families.into_iter().filter(|family| family.len() > 1) {
            let pair = selected.map(|set| match set {
                Some(set) => {
                    family.iter().copied().filter(|body| self.lists[set].binary_search(body).is_ok()).collect()
                }
                None => family.clone(),
            });
            if pair.iter().all(|list| !list.is_empty()) {
                let is_one = pair[0] == pair[1];
                let [a, b] = pair;
                let a = self.add(a);
                covered.push([Some(a), Some(if is_one { a } else { self.add(b) })]);
            }
        }
        covered
    }

    /// Adds a set that no selector names.
    fn add(&mut self, list: Vec<u32>) -> usize {
        self.lists.push(list);
        self.lists.len() - 1
    }

    /// The first pairs of bodies, at most `most`, of pairs of sets.
    pub(super) fn first_pairs(&self, covered: &[[Option<usize>; 2]], n: usize, most: usize) -> Vec<[u32; 2]> {
        let everything: Vec<u32> = (0..n as u32).collect();
        let bodies = |set: Option<usize>| set.map_or(&everything, |set| &self.lists[set]);
        let mut pairs = BTreeSet::new();
        for [a, b] in covered.iter().map(|pair| pair.map(bodies)) {
            let both = a.iter().flat_map(|&a| b.iter().map(move |&b| [a.min(b), a.max(b)])).filter(|[a, b]| a != b);
            for pair in both {
                pairs.insert(pair);
                if pairs.len() == most {
                    return pairs.into_iter().collect();
                }
            }
        }
        pairs.into_iter().collect()
    }

    /// The bodies of a set, ascending.
    pub(super) fn bodies(&self, set: usize) -> &[u32] {
        &self.lists[set]
    }

    /// Divides `n` bodies into at most `most` classes; `rules` names the rules in a message.
    ///
    /// # Errors
    /// There are more classes.
    pub(super) fn classify(&self, source: &SceneSource<'_>, n: usize, most: usize, rules: &str) -> Result<Classes> {
        let mut sets_of: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (set, list) in self.lists.iter().enumerate() {
            for &body in list {
                sets_of[body as usize].push(set as u32);
            }
        }
        let mut class_of: HashMap<&[u32], u32> = HashMap::new();
        let mut in_set: Vec<Vec<usize>> = vec![Vec::new(); self.lists.len()];
        let mut class = Vec::with_capacity(n);
        for sets in &sets_of {
            let next = class_of.len();
            let own = *class_of.entry(sets).or_insert(next as u32);
            if own as usize == next {
                sets.iter().for_each(|&set| in_set[set as usize].push(next));
            }
            class.push(own);
        }
        let count = class_of.len();
        if count > most {
            let problem = format!("the {rules} tell {count} kinds of bodies apart; at most {most} can be");
            return Err(Error::input(source.place(0), problem, "use groups or globs instead of single names"));
        }
        Ok(Classes { class, count, in_set, everything: (0..count).collect() })
    }
}

impl Classes {
    /// The pairs of classes of two sets, in both orders; `None`: everything.
    pub(super) fn pairs(&self, [a, b]: [Option<usize>; 2]) -> impl Iterator<Item = (usize, usize)> {
        self.ordered_pairs([a, b]).flat_map(|(c, d)| [(c, d), (d, c)])
    }

    /// The pairs of a class of the first set with one of the second; `None`: everything.
    pub(super) fn ordered_pairs(&self, sets: [Option<usize>; 2]) -> impl Iterator<Item = (usize, usize)> {
        let [a, b] = sets.map(|set| set.map_or(&self.everything, |set| &self.in_set[set]));
        a.iter().flat_map(move |&c| b.iter().map(move |&d| (c, d)))
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
                assert_eq!(count_pairs([Some(a), b], 7), slow, "{a:?} {b:?}");
                assert_eq!(count_pairs([b, Some(a)], 7), slow, "{b:?} {a:?}");
            }
        }
    }
}

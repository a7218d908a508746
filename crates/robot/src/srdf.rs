//! SRDF of MoveIt (<https://github.com/moveit/srdfdom>): which pairs of links are not checked
//! against each other.

use crate::model::{LinkPair, Note, Robot};
use crate::notes::Notes;
use crate::xml::{Element, Source};
use clearsweep_base::Result;
use clearsweep_base::error::nearest;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// The collision rules of an SRDF file. Groups, states and end effectors are read past.
#[derive(Debug, Clone, PartialEq)]
pub struct Srdf {
    /// Name of the robot, which should be that of the URDF file.
    pub robot: String,
    /// Pairs of `disable_collisions`: never checked.
    pub disabled: Vec<LinkPair>,
    /// Pairs of `enable_collisions`: checked in spite of `disabled_links`, and though they are
    /// neighbours, unless they are in `disabled` too.
    pub enabled: Vec<LinkPair>,
    /// Links of `disable_default_collisions` with their lines: none of their pairs is checked by
    /// default.
    pub disabled_links: Vec<(String, usize)>,
    /// Parts of the file that were not read and may matter for proximity.
    pub notes: Vec<Note>,
}

/// Elements that are read, or that do not matter for proximity.
const OF_ROBOT: &[&str] = &[
    "disable_collisions",
    "enable_collisions",
    "disable_default_collisions",
    "group",
    "group_state",
    "end_effector",
    "virtual_joint",
    "passive_joint",
    "joint_property",
];

/// Reads an SRDF file from its `text`; `path` names it in messages.
///
/// # Errors
/// Not XML, xacro that is not expanded, another root than `robot`, a rule without its links.
pub fn read_srdf(path: &Path, text: &str) -> Result<Srdf> {
    let source = Source::new(path, text);
    let document = source.parse("SRDF")?;
    source.check_expanded(&document)?;
    let root = source.root(&document);
    if root.name() != "robot" {
        let problem = format!("the root element is `{}`, not `robot`", root.name());
        return Err(root.fault(problem, "give an SRDF file: its root element is `<robot name=\"...\">`"));
    }
    let mut notes = Notes::default();
    if root.all("link").chain(root.all("joint")).next().is_some() {
        let remedy = "give the SRDF file of the robot, and name this one as its URDF file";
        return Err(root.fault("the file is URDF: it has links or joints of its own", remedy));
    }
    for other in root.children().filter(|child| !OF_ROBOT.contains(&child.name())) {
        let consequence = match other.name() {
            "link_sphere_approximation" => ": collision geometry is that of the URDF file",
            _ => "",
        };
        notes.add(other.line(), format!("`{}` is not read{consequence}", other.name()));
    }
    let pairs = |name| root.all(name).map(pair).collect::<Result<Vec<_>>>();
    let default = |element: Element<'_>| Ok((element.required("link")?.to_owned(), element.line()));
    Ok(Srdf {
        robot: root.required("name")?.to_owned(),
        disabled: pairs("disable_collisions")?,
        enabled: pairs("enable_collisions")?,
        disabled_links: root.all("disable_default_collisions").map(default).collect::<Result<_>>()?,
        notes: notes.finish(),
    })
}

fn pair(element: Element<'_>) -> Result<LinkPair> {
    let (a, b) = (element.required("link1")?.to_owned(), element.required("link2")?.to_owned());
    let reason = element.attribute("reason").map(str::to_owned);
    Ok(LinkPair { a, b, reason, line: element.line() })
}

impl Srdf {
    /// Returns the pairs of links of a robot that are not checked, as sorted indices `[a, b]` with
    /// `a < b`, and notes on names that the robot does not have.
    ///
    /// A pair is not checked if `disabled` holds it, or if one of its links is in `disabled_links`
    /// and `enabled` does not hold the pair (MoveIt, `AllowedCollisionMatrix` of an SRDF model).
    /// MoveIt, too, reads past unknown names.
    pub fn disabled_pairs(&self, robot: &Robot) -> (Vec<[usize; 2]>, Vec<Note>) {
        let mut notes = Notes::default();
        if self.robot != robot.name {
            notes.add(1, format!("the SRDF file is of the robot `{}`, the URDF file of `{}`", self.robot, robot.name));
        }
        let names: HashMap<&str, usize> =
            robot.links.iter().enumerate().map(|(number, link)| (link.name.as_str(), number)).collect();
        let mut find = |name: &str, line: usize| {
            let found = names.get(name).copied();
            if found.is_none() {
                let near = nearest(name, robot.links.iter().map(|link| link.name.as_str()));
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                notes.add(line, format!("the robot has no link `{name}`: rules about it have no effect{near}"));
            }
            found
        };
        let mut indices = |pairs: &[LinkPair]| {
            let mut found = BTreeSet::new();
            for pair in pairs {
                let (a, b) = (find(&pair.a, pair.line), find(&pair.b, pair.line));
                if let (Some(a), Some(b)) = (a, b)
                    && a != b
                {
                    found.insert([a.min(b), a.max(b)]);
                }
            }
            found
        };
        let (mut disabled, enabled) = (indices(&self.disabled), indices(&self.enabled));
        for (name, line) in &self.disabled_links {
            let Some(link) = find(name, *line) else { continue };
            let others = (0..robot.links.len()).filter(|&other| other != link);
            let pairs = others.map(|other| [link.min(other), link.max(other)]);
            disabled.extend(pairs.filter(|pair| !enabled.contains(pair)));
        }
        (disabled.into_iter().collect(), notes.finish())
    }

    /// Pairs of links of a robot that `enable_collisions` names, each in order.
    pub fn enabled_pairs(&self, robot: &Robot) -> BTreeSet<[usize; 2]> {
        let find = |name: &str| robot.links.iter().position(|link| link.name == name);
        let pairs = self.enabled.iter().filter_map(|pair| Some([find(&pair.a)?, find(&pair.b)?]));
        pairs.map(|[a, b]| [a.min(b), a.max(b)]).collect()
    }
}

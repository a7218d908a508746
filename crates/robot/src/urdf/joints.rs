//! The elements `joint`, `axis`, `limit` and `mimic`.

use super::UrdfReader;
use crate::model::{Joint, JointKind, Link, Mimic};
use crate::rotation;
use crate::xml::{Element, check_unique};
use clearsweep_base::Result;
use clearsweep_base::error::nearest;
use std::collections::HashMap;

/// Children of `joint` that are read, or that do not matter for proximity.
const OF_JOINT: &[&str] =
    &["parent", "child", "origin", "axis", "limit", "mimic", "dynamics", "calibration", "safety_controller"];

const KINDS: &str = "fixed, revolute, continuous, prismatic, planar, floating";

impl UrdfReader {
    pub(super) fn joints(&mut self, root: Element<'_>, links: &[Link]) -> Result<Vec<Joint>> {
        let of_link = links.iter().enumerate().map(|(number, link)| (link.name.as_str(), number)).collect();
        let mut joints = Vec::new();
        let mut lines = HashMap::new();
        for element in root.all("joint") {
            let joint = self.joint(element, &of_link)?;
            check_unique(&mut lines, element, "joint", &joint.name)?;
            joints.push(joint);
        }
        let mimics = self.mimics(root, &joints)?;
        for (joint, mimic) in joints.iter_mut().zip(mimics) {
            joint.mimic = mimic;
        }
        Ok(joints)
    }

    /// A joint but for its mimic, which may name a later joint.
    fn joint(&mut self, element: Element<'_>, links: &HashMap<&str, usize>) -> Result<Joint> {
        let name = element.required("name")?.to_owned();
        self.note_others(element, OF_JOINT);
        let kind = kind(element, &name)?;
        let parent = self.link_of(element, ["parent", "child"], links)?;
        let child = self.link_of(element, ["child", "parent"], links)?;
        if parent == child {
            let problem = format!("joint `{name}` connects a link to itself");
            return Err(element.fault(problem, "correct `parent` or `child`"));
        }
        let place = self.origin(element)?;
        let axis = match kind {
            JointKind::Fixed | JointKind::Floating => [1.0, 0.0, 0.0],
            _ => self.axis(element, &name)?,
        };
        if kind == JointKind::Planar && axis != [0.0, 0.0, 1.0] {
            let [x, y, z] = axis;
            let text = format!(
                "joint `{name}` is planar across {x} {y} {z}, as URDF says; MoveIt moves it across z whatever the axis is"
            );
            self.notes.add(element.line(), text);
        }
        let range = self.range(element, kind, &name)?;
        if element.child("safety_controller")?.is_some() {
            let text = "`safety_controller` is not read: ranges of joints are those of `limit`";
            self.notes.add(element.line(), text);
        }
        Ok(Joint { name, line: element.at(), kind, parent, child, place, axis, range, mimic: None })
    }

    /// The link on one side of a joint.
    fn link_of(
        &mut self,
        joint: Element<'_>,
        [side, other]: [&'static str; 2],
        links: &HashMap<&str, usize>,
    ) -> Result<usize> {
        let missing = || joint.fault(format!("`joint` has no `{side}`"), format!("add `<{side} link=\"...\"/>`"));
        let element = joint.child(side)?.ok_or_else(missing)?;
        self.check_attributes(element, &["link"])?;
        let name = element.required("link")?;
        let unknown = || {
            let other = joint.all(other).find_map(|element| element.attribute("link"));
            let mut names: Vec<&str> = links.keys().copied().filter(|&name| Some(name) != other).collect();
            names.sort_unstable();
            let remedy = match nearest(name, names.into_iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add `<link name=\"{name}\"/>`, or correct the name"),
            };
            element.fault(format!("`{side}` refers to the link `{name}`, which does not exist"), remedy)
        };
        links.get(name).copied().ok_or_else(unknown)
    }

    /// The unit axis; x if the file gives none.
    fn axis(&mut self, joint: Element<'_>, name: &str) -> Result<[f64; 3]> {
        let Some(element) = joint.child("axis")? else { return Ok([1.0, 0.0, 0.0]) };
        self.check_attributes(element, &["xyz"])?;
        element.required("xyz")?;
        let axis = element.numbers("xyz")?.unwrap_or_default();
        let zero = || element.fault(format!("the axis of joint `{name}` has length 0"), "give one such as `0 0 1`");
        rotation::unit(axis).ok_or_else(zero)
    }

    fn range(&mut self, joint: Element<'_>, kind: JointKind, name: &str) -> Result<Option<[f64; 2]>> {
        let limit = joint.child("limit")?;
        if !matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
            let bounds = limit.filter(|limit| kind.is_wide() && limit.attribute("lower").is_some());
            if let Some(limit) = bounds {
                self.notes.add(limit.line(), format!("`limit` of joint `{name}` is not read: it has several values"));
            }
            return Ok(None); // `limit` of a continuous joint holds velocity and effort
        }
        let Some(limit) = limit else {
            self.notes.add(joint.line(), format!("joint `{name}` has no `limit`: its range is not known"));
            return Ok(None);
        };
        self.check_attributes(
            limit,
            &["lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"],
        )?;
        let (lower, upper) = (limit.number("lower")?, limit.number("upper")?);
        if lower.is_none() || upper.is_none() {
            let text = format!("`limit` of joint `{name}` lacks `lower` or `upper`, which is 0 then");
            self.notes.add(limit.line(), text);
        }
        let (lower, upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
        if lower > upper {
            let problem = format!("the range of joint `{name}` is empty: `lower` is {lower}, `upper` is {upper}");
            return Err(limit.fault(problem, "exchange the two, or correct one"));
        }
        Ok(Some([lower, upper]))
    }

    /// The mimics of all joints, in their order.
    fn mimics(&mut self, root: Element<'_>, joints: &[Joint]) -> Result<Vec<Option<Mimic>>> {
        let numbers: HashMap<&str, usize> =
            joints.iter().enumerate().map(|(number, joint)| (joint.name.as_str(), number)).collect();
        let mut mimics = Vec::with_capacity(joints.len());
        for (element, own) in root.all("joint").zip(joints) {
            let mimic = element.child("mimic")?.map(|mimic| self.mimic(mimic, own, joints, &numbers)).transpose()?;
            mimics.push(mimic.flatten());
        }
        Ok(mimics)
    }

    /// A mimic; `None`, with a note, if the joint is fixed or the followed one does not exist.
    fn mimic(
        &mut self,
        element: Element<'_>,
        own: &Joint,
        joints: &[Joint],
        numbers: &HashMap<&str, usize>,
    ) -> Result<Option<Mimic>> {
        self.check_attributes(element, &["joint", "multiplier", "offset"])?;
        let (leader, name) = (element.required("joint")?, &own.name);
        let (ratio, offset) = (element.number("multiplier")?, element.number("offset")?);
        if own.kind == JointKind::Fixed {
            self.notes.add(element.line(), format!("joint `{name}` is fixed: its `mimic` is not read"));
            return Ok(None);
        }
        let Some(&joint) = numbers.get(leader) else {
            let others = joints.iter().filter(|joint| joint.name != *name && joint.kind != JointKind::Fixed);
            let near = nearest(leader, others.map(|joint| &*joint.name));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let text =
                format!("joint `{name}` mimics `{leader}`, which does not exist: it has a value of its own{near}");
            self.notes.add(element.line(), text);
            return Ok(None);
        };
        let leads = &joints[joint];
        if let Some(wide) = [own, leads].into_iter().find(|joint| joint.kind.is_wide()) {
            let problem = format!("joint `{name}` mimics `{leader}`, and `{}` has several values", wide.name);
            return Err(element.fault(problem, "delete the `mimic`, or write joints of one value each"));
        }
        if leads.kind == JointKind::Fixed {
            let text = format!("joint `{name}` follows `{}`, which is fixed: it stays at its offset", leads.name);
            self.notes.add(element.line(), text);
        }
        Ok(Some(Mimic { joint, ratio: ratio.unwrap_or(1.0), offset: offset.unwrap_or(0.0) }))
    }
}

fn kind(element: Element<'_>, name: &str) -> Result<JointKind> {
    Ok(match element.required("type")? {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "planar" => JointKind::Planar,
        "floating" => JointKind::Floating,
        other => {
            let remedy = match nearest(other, KINDS.split(", ")) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("give one of: {KINDS}"),
            };
            return Err(element.fault(format!("joint `{name}` has the unknown type `{other}`"), remedy));
        }
    })
}

//! The pairs of links that touch by construction, and are not checked against each other.
//!
//! One rule for all descriptions. Links that fixed joints weld are one part. Not checked are the
//! links of one part, and those of two parts that one joint joins, where parts without geometry
//! between two joints count as part of the joint:
//!
//! | | welded links | parent and child | the parent is the world, or welded to it |
//! | --- | --- | --- | --- |
//! | MuJoCo (`filterparent`), and MJCF here | not checked | not checked | checked |
//! | Drake | not checked | not checked | checked |
//! | MoveIt (setup assistant), and URDF here | not checked | not checked, past links without geometry | not checked: a URDF has no world |
//!
//! In MJCF a body without geometry is a body: MuJoCo checks what it lies between. Links that the
//! reader puts between several joints of one body are none.

use crate::model::{JointKind, Robot};

/// Most pairs of neighbours. A robot has some tens.
const MOST_PAIRS: usize = 1 << 20;

/// Two links that are not checked against each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours {
    /// Indices in [`Robot::links`].
    pub links: [usize; 2],
    /// Why they are not checked.
    pub reason: &'static str,
}

impl Robot {
    /// Returns the pairs of links with geometry that are neighbours; `None`: there are more than
    /// 2^20.
    pub fn neighbours(&self) -> Option<Vec<Neighbours>> {
        let parts = Parts::new(self);
        let mut pairs = Vec::new();
        for (top, members) in parts.members.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
            // What stands in the world is not checked by default, and is if the scene asks for
            // static pairs.
            let welded_links = if parts.is_world(top) { &[][..] } else { members };
            let welded =
                welded_links.iter().enumerate().flat_map(|(k, &a)| welded_links[..k].iter().map(move |&b| [b, a]));
            let joint = parts.above[top].and_then(|joint| Some((joint, parts.parent_of(joint)?)));
            let beyond = joint.map_or(&[][..], |(_, parent)| &parts.members[parent]);
            if members.len() * (members.len() / 2 + beyond.len()) > MOST_PAIRS - pairs.len() {
                return None;
            }
            pairs.extend(welded.map(|links| Neighbours { links, reason: "welded by fixed joints" }));
            let across = members.iter().flat_map(|&a| beyond.iter().map(move |&b| [a.min(b), a.max(b)]));
            pairs.extend(across.map(|links| Neighbours { links, reason: "neighbours at a joint" }));
        }
        Some(pairs)
    }
}

/// Links that fixed joints weld. A part is named by its uppermost link.
struct Parts<'r> {
    robot: &'r Robot,
    /// By link: the part.
    part: Vec<usize>,
    /// By link: the joint whose child it is.
    above: Vec<Option<usize>>,
    /// By part: its links with geometry.
    members: Vec<Vec<usize>>,
}

impl<'r> Parts<'r> {
    fn new(robot: &'r Robot) -> Self {
        let count = robot.links.len();
        let mut above = vec![None; count];
        for (number, joint) in robot.joints.iter().enumerate() {
            above[joint.child] = Some(number);
        }
        let mut part = vec![usize::MAX; count];
        for link in 0..count {
            let (mut way, mut at) = (Vec::new(), link);
            while part[at] == usize::MAX {
                way.push(at);
                match above[at].map(|joint: usize| &robot.joints[joint]) {
                    Some(joint) if joint.kind == JointKind::Fixed => at = joint.parent,
                    _ => break,
                }
            }
            let top = if part[at] == usize::MAX { at } else { part[at] };
            way.into_iter().for_each(|link| part[link] = top);
        }
        let mut members = vec![Vec::new(); count];
        for (link, &part) in part.iter().enumerate().filter(|(link, _)| !robot.links[*link].collisions.is_empty()) {
            members[part].push(link);
        }
        Self { robot, part, above, members }
    }

    fn is_world(&self, part: usize) -> bool {
        self.robot.world.is_some_and(|world| self.part[world] == part)
    }

    /// The part on the other side of a joint, past parts that are none; `None`: the world, or
    /// nothing that has geometry.
    fn parent_of(&self, joint: usize) -> Option<usize> {
        let mut part = self.part[self.robot.joints[joint].parent];
        loop {
            if self.is_world(part) {
                return None;
            }
            let is_passed = self.robot.world.is_none() || self.robot.links[part].is_between_joints;
            if !self.members[part].is_empty() || !is_passed {
                return Some(part);
            }
            part = self.part[self.robot.joints[self.above[part]?].parent];
        }
    }
}

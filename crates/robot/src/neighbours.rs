//! The pairs of links that touch by construction, and are not checked against each other.
//!
//! Links that fixed joints weld are one part, whose links are not checked against each other. Nor
//! are the ends of a joint that moves:
//!
//! | | welded links | parent and child | links welded to them | the parent is the world, or welded to it |
//! | --- | --- | --- | --- | --- |
//! | MuJoCo (`filterparent`), and MJCF here | not checked | not checked | not checked | checked |
//! | Drake | not checked | not checked | checked | checked |
//! | MoveIt (setup assistant), and URDF here | not checked | not checked, past links without geometry | checked | not checked: a URDF has no world |
//!
//! The ends of a floating or planar joint are no neighbours: nothing holds them together.
//!
//! A foot that is welded to a shank is no neighbour of the thigh: where a knee bends far, they
//! meet. In MJCF a body without geometry is a body: MuJoCo checks what it lies between. Links that
//! the reader puts between several joints of one body are none.

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
        for (top, members) in parts.members.iter().enumerate() {
            // Bodies that stand in the world are checked only if the scene asks for static pairs.
            let members = if parts.is_world(top) { &[][..] } else { members };
            let welded = members.iter().enumerate().flat_map(|(k, &a)| members[..k].iter().map(move |&b| [b, a]));
            let across = match self.world {
                Some(_) => parts.across_welds(top),
                None => members.iter().filter_map(|&link| parts.across_joints(link)).collect(),
            };
            if members.len() * (members.len() / 2) + across.len() > MOST_PAIRS - pairs.len() {
                return None;
            }
            pairs.extend(welded.map(|links| Neighbours { links, reason: "welded by fixed joints" }));
            let across = across.into_iter().map(|[a, b]| [a.min(b), a.max(b)]);
            pairs.extend(across.map(|links| Neighbours { links, reason: "neighbours at a joint" }));
        }
        Some(pairs)
    }
}

impl Robot {
    /// Returns the pairs of links with geometry that a joint joins, fixed or not, past links
    /// without geometry: those that MoveIt's setup assistant calls adjacent. Each is `[a, b]` with
    /// `a < b`.
    pub fn joined(&self) -> Vec<[usize; 2]> {
        let parts = Parts::new(self);
        let with_geometry = (0..self.links.len()).filter(|&link| !self.links[link].collisions.is_empty());
        let mut pairs: Vec<[usize; 2]> = with_geometry
            .filter_map(|link| Some((link, parts.above(link)?.0)))
            .map(|(a, b)| [a.min(b), a.max(b)])
            .collect();
        pairs.sort_unstable();
        pairs
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

    /// All links of a part beside all of the part that a joint joins it to, unless that is the
    /// world.
    fn across_welds(&self, top: usize) -> Vec<[usize; 2]> {
        let (members, above) = (&self.members[top], self.above[top].and_then(|joint| self.parent_of(joint)));
        let beyond = above.map_or(&[][..], |parent| &self.members[parent]);
        // Not more than are listed at most: they are counted by who asks.
        let pairs = members.iter().flat_map(|&a| beyond.iter().map(move |&b| [a, b]));
        pairs.take(MOST_PAIRS + 1).collect()
    }

    /// A link beside the next one above it that has geometry, if a joint that moves lies between.
    fn across_joints(&self, link: usize) -> Option<[usize; 2]> {
        self.above(link).filter(|&(_, moves)| moves).map(|(above, _)| [link, above])
    }

    /// The next link above a link that has geometry, and whether a joint that moves lies between;
    /// `None` beyond a joint of several values.
    fn above(&self, link: usize) -> Option<(usize, bool)> {
        let (mut at, mut moves) = (link, false);
        loop {
            let joint = &self.robot.joints[self.above[at]?];
            if joint.kind.is_wide() {
                return None;
            }
            moves |= joint.kind != JointKind::Fixed;
            at = joint.parent;
            if !self.robot.links[at].collisions.is_empty() {
                return Some((at, moves));
            }
        }
    }

    /// The part on the other side of a joint, past those between several joints of one body;
    /// `None`: the world.
    fn parent_of(&self, joint: usize) -> Option<usize> {
        let mut part = self.part[self.robot.joints[joint].parent];
        loop {
            if self.is_world(part) {
                return None;
            }
            if !self.members[part].is_empty() || !self.robot.links[part].is_between_joints {
                return Some(part);
            }
            part = self.part[self.robot.joints[self.above[part]?].parent];
        }
    }
}

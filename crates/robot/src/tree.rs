//! Checks that joints form one tree, and that no joint follows itself.

use crate::model::{Joint, JointKind, Link, Place};
use crate::notes::Notes;
use crate::rotation::{about, compose};
use clearsweep_base::{Error, Result};

/// Checks that each link has at most one parent and that all hang from one root.
pub(crate) fn check(links: &[Link], joints: &[Joint]) -> Result<()> {
    let mut above: Vec<Option<usize>> = vec![None; links.len()];
    for (number, joint) in joints.iter().enumerate() {
        if let Some(first) = above[joint.child].replace(number) {
            let (child, first) = (&links[joint.child].name, &joints[first]);
            let problem = format!("link `{child}` has two parents: joints `{}` and `{}`", first.name, joint.name);
            let remedy = "a robot is a tree: delete one of the joints; a closed mechanism is cut at one joint";
            return Err(Error::input(&joint.line, problem, remedy));
        }
    }
    if let Some(joint) = in_circle(links.len(), |link| above[link].map(|joint| joints[joint].parent)) {
        let joint = &joints[above[joint].unwrap_or_default()];
        let problem = format!("joint `{}` closes a loop: its child is above its parent", joint.name);
        return Err(Error::input(&joint.line, problem, "a robot is a tree: cut the loop at one joint"));
    }
    let mut roots = links.iter().zip(&above).filter(|(_, above)| above.is_none()).map(|(link, _)| link);
    if let (Some(first), Some(second)) = (roots.next(), roots.next()) {
        let count = 2 + roots.count();
        let problem = format!("{count} links have no parent, among them `{}` and `{}`", first.name, second.name);
        let remedy = "connect them by joints of the type `fixed`, or write a file for each robot";
        return Err(Error::input(&second.line, problem, remedy));
    }
    Ok(())
}

/// Checks that following mimics never leads in a circle.
pub(crate) fn check_mimics(joints: &[Joint]) -> Result<()> {
    let Some(number) = in_circle(joints.len(), |joint| joints[joint].mimic.map(|mimic| mimic.joint)) else {
        return Ok(());
    };
    let joint = &joints[number];
    let leads = joint.mimic.map_or("", |mimic| &joints[mimic.joint].name);
    let problem = match leads == joint.name {
        true => format!("joint `{leads}` mimics itself"),
        false => format!("joint `{}` mimics `{leads}`, which follows it in a circle", joint.name),
    };
    Err(Error::input(&joint.line, problem, "delete the `mimic` of the joint that leads"))
}

/// Fixes joints that follow a fixed one, whose value is 0, where that leaves them. Mimics never
/// lead in a circle. `main`: path of the main file.
pub(crate) fn fix_followers(joints: &mut [Joint], main: &str, notes: &mut Notes) {
    for (number, value) in constant_values(joints).into_iter().enumerate() {
        let Some(value) = value.filter(|_| joints[number].kind != JointKind::Fixed) else { continue };
        let leader = joints[number].mimic.map_or("", |mimic| &joints[mimic.joint].name);
        let (joint, unit) = (&joints[number], if joints[number].kind == JointKind::Prismatic { "m" } else { "rad" });
        let text =
            format!("joint `{}` follows `{leader}`, which does not move: it stays at {value} {unit}", joint.name);
        notes.add_at(&joint.line, main, &text);
        let moved = match joint.kind {
            JointKind::Prismatic => Place { position: joint.axis.map(|x| value * x), ..Place::IDENTITY },
            _ => Place { orientation: about(joint.axis, value), ..Place::IDENTITY },
        };
        let place = compose(&joint.place, &moved);
        let (kind, axis) = (JointKind::Fixed, [1.0, 0.0, 0.0]);
        joints[number] = Joint { kind, place, axis, range: None, mimic: None, ..joints[number].clone() };
    }
}

/// The value of each joint that never moves. Linear time.
fn constant_values(joints: &[Joint]) -> Vec<Option<f64>> {
    let mut values: Vec<Option<Option<f64>>> = vec![None; joints.len()];
    for start in 0..joints.len() {
        let (mut way, mut at) = (Vec::new(), start);
        while values[at].is_none() {
            way.push(at);
            match joints[at].mimic {
                Some(mimic) if joints[at].kind != JointKind::Fixed => at = mimic.joint,
                _ => break,
            }
        }
        for at in way.into_iter().rev() {
            let of_leader = |joint: usize| values[joint].flatten();
            values[at] = Some(match (joints[at].kind, joints[at].mimic) {
                (JointKind::Fixed, _) => Some(0.0),
                (_, mimic) => mimic.and_then(|mimic| Some(mimic.ratio * of_leader(mimic.joint)? + mimic.offset)),
            });
        }
    }
    values.into_iter().map(Option::flatten).collect()
}

/// The least element of a circle of `next`, if there is one. Linear time.
fn in_circle(count: usize, next: impl Fn(usize) -> Option<usize>) -> Option<usize> {
    let mut walk_of = vec![usize::MAX; count];
    for start in 0..count {
        let mut at = start;
        while walk_of[at] == usize::MAX {
            walk_of[at] = start;
            match next(at) {
                Some(following) => at = following,
                None => break,
            }
        }
        // The walk met itself, and did not end or meet an earlier one.
        if walk_of[at] == start && next(at).is_some() {
            let mut least = at;
            let mut other = next(at).filter(|&other| other != at);
            while let Some(element) = other {
                least = least.min(element);
                other = next(element).filter(|&other| other != at);
            }
            return Some(least);
        }
    }
    None
}

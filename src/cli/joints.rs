//! Lines of `check` about joints.

use super::text::{count, visible};
use clearsweep_kinematics::{Joint, JointKind, JointValue};
use clearsweep_model::Scene;

/// Joints that are listed.
const LISTED: usize = 20;

/// A line for each joint that moves, in the order of the scene's tree; none without joints.
pub(super) fn lines(scene: &Scene) -> Vec<String> {
    let Some(joints) = &scene.joints else { return Vec::new() };
    let moving: Vec<&Joint> = joints.tree.joints().iter().filter(|joint| joint.value != JointValue::None).collect();
    let own: Vec<&Joint> = joints.tree.columns().collect();
    let mut lines: Vec<String> = moving.iter().take(LISTED).map(|joint| line(joint, &own)).collect();
    if moving.len() > LISTED {
        lines.push(format!("and {} more joints", count((moving.len() - LISTED) as u64)));
    }
    lines
}

/// `own`: the joint that each column is of.
fn line(joint: &Joint, own: &[&Joint]) -> String {
    let value = |value: f64| match joint.kind.turns() {
        true => format!("{} deg", round(value.to_degrees())),
        false => format!("{} m", round(value)),
    };
    let kind = match joint.kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute => "turns",
        JointKind::Prismatic => "slides",
        JointKind::Screw { .. } => "screws",
    };
    let range = joint.range.map_or(String::new(), |[least, most]| format!(", {} to {}", value(least), value(most)));
    let follows = match joint.value {
        JointValue::Column { column, ratio, offset } if own[column as usize].name != joint.name => {
            let other = &own[column as usize].name;
            format!(", {} times {} and {}", round(ratio), visible(other), value(offset))
        }
        _ => String::new(),
    };
    format!("{}: {kind}{range}{follows}", visible(&joint.name))
}

/// A number for people.
fn round(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}

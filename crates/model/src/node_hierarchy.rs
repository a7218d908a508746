//! Nodes that carry others: a moved node of a file takes along what is below it.

use clearsweep_geometry::Pose;

/// Nodes that trajectories may move beside bodies, and which inputs carry which.
///
/// An *input* may have rows in a trajectory: the dynamic bodies, by their slots, and after them the
/// `frames`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeHierarchy {
    /// Names of nodes that trajectories may move and that are no bodies.
    pub frames: Vec<String>,
    /// The inputs that are carried where they have no row, each after what carries it.
    pub links: Vec<NodeLink>,
    /// Poses in the file of the inputs that are its nodes, in file order: carriers come before what
    /// they carry.
    pub rest: Vec<RestPose>,
    /// Names of nodes that are no bodies and stand still.
    pub still: Vec<String>,
    /// How far the origin of a carried body may lie from that of a node with a row, metres.
    pub reach: f64,
    /// The orientation that those of rows count from.
    pub rest_orientation: RestOrientation,
}

/// Orientation that the orientations in trajectories count from: `[scene] rest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestOrientation {
    /// No turn: the orientation of a row is that of the node's frame in the world.
    #[default]
    Identity,
    /// The node's own in its file: the orientation of a row turns the node from there.
    File,
}

impl RestOrientation {
    /// The word of the scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::File => "file",
        }
    }
}

/// Pose of an input in its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestPose {
    /// The input.
    pub input: u32,
    /// Input that carries it when it has no row.
    pub carrier: Option<u32>,
    /// The pose of its own frame in the world, metres.
    pub pose: Pose,
}

/// One input carried by another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeLink {
    /// The input that is carried.
    pub input: u32,
    /// The input that carries it.
    pub carrier: u32,
    /// Its pose in the frame of what carries it, as the file has it.
    pub carrier_from_input: Pose,
}

/// A node of a file that trajectories may move.
#[derive(Debug, Clone)]
pub struct MovingNode {
    /// Its name in the trajectories.
    pub name: String,
    /// Its body (an index into those of the scene), if it is one.
    pub body: Option<u32>,
    /// Index of its carrier in the same list, before its own.
    pub carrier: Option<usize>,
    /// Its pose in the file, metres.
    pub place: Pose,
}

impl NodeHierarchy {
    /// Builds the hierarchy from the nodes that may move and those that stand still. `slot_of`: the
    /// slot of a dynamic body, of which there are `slots`.
    pub fn new(nodes: Vec<MovingNode>, still: Vec<String>, slots: usize, slot_of: impl Fn(u32) -> Option<u32>) -> Self {
        let mut hierarchy = Self { still, ..Self::default() };
        // For each node: its input, its place, and a bound on its distance from a node with a row.
        let mut inputs: Vec<(u32, Pose, f64)> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let input = node.body.and_then(&slot_of).unwrap_or_else(|| {
                hierarchy.frames.push(node.name);
                (slots + hierarchy.frames.len()) as u32 - 1
            });
            let (mut reach, mut carried_by) = (0.0, None);
            if let Some(&(carrier, above, above_reach)) = node.carrier.and_then(|carrier| inputs.get(carrier)) {
                let carrier_from_input = above.inverse().after(&node.place);
                reach = above_reach + carrier_from_input.position.length();
                hierarchy.links.push(NodeLink { input, carrier, carrier_from_input });
                carried_by = Some(carrier);
            }
            hierarchy.rest.push(RestPose { input, carrier: carried_by, pose: node.place });
            hierarchy.reach = hierarchy.reach.max(reach);
            inputs.push((input, node.place, reach));
        }
        hierarchy
    }

    /// Returns the quaternion w, x, y, z of each input that the orientations of its rows count
    /// from. `None`: they count from no turn.
    pub fn row_turns(&self, inputs: usize) -> Option<Vec<[f64; 4]>> {
        if self.rest_orientation == RestOrientation::Identity {
            return None;
        }
        let mut turns = vec![Pose::IDENTITY.q; inputs];
        self.rest.iter().for_each(|rest| turns[rest.input as usize] = rest.pose.q);
        Some(turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_and_reach_adds_up() {
        let half = 0.5_f64.sqrt();
        let node = |name: &str, body, carrier, x: f64, q| MovingNode {
            name: name.to_owned(),
            body,
            carrier,
            place: Pose::new([x, 0.0, 0.0], q),
        };
        let nodes = vec![
            node("crane", None, None, 1.0, [half, 0.0, 0.0, half]),
            node("crane/arm", Some(7), Some(0), 3.0, [half, 0.0, 0.0, half]),
            node("crane/arm/hook", Some(8), Some(1), 4.0, Pose::IDENTITY.q),
        ];
        let hierarchy = NodeHierarchy::new(nodes, vec![], 5, |body| body.checked_sub(4));
        assert_eq!(hierarchy.frames, ["crane"]);
        let facts: Vec<_> = hierarchy.links.iter().map(|link| (link.input, link.carrier)).collect();
        assert_eq!(facts, [(3, 5), (4, 3)]);
        let rest: Vec<_> = hierarchy.rest.iter().map(|rest| (rest.input, rest.carrier, rest.pose.position.x)).collect();
        assert_eq!(rest, [(5, None, 1.0), (3, Some(5), 3.0), (4, Some(3), 4.0)]);
        let arm = hierarchy.links[0].carrier_from_input;
        // The crane is turned by a right angle about z: its arm lies along its own -y.
        assert!((arm.apply([0.0; 3].into()) - [0.0, -2.0, 0.0].into()).length() < 1e-15, "{arm:?}");
        assert!((hierarchy.reach - 3.0).abs() < 1e-15);
    }
}

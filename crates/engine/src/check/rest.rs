//! Places of moving nodes in the files, and first poses that tip them over.

use super::super::warning::Warning;
use clearsweep_geometry::Pose;
use clearsweep_model::{LengthUnit, RestOrientation, RestPose, Scene};
use std::collections::BTreeSet;

/// The columns of [`rest_row`].
pub const REST_COLUMNS: &str = "body,x,y,z,qw,qx,qy,qz";

/// How far from 90 or 180 degrees the tilt of a body that was tipped over may be, degrees.
const ABOUT: f64 = 5.0;

/// Nodes that a warning names.
const NAMED: usize = 3;

/// The name of what a trajectory may have rows of.
pub fn input_name(scene: &Scene, input: u32) -> &str {
    let slots = scene.dynamic.len();
    match scene.dynamic.get(input as usize) {
        Some(&body) => &scene.bodies[body as usize].name,
        None => &scene.hierarchy.frames[input as usize - slots],
    }
}

/// A pose of a file as a row of trajectories in CSV, in the scene's unit, with the orientation that
/// stands for it there.
pub fn rest_row(scene: &Scene, rest: &RestPose) -> String {
    let LengthUnit { numerator, denominator, .. } = scene.unit;
    // The file may say -0.
    let position = rest.pose.position.to_array().map(|c| c * denominator / numerator + 0.0);
    let q = match scene.hierarchy.rest_orientation {
        RestOrientation::Identity => rest.pose.q,
        RestOrientation::File => Pose::IDENTITY.q,
    };
    let numbers = position.into_iter().chain(q.map(|c| c + 0.0)).map(|number| number.to_string());
    let name = input_name(scene, rest.input);
    let name = match name.contains([',', '"', '\n', '\r']) || name.trim() != name {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    };
    std::iter::once(name).chain(numbers).collect::<Vec<_>>().join(",")
}

/// How far a pose tilts what stands upright in another one, degrees. Turns about the vertical do
/// not count: vehicles begin in any direction.
fn tilt(pose: &Pose, rest: &Pose) -> f64 {
    let [aw, ax, ay, az] = pose.q;
    let [bw, bx, by, bz] = rest.q;
    // x and y of q(pose) * conj(q(rest)); the tilt follows from them alone.
    let x = -aw * bx + ax * bw - ay * bz + az * by;
    let y = -aw * by + ax * bz + ay * bw - az * bx;
    let squared = |q: [f64; 4]| q.iter().map(|c| c * c).sum::<f64>();
    let share = (x * x + y * y) / (squared(pose.q) * squared(rest.q));
    (1.0 - 2.0 * share).clamp(-1.0, 1.0).acos().to_degrees()
}

/// Bodies whose first poses tip them over.
pub(super) struct TippedBodies {
    /// The bodies, ascending.
    pub(super) bodies: Vec<u32>,
    /// The nodes that carry them, themselves included, as far up as all that is carried is tipped:
    /// places among the rest poses.
    nodes: BTreeSet<usize>,
    /// Whether the first of them is turned upside down.
    is_over: bool,
}

impl TippedBodies {
    /// Finds them; `first`: the first pose of a slot, if there is any.
    pub(super) fn new(scene: &Scene, first: impl Fn(u32) -> Option<Pose>) -> Self {
        let (rest, slots) = (&scene.hierarchy.rest, scene.dynamic.len());
        let inputs = slots + scene.hierarchy.frames.len();
        let mut place = vec![0; inputs];
        // Numbers of bodies for each input and all that it carries: with a pose, and tipped.
        let mut below = vec![(0_u64, 0_u64); inputs];
        let (mut bodies, mut is_over) = (Vec::new(), false);
        for (index, node) in rest.iter().enumerate().rev() {
            let input = node.input as usize;
            place[input] = index;
            if let Some(pose) = first(node.input).filter(|_| input < slots) {
                let tilt = tilt(&pose, &node.pose);
                let is_tipped = [90.0, 180.0].iter().any(|right| (tilt - right).abs() <= ABOUT);
                below[input].0 += 1;
                if is_tipped {
                    below[input].1 += 1;
                    is_over = tilt > 135.0;
                    bodies.push(scene.dynamic[input]);
                }
            }
            if let Some(carrier) = node.carrier {
                let (posed, tipped) = below[input];
                below[carrier as usize].0 += posed;
                below[carrier as usize].1 += tipped;
            }
        }
        bodies.sort_unstable();
        let is_whole = |input: u32| below[input as usize].0 == below[input as usize].1 && below[input as usize].1 > 0;
        let mut nodes = BTreeSet::new();
        for node in rest.iter().filter(|node| node.input < slots as u32) {
            let body = scene.dynamic[node.input as usize];
            if bodies.binary_search(&body).is_ok() {
                let above = |&input: &u32| rest[place[input as usize]].carrier.filter(|&carrier| is_whole(carrier));
                let top = std::iter::successors(Some(node.input), above).last().unwrap_or(node.input);
                nodes.insert(place[top as usize]);
            }
        }
        Self { bodies, nodes, is_over }
    }

    /// The warning that names the nodes.
    pub(super) fn warning(&self, scene: &Scene) -> Option<Warning> {
        let first = scene.hierarchy.rest.get(*self.nodes.first()?)?;
        let named = self.nodes.iter().take(NAMED).map(|&node| input_name(scene, scene.hierarchy.rest[node].input));
        let named: Vec<String> = named.map(|name| format!("`{name}`")).collect();
        let more = match self.nodes.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let angle = if self.is_over { 180 } else { 90 };
        let problem = format!(
            "the first pose of {}{more} tips the body over: by about {angle} degrees against its place in the file",
            named.join(", ")
        );
        let row = rest_row(scene, first);
        let remedy = match scene.hierarchy.rest_orientation {
            RestOrientation::Identity => format!(
                "a pose is that of the node's frame, which the file has turned: at its place in the file the row is \
                 {REST_COLUMNS} = {row}. `clearsweep check` lists the others. If orientations count from the place in the \
                 file, write `rest = \"file\"` in [scene]"
            ),
            RestOrientation::File => format!(
                "with `rest = \"file\"` in [scene], orientations count from the place in the file, where the row is \
                 {REST_COLUMNS} = {row}. If they are those of the node's frame in the world, remove `rest`"
            ),
        };
        Some(Warning::new("tipped", self.bodies.clone(), problem, remedy))
    }
}

#[cfg(test)]
mod tests {
    use super::tilt;
    use clearsweep_geometry::{Pose, Vec3};

    #[test]
    fn the_tilt_is_the_angle_between_the_verticals() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for _ in 0..1000 {
            let [a, b] = [(); 2].map(|()| Pose::new([0.0; 3], [random(), random(), random(), random()]));
            let unit = |pose: &Pose| {
                let norm = pose.q.iter().map(|c| c * c).sum::<f64>().sqrt();
                Pose::new([0.0; 3], pose.q.map(|c| c / norm))
            };
            // Image of the world's vertical when the body is moved from `b` to `a`.
            let turned = unit(&a).after(&unit(&b).inverse()).apply([0.0, 0.0, 1.0].into());
            let expected = turned.dot(Vec3::from([0.0, 0.0, 1.0])).clamp(-1.0, 1.0).acos().to_degrees();
            assert!((tilt(&a, &b) - expected).abs() < 1e-5, "{a:?} {b:?}: {} {expected}", tilt(&a, &b));
        }
    }
}

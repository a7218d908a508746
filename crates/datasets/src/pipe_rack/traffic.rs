//! Motion on the ground: a pump on its skid, a truck with a semi-trailer, a fork lift. Metres and
//! seconds.
//!
//! Vehicles are steered as drivers do: the curvature of the way grows and falls linearly. The
//! trailer is dragged: with `theta` the heading of the tractor, `phi` that of the trailer and `d`
//! from the king pin to its axle, `d phi / d s = sin(theta - phi) / d`, so that it cuts corners.

use crate::models::{Loft, SolidModel};
use crate::random::Random;
use crate::space::{Ease, Point3, Quaternion, about, runge_kutta, scale};
use std::f64::consts::PI;

/// Longest step along a way, metres.
const STEP: f64 = 0.02;
const UP: Point3 = [0.0, 0.0, 1.0];

/// A bend: where it begins, length over which the wheel is turned, and again turned back, length
/// between, curvature (1/m, left is positive).
#[derive(Debug, Clone, Copy)]
struct Bend {
    start: f64,
    ramp: f64,
    hold: f64,
    curvature: f64,
}

impl Bend {
    fn at(&self, s: f64) -> f64 {
        let into = s - self.start;
        let out = 2.0 * self.ramp + self.hold - into;
        self.curvature * (into.min(out) / self.ramp).clamp(0.0, 1.0)
    }
}

/// Places of a vehicle's parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct VehiclePose {
    /// On the ground, under the rear axle of the tractor.
    pub(super) position: Point3,
    pub(super) tractor: Quaternion,
    pub(super) trailer: Quaternion,
}

/// A vehicle on its way.
pub(super) struct Vehicle {
    bends: Vec<Bend>,
    /// The length of way over time.
    progress: Ease,
    /// From the king pin to the trailer's axle.
    drag: f64,
    s: f64,
    /// x, y, heading, heading of the trailer.
    state: [f64; 4],
}

impl Vehicle {
    /// From the west along the crane, then round it to the north.
    pub(super) fn truck(random: &mut Random) -> Self {
        let (ramp, radius) = (4.0, 10.0);
        let bend = Bend { start: 36.0, ramp, hold: PI / 2.0 * radius - ramp, curvature: 1.0 / radius };
        let start = random.between(1.0, 4.0);
        let progress = Ease { time: [start, start + 94.0], value: [0.0, 74.0] };
        Self { bends: vec![bend], progress, drag: 7.6, s: 0.0, state: [-18.0, -16.0, 0.0, 0.0] }
    }

    /// Along the north side of the rack, swerving towards its barrier for a while.
    pub(super) fn fork_lift(random: &mut Random) -> Self {
        let bend = |start, curvature| Bend { start, ramp: 1.4, hold: 0.6, curvature };
        let bends = vec![bend(6.0, -0.16), bend(11.0, 0.16), bend(20.0, 0.16), bend(25.0, -0.16)];
        let start = random.between(2.0, 10.0);
        let progress = Ease { time: [start, start + 85.0], value: [0.0, 32.0] };
        Self { bends, progress, drag: 1.0, s: 0.0, state: [-9.0, 9.72, 0.0, 0.0] }
    }

    /// Goes on to a time, which must not lie before the last one.
    pub(super) fn advance(&mut self, t: f64) -> VehiclePose {
        let s = self.progress.at(t)[0];
        let steps = ((s - self.s) / STEP).ceil().max(0.0);
        let (start, step) = (self.s, (s - self.s) / steps.max(1.0));
        for k in 0..steps as u32 {
            let at = start + f64::from(k) * step;
            self.state = runge_kutta(self.state, at, step, |s, [_, _, theta, phi]| {
                let curvature = self.bends.iter().map(|bend| bend.at(s)).sum();
                [libm::cos(*theta), libm::sin(*theta), curvature, libm::sin(theta - phi) / self.drag]
            });
        }
        self.s = s;
        let [x, y, theta, phi] = self.state;
        VehiclePose { position: [x, y, 0.0], tractor: about(UP, theta), trailer: about(UP, phi) }
    }
}

/// The pump on its skid while it is winched out of its bay.
pub(super) struct Skid {
    x: f64,
    /// Y.
    pull: Ease,
    /// Phases of its wobble.
    phases: [f64; 2],
}

impl Skid {
    /// Standing at `[x, y]`.
    pub(super) fn new(random: &mut Random, [x, y]: [f64; 2]) -> Self {
        let phases = [(); 2].map(|()| random.between(0.0, 2.0 * PI));
        Self { x, pull: Ease { time: [12.0, 72.0], value: [y, y - 7.0] }, phases }
    }

    /// Position and orientation: it drifts by millimetres and turns by tenths of a degree while it
    /// moves.
    pub(super) fn at(&self, t: f64) -> (Point3, Quaternion) {
        let [y, ..] = self.pull.at(t);
        let way = self.pull.value[0] - y;
        let free = (way / 0.5).clamp(0.0, 1.0);
        let wave = |k: usize, length: f64| libm::sin(2.0 * PI * way / length + self.phases[k]) * free;
        ([self.x + 0.004 * wave(0, 2.3), y, 0.0], about(UP, 0.003 * wave(1, 3.1)))
    }
}

fn cuboid(x: [f64; 2], y: [f64; 2], z: [f64; 2]) -> Loft {
    let middle = [x, y, z].map(|[low, high]| 500.0 * (low + high));
    Loft::cuboid(middle, [x, y, z].map(|[low, high]| 1000.0 * (high - low)))
}

/// A wheel at x, from y to y, of a radius; it stands on the ground.
fn wheel(x: f64, y: [f64; 2], radius: f64) -> Loft {
    let [from, to] = y.map(|y| scale([x, y, radius], 1e3));
    Loft::cylinder(from, to, radius * 1e3, 20)
}

fn wheels(mut model: SolidModel, axles: &[f64], [inner, outer]: [f64; 2], radius: f64) -> SolidModel {
    for (number, &x) in (1..).zip(axles) {
        model.add(format!("wheel-left-{number}"), wheel(x, [inner, outer], radius));
        model.add(format!("wheel-right-{number}"), wheel(x, [-outer, -inner], radius));
    }
    model
}

/// The tractor, mm: the origin on the ground under its rear axle, forward along x.
pub(super) fn tractor() -> SolidModel {
    let model = SolidModel::default()
        .with("frame", cuboid([-1.0, 4.9], [-0.5, 0.5], [0.6, 1.0]))
        .with("cab", cuboid([3.1, 5.0], [-1.25, 1.25], [0.7, 3.4]))
        .with("fifth-wheel", Loft::cylinder([0.0, 0.0, 1000.0], [0.0, 0.0, 1150.0], 500.0, 16))
        .with("tank", cuboid([1.2, 2.6], [-1.2, -0.6], [0.5, 1.0]));
    wheels(model, &[0.0, 4.2], [0.85, 1.22], 0.5)
}

/// The semi-trailer with a stack of pipes, mm: the origin on the ground under the king pin, forward
/// along x.
pub(super) fn trailer() -> SolidModel {
    let mut model = SolidModel::default()
        .with("deck", cuboid([-10.2, 1.1], [-1.25, 1.25], [1.2, 1.45]))
        .with("headboard", cuboid([1.0, 1.1], [-1.25, 1.25], [1.45, 2.6]))
        .with("legs", cuboid([-2.2, -2.0], [-0.9, 0.9], [0.3, 1.2]));
    for (row, count) in [(0_u32, 5_u32), (1, 4)] {
        for k in 0..count {
            let y = (f64::from(k) - f64::from(count - 1) / 2.0) * 460.0;
            let z = 1450.0 + 226.0 + 400.0 * f64::from(row);
            model.add(format!("pipe-{row}-{k}"), Loft::cylinder([-9600.0, y, z], [700.0, y, z], 225.0, 16));
        }
    }
    wheels(model, &[-6.9, -8.2], [0.85, 1.22], 0.5)
}

/// The fork lift without what it lifts, mm: the origin on the ground under its front axle, forward
/// along x.
pub(super) fn fork_lift() -> SolidModel {
    let mut model = SolidModel::default()
        .with("chassis", cuboid([-1.9, 0.2], [-0.55, 0.55], [0.2, 0.8]))
        .with("counterweight", cuboid([-2.2, -1.5], [-0.55, 0.55], [0.3, 1.1]))
        .with("seat", cuboid([-1.4, -0.9], [-0.25, 0.25], [0.8, 1.3]))
        .with("roof", cuboid([-1.5, 0.1], [-0.5, 0.5], [2.1, 2.16]))
        .with("mast-left", cuboid([0.25, 0.4], [0.3, 0.42], [0.1, 2.2]))
        .with("mast-right", cuboid([0.25, 0.4], [-0.42, -0.3], [0.1, 2.2]));
    for (name, x) in [("rear", -1.48), ("front", 0.06)] {
        model.add(format!("post-left-{name}"), cuboid([x - 0.03, x + 0.03], [0.44, 0.5], [0.8, 2.1]));
        model.add(format!("post-right-{name}"), cuboid([x - 0.03, x + 0.03], [-0.5, -0.44], [0.8, 2.1]));
    }
    wheels(model, &[0.0, -1.6], [0.36, 0.58], 0.3)
}

/// Carriage, forks and a crate on a pallet, mm: in the frame of the fork lift, the forks at z = 0.
pub(super) fn carriage() -> SolidModel {
    SolidModel::default()
        .with("carriage", cuboid([0.4, 0.48], [-0.5, 0.5], [0.0, 0.5]))
        .with("fork-left", cuboid([0.48, 1.6], [0.2, 0.32], [0.0, 0.04]))
        .with("fork-right", cuboid([0.48, 1.6], [-0.32, -0.2], [0.0, 0.04]))
        .with("pallet", cuboid([0.5, 1.7], [-0.6, 0.6], [0.04, 0.184]))
        .with("crate", cuboid([0.55, 1.65], [-0.55, 0.55], [0.184, 1.1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::rotate;

    #[test]
    fn the_truck_turns_to_the_north_and_the_trailer_follows() {
        let mut truck = Vehicle::truck(&mut Random::new(1, 0));
        let mut cut = 0.0_f64;
        let mut track: Vec<Point3> = Vec::new();
        for frame in 0..=1000 {
            let pose = truck.advance(f64::from(frame) * 0.1);
            let axle = rotate(pose.trailer, [-truck.drag, 0.0, 0.0]);
            let axle = [pose.position[0] + axle[0], pose.position[1] + axle[1], 0.0];
            track.push(pose.position);
            if axle[0] > track[0][0] {
                let off = track.iter().map(|p| ((p[0] - axle[0]).powi(2) + (p[1] - axle[1]).powi(2)).sqrt());
                cut = cut.max(off.fold(f64::INFINITY, f64::min));
            }
        }
        let pose = truck.advance(100.0);
        let ahead = rotate(pose.tractor, [1.0, 0.0, 0.0]);
        assert!(ahead[1] > 1.0 - 1e-9, "{ahead:?}");
        let behind = rotate(pose.trailer, [1.0, 0.0, 0.0]);
        assert!(behind[1] > 0.99, "the trailer is nearly straight again: {behind:?}");
        assert!((1.0..4.0).contains(&cut), "the trailer cuts the corner by metres: {cut}");
    }

    #[test]
    fn the_fork_lift_ends_on_the_line_it_began() {
        let mut lift = Vehicle::fork_lift(&mut Random::new(1, 0));
        let mut nearest = f64::INFINITY;
        for frame in 0..=1000 {
            nearest = nearest.min(lift.advance(f64::from(frame) * 0.1).position[1]);
        }
        let end = lift.advance(100.0).position;
        assert!((end[1] - 9.72).abs() < 1e-3 && (7.7..8.2).contains(&nearest), "{end:?} {nearest}");
    }

    #[test]
    fn the_skid_stays_in_its_lane() {
        let skid = Skid::new(&mut Random::new(1, 0), [9.0, 2.2]);
        assert_eq!(skid.at(0.0), ([9.0, 2.2, 0.0], [1.0, 0.0, 0.0, 0.0]));
        for frame in 0..1000 {
            let (position, _) = skid.at(f64::from(frame) * 0.1);
            assert!((position[0] - 9.0).abs() <= 0.004 && (-4.8..=2.2).contains(&position[1]));
        }
    }
}

//! Poses and bounds against double-double kinematics by matrices and against differences of them.

use super::*;
use crate::joint::{Joint, JointKind, JointValue};
use crate::tree::{CarriedBody, JointTree};
use clearsweep_geometry::{Dd, Real, Scalar};

struct Random(u64);

impl Random {
    /// From -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, size: f64) -> Vec3<f64> {
        Vec3::new(size * self.next(), size * self.next(), size * self.next())
    }

    fn axis(&mut self, round: usize) -> Vec3<f64> {
        match round % 3 {
            0 => [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, -1.0)][round / 3 % 3],
            _ => self.vector(1.0).normalized(),
        }
    }

    fn turn(&mut self) -> [f64; 4] {
        let q = [self.next(), self.next(), self.next(), self.next()];
        let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        q.map(|c| c / norm)
    }
}

/// A branching tree of `joints` joints, two bodies at the ends of its two ways. `far`: metres from
/// the origin.
fn tree(random: &mut Random, joints: usize, far: f64) -> JointTree {
    let mut all: Vec<Joint> = Vec::new();
    let split = (random.0 >> 20) as usize % joints;
    for k in 0..joints {
        let kind = match (random.0 >> 33) % 6 {
            0 => JointKind::Prismatic,
            1 => JointKind::Screw { lead: 0.2 * random.next() },
            2 if k > 0 => JointKind::Fixed,
            _ => JointKind::Revolute,
        };
        // The second way begins at an earlier joint, or in the world.
        let parent = match k {
            0 | 1 if k == 0 || k == split => None,
            _ if k == split => Some(k as u32 / 2 - 1),
            _ => Some(k as u32 - 1),
        };
        let base = if parent.is_none() { far } else { 0.0 };
        let place = Pose {
            position: random.vector(0.6) + Vec3::new(base, -base, base),
            q: if k % 2 == 0 { random.turn() } else { Pose::IDENTITY.q },
            ..Pose::IDENTITY
        };
        let value = match kind {
            JointKind::Fixed => JointValue::None,
            _ => JointValue::Column { column: k as u32, ratio: 1.0, offset: 0.0 },
        };
        let axis = random.axis(k + split);
        all.push(Joint { name: k.to_string(), kind, parent, place, axis, range: None, value, wraps: false });
    }
    let carried = |random: &mut Random, joint: usize| CarriedBody {
        joint: joint as u32,
        place: Pose { position: random.vector(0.3), q: random.turn(), ..Pose::IDENTITY },
        reach: 0.4,
    };
    let first = if split > 0 { split - 1 } else { 0 };
    let bodies = vec![carried(random, first), carried(random, joints - 1)];
    JointTree::new(all, (0..joints as u32).collect(), bodies)
}

type Matrix = [[Dd; 4]; 4];

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).fold(Dd::ZERO, |sum, k| sum + a[i][k] * b[k][j])))
}

fn matrix(pose: &Pose) -> Matrix {
    let rows = rotation::<Dd>(pose.q.map(Dd::from_f64));
    std::array::from_fn(|i| {
        if i == 3 {
            return [Dd::ZERO, Dd::ZERO, Dd::ZERO, Dd::ONE];
        }
        let row = rows[i];
        [row.x, row.y, row.z, Dd::from_f64(pose.position[i]) + Dd::from_f64(pose.rest[i])]
    })
}

/// Cosine and sine by their series at a 64th of the angle, doubled six times: they share no code
/// with the library's.
fn cos_sin(angle: f64) -> (Dd, Dd) {
    let x = Dd::from_f64(angle) / Dd::from_f64(64.0);
    let (mut cos, mut sin, mut term) = (Dd::ONE, Dd::ZERO, Dd::ONE);
    for k in 1..40 {
        term = term * x / Dd::from_f64(f64::from(k));
        match k % 4 {
            1 => sin += term,
            2 => cos -= term,
            3 => sin -= term,
            _ => cos += term,
        }
    }
    for _ in 0..6 {
        (cos, sin) = (cos * cos - sin * sin, (sin * cos) + (sin * cos));
    }
    (cos, sin)
}

/// The matrix of a joint at a value: Rodrigues' formula.
fn motion(joint: &Joint, value: f64) -> Matrix {
    let u = [joint.axis.x, joint.axis.y, joint.axis.z].map(Dd::from_f64);
    let norm = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
    let u = u.map(|c| c / norm);
    let (cos, sin) = if joint.kind.turns() { cos_sin(value) } else { (Dd::ONE, Dd::ZERO) };
    let cross = [[Dd::ZERO, -u[2], u[1]], [u[2], Dd::ZERO, -u[0]], [-u[1], u[0], Dd::ZERO]];
    let slide = Dd::from_f64(joint.kind.slide()) * Dd::from_f64(value);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| match (i, j) {
            (3, 3) => Dd::ONE,
            (3, _) => Dd::ZERO,
            (i, 3) => u[i] * slide,
            (i, j) => {
                let one = if i == j { cos } else { Dd::ZERO };
                one + sin * cross[i][j] + (Dd::ONE - cos) * u[i] * u[j]
            }
        })
    })
}

fn world(tree: &JointTree, body: usize, values: &[f64]) -> Matrix {
    let body = &tree.bodies()[body];
    let mut at = matrix(&body.place);
    let mut joint = Some(body.joint);
    while let Some(k) = joint {
        let of = &tree.joints()[k as usize];
        if let JointValue::Column { column, .. } = of.value {
            at = times(&motion(of, values[column as usize]), &at);
        }
        at = times(&matrix(&of.place), &at);
        joint = of.parent;
    }
    at
}

fn point(at: &Matrix, p: Vec3<f64>) -> [Dd; 3] {
    let p = [p.x, p.y, p.z].map(Dd::from_f64);
    std::array::from_fn(|i| at[i][0] * p[0] + at[i][1] * p[1] + at[i][2] * p[2] + at[i][3])
}

fn apart(a: [Dd; 3], b: [Dd; 3]) -> f64 {
    let d = std::array::from_fn::<f64, 3, _>(|k| (a[k] - b[k]).to_f64());
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

#[test]
fn poses_are_within_their_rounding() {
    let mut random = Random(11);
    let mut worst = [0.0_f64; 2];
    for round in 0..600 {
        let (joints, far) = (1 + round % 8, if round % 3 == 0 { 1e7 } else { 0.0 });
        let tree = tree(&mut random, joints, far);
        let scale = [0.5, 3.0, 40.0][round % 3];
        let values: Vec<f64> = (0..joints).map(|_| scale * random.next()).collect();
        let mut links = Vec::new();
        tree.links(&values, &mut links);
        let largest = |column: u32| values[column as usize].abs();
        let chain = tree.chain([Ok(0), Ok(1)], [0.4, 0.4]);
        let still = |column: u32| values[column as usize];
        let motion = JointMotion::new(&chain, [&still, &still]);
        let pair = motion.poses(0.3);
        let p = [0, 1].map(|_| random.vector(1.0).normalized().scale(0.4));
        let exact = [0, 1].map(|slot| point(&world(&tree, slot, &values), p[slot]));
        for slot in 0..2 {
            let off = apart(exact[slot], point(&matrix(&tree.body(slot, &links)), p[slot]));
            let [bound, _] = tree.rounding(slot, &largest);
            worst[0] = worst[0].max(off / bound);
        }
        let of_chain = [0, 1].map(|slot| point(&matrix(&pair[slot]), p[slot]));
        let off = (apart(exact[0], exact[1]) - apart(of_chain[0], of_chain[1])).abs();
        worst[1] = worst[1].max(off / motion.error);
    }
    assert!(worst.iter().all(|&worst| worst < 0.5), "of the bounds: {worst:?}");
    assert!(worst.iter().all(|&worst| worst > 0.005), "the bounds are not wild: {worst:?}");
}

/// A point of B in A's frame, or in that of the link that carries both.
fn seen(motion: &JointMotion<'_>, [from, of]: [Option<usize>; 2], p: Vec3<f64>, share: f64) -> [Dd; 3] {
    let poses = motion.poses(share);
    let at = of.map_or([Dd::ZERO; 3], |of| point(&matrix(&poses[of]), p));
    let Some(from) = from else { return at };
    let frame = matrix(&poses[from]);
    let away: [Dd; 3] = std::array::from_fn(|k| at[k] - frame[k][3]);
    std::array::from_fn(|k| frame[0][k] * away[0] + frame[1][k] * away[1] + frame[2][k] * away[2])
}

#[test]
fn no_point_moves_bends_or_jerks_more_than_its_bound() {
    let most = largest_shares_of_bounds(false);
    for (moving, most) in most.iter().enumerate().take(6).skip(1) {
        assert!(most.iter().all(|&most| most > 0.3), "{moving} joints: {most:?} of the bounds");
    }
}

#[test]
fn no_point_moves_bends_or_jerks_more_than_its_bound_along_curves() {
    let most = largest_shares_of_bounds(true);
    for (moving, most) in most.iter().enumerate().take(6).skip(1) {
        assert!(most.iter().all(|&most| most > 0.1), "{moving} joints: {most:?} of the bounds");
    }
}

/// Control values of random degree from 1 to 6.
fn random_curve(random: &mut Random, from: f64, span: f64) -> ValueCurve {
    let degree = 1 + (random.0 >> 40) as usize % 6;
    let values: Vec<f64> = (0..=degree).map(|_| from + span * random.next()).collect();
    ValueCurve::new(&values, 0.0)
}

/// Derivatives of random points of random chains, over the bounds, of the values on lines or along
/// curves (and then of a part of the interval): by the number of joints that move, the largest.
fn largest_shares_of_bounds(is_curved: bool) -> [[f64; 3]; 9] {
    let mut random = Random(7);
    let mut most = [[0.0_f64; 3]; 9];
    for round in 0..1500 {
        let joints = 1 + round % 8;
        let tree = tree(&mut random, joints, 0.0);
        let chain = tree.chain([Ok(0), Ok(1)], [0.4, 0.4]);
        let span = [0.05, 0.5, 2.1][round % 3];
        let from: Vec<f64> = (0..joints).map(|_| 2.0 * random.next()).collect();
        let to: Vec<f64> = from.iter().map(|value| value + span * random.next()).collect();
        let curves: Vec<ValueCurve> = from.iter().map(|&from| random_curve(&mut random, from, span)).collect();
        let motion = match is_curved {
            true => JointMotion::along(&chain, &|c| &curves[c as usize]),
            false => JointMotion::new(&chain, [&|c| from[c as usize], &|c| to[c as usize]]),
        };
        let part = match is_curved {
            true => [[0.0, 1.0], [0.25, 0.875], [0.5, 0.625]][round / 3 % 3],
            false => [0.0, 1.0],
        };
        let bounds = motion.bounds_over(part);
        let moving: usize = chain.ways.iter().map(Vec::len).sum();
        for body in 0..2 {
            let (middle, radius) = (random.vector(0.2), 0.1 * (1.0 + random.next()));
            let p = middle + random.vector(1.0).normalized().scale(radius);
            for (bounds, frame) in bounds[body].iter().zip([None, Some(1 - body)]) {
                let bound = bounds.of_ball(middle, radius);
                let h = 1e-3;
                for share in [0.01, 0.3, 0.5, 0.77, 0.99] {
                    let share = part[0] + (0.01 + 0.98 * share) * (part[1] - part[0]);
                    let at = |k: f64| seen(&motion, [frame, Some(body)], p, share + k * h);
                    let [a, b, c, d] = [-1.5, -0.5, 0.5, 1.5].map(at);
                    let difference = |of: [f64; 4], by: f64| {
                        let v: [f64; 3] = std::array::from_fn(|k| {
                            let terms =
                                [a, b, c, d].iter().zip(of).fold(Dd::ZERO, |sum, (p, f)| sum + p[k] * Dd::from_f64(f));
                            terms.to_f64() / by
                        });
                        (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
                    };
                    let found = [
                        difference([0.0, -1.0, 1.0, 0.0], h),
                        difference([0.5, -0.5, -0.5, 0.5], h * h),
                        difference([-1.0, 3.0, -3.0, 1.0], h * h * h),
                    ];
                    // Rounding of the differences.
                    let noise = [1e-11, 1e-8, 1e-5];
                    let bound = [bound.speed, bound.bend, bound.jerk];
                    for k in 0..3 {
                        assert!(
                            found[k] <= bound[k] + noise[k],
                            "{joints} joints, derivative {}: {} > {}",
                            k + 1,
                            found[k],
                            bound[k]
                        );
                        if found[k] > 1e3 * noise[k] {
                            most[moving][k] = most[moving][k].max(found[k] / bound[k]);
                        }
                    }
                }
            }
        }
    }
    most
}

#[test]
fn boxes_hold_what_leaves_its_chord() {
    let mut random = Random(3);
    for is_curved in [false, true] {
        let mut most = 0.0_f64;
        for round in 0..400 {
            let joints = 1 + round % 6;
            let tree = tree(&mut random, joints, 0.0);
            let from: Vec<f64> = (0..joints).map(|_| 2.0 * random.next()).collect();
            let to: Vec<f64> = from.iter().map(|value| value + 0.4 * random.next()).collect();
            let curves: Vec<ValueCurve> = from.iter().map(|&from| random_curve(&mut random, from, 0.4)).collect();
            let bound = match is_curved {
                true => tree.sagitta_along(1, &|c| &curves[c as usize]),
                false => tree.sagitta(1, [&|c| from[c as usize], &|c| to[c as usize]]),
            };
            let p = random.vector(1.0).normalized().scale(0.4);
            let values = |share: f64| -> Vec<f64> {
                match is_curved {
                    true => curves.iter().map(|curve| curve.at(share)).collect(),
                    false => from.iter().zip(&to).map(|(from, to)| from + share * (to - from)).collect(),
                }
            };
            let mut links = Vec::new();
            let mut at = |share: f64| {
                tree.links(&values(share), &mut links);
                tree.body(1, &links).apply(p)
            };
            let (first, last) = (at(0.0), at(1.0));
            for k in 1..16 {
                let share = f64::from(k) / 16.0;
                let off = (at(share) - (first.scale(1.0 - share) + last.scale(share))).length();
                assert!(off <= bound + 1e-14, "{off} > {bound}");
                most = most.max(if bound > 0.0 { off / bound } else { 0.0 });
            }
            let largest = |column: u32| from[column as usize].abs().max(to[column as usize].abs());
            let (middle, radius) = tree.origins(1, &largest);
            tree.links(&from, &mut links);
            let origin = tree.body(1, &links).position;
            assert!((origin - Vec3::from(middle)).length() <= radius + 1e-12);
        }
        assert!(most > 0.3, "{most}");
    }
}

#[test]
fn a_body_that_one_joint_moves_turns_about_its_axis() {
    let mut random = Random(5);
    let (mut single, mut several, mut sliding) = (0, 0, 0);
    for round in 0..600 {
        let (joints, far) = (1 + round % 6, if round % 3 == 0 { 1e6 } else { 0.0 });
        let tree = tree(&mut random, joints, far);
        let chain = tree.chain([Ok(0), Ok(1)], [0.4, 0.4]);
        let from: Vec<f64> = (0..joints).map(|_| 2.0 * random.next()).collect();
        let mut to = from.clone();
        for _ in 0..=round % 2 {
            to[(random.0 >> 40) as usize % joints] += 3.0 * random.next();
        }
        let motion = JointMotion::new(&chain, [&|c| from[c as usize], &|c| to[c as usize]]);
        let moves =
            |way: &Vec<Step>| way.iter().filter(|step| from[step.column as usize] != to[step.column as usize]).count();
        let Some(twists) = motion.twists() else {
            assert!(chain.ways.iter().any(|way| moves(way) > 1));
            several += 1;
            continue;
        };
        assert!(chain.ways.iter().all(|way| moves(way) < 2));
        let start = motion.poses(0.0);
        for share in [0.0, 0.4, 1.0] {
            let poses = motion.poses(share);
            for body in 0..2 {
                let Twist { omega, arm, velocity } = twists[body];
                let p = random.vector(1.0).normalized().scale(0.4);
                let from_axis = turned(&rotation(start[body].q), p) - arm;
                // Rodrigues' formula.
                let angle = omega.length();
                let u = if angle > 0.0 { omega.scale(1.0 / angle) } else { omega };
                let (sin, cos) = (share * angle).sin_cos();
                let to = from_axis.scale(cos) + u.cross(from_axis).scale(sin) + u.scale(u.dot(from_axis) * (1.0 - cos));
                let way = velocity.scale(share) + arm + to;
                let shift = (poses[body].position - start[body].position) + (poses[body].rest - start[body].rest);
                let off = (shift + turned(&rotation(poses[body].q), p) - way).length();
                assert!(off <= 4.0 * motion.error, "{round}: {off} of {}", motion.error);
                single += usize::from(angle > 0.0);
                sliding += usize::from(velocity != Vec3::ZERO);
            }
        }
    }
    assert!(single > 300 && several > 30 && sliding > 100, "not representative: {single} {several} {sliding}");
}

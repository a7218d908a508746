//! The stored planes against planes formed in double-double, and that neighbours hold the same numbers.

use super::*;
use crate::geometry::hull::convex_hull;
use crate::geometry::{Dd, Real};

struct Draw(u64);

impl Draw {
    /// In -1..1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }

    /// Round, lattice, needle-like and disk-like bodies of all sizes, polygons and segments.
    fn body(&mut self, case: usize) -> Polyhedron {
        let size = 10.0_f64.powi((case % 7) as i32 * 3 - 9);
        let points: Vec<_> = match case % 6 {
            0 => (0..60).map(|_| self.point().normalized()).collect(),
            1 => (0..40).map(|_| self.point().scale(2.0).to_array().map(f64::round).into()).collect(),
            2 => (0..30).map(|_| self.point()).map(|p| Vec3::new(p.x, p.y * 1e-3, p.z * 1e-5)).collect(),
            3 => (0..30)
                .flat_map(|k| {
                    let (s, c) = (0.2 * f64::from(k)).sin_cos();
                    [Vec3::new(c, s, 0.1), Vec3::new(c, s, -0.1)]
                })
                .collect(),
            4 => (0..12).map(|_| Vec3::new(self.next(), self.next(), 0.0)).collect(),
            _ => vec![self.point(), self.point()],
        };
        convex_hull(&points.iter().map(|p| p.scale(size)).collect::<Vec<_>>()).expect("finite points")
    }
}

fn wide(p: &Polyhedron, v: u32) -> Vec3<Dd> {
    Vec3::from_f64(p.vertex(v))
}

/// The unit normal of a face by its widest triangle at the first vertex.
fn face_normal(p: &Polyhedron, f: u32) -> Vec3<Dd> {
    let ring = p.face(f);
    let side = |i: usize| wide(p, ring[i]) - wide(p, ring[0]);
    let mut best = Vec3::<Dd>::ZERO;
    for i in 1..ring.len() {
        for j in i + 1..ring.len() {
            let cross = side(i).cross(side(j));
            if cross.length2() > best.length2() {
                best = cross;
            }
        }
    }
    best.normalized()
}

/// The units by which a stored plane is off: its normal, and its offset by the radius.
fn off(p: &Polyhedron, plane: Plane, normal: Vec3<Dd>, through: u32) -> [f64; 2] {
    let offset = (Dd::from_f64(plane.offset) - normal.dot(wide(p, through))).to_f64().abs();
    [(Vec3::from_f64(plane.normal) - normal).to_f64().length() / f64::UNIT, offset / (f64::UNIT * p.radius)]
}

#[test]
fn stored_planes_are_those_of_extended_precision_but_for_their_rounding() {
    let mut draw = Draw(3);
    let (mut at_vertices, mut along_edges, mut own) = ([0.0_f64; 2], [0.0_f64; 2], [0.0_f64; 2]);
    let mut seen = [0; 3];
    let worse = |worst: &mut [f64; 2], off: [f64; 2]| (0..2).for_each(|i| worst[i] = worst[i].max(off[i]));
    for case in 0..210 {
        let p = draw.body(case);
        let planes = p.planes();
        for v in 0..p.count as u32 {
            let star = planes.star(&p, v);
            assert_eq!(star.count(), p.neighbours_of(v).len());
            for (i, &w) in p.neighbours_of(v).iter().enumerate() {
                worse(&mut at_vertices, off(&p, star.plane(i), -(wide(&p, w) - wide(&p, v)).normalized(), v));
                seen[0] += 1;
            }
        }
        for f in 0..p.face_count() as u32 {
            let normal = face_normal(&p, f);
            worse(&mut own, off(&p, *planes.support(f), normal, p.face(f)[0]));
            let (ring, sides) = (p.face(f), planes.sides(&p, f));
            assert_eq!(sides.count(), ring.len());
            for (i, &v) in ring.iter().enumerate() {
                let along = wide(&p, ring[(i + 1) % ring.len()]) - wide(&p, v);
                worse(&mut along_edges, off(&p, sides.plane(i), normal.cross(along.normalized()), v));
                seen[1] += 1;
            }
            seen[2] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 2000), "not representative: {seen:?}");
    // What the module says; and not so far above what is found that a mistake could hide.
    assert!(at_vertices[0] <= 8.0 && at_vertices[1] <= 16.0, "{at_vertices:?}");
    assert!(along_edges[0] <= 16.0 && along_edges[1] <= 24.0, "{along_edges:?}");
    assert!(own[0] <= 8.0 && own[1] <= 16.0, "{own:?}");
    assert!(at_vertices[0] > 1.0 && along_edges[0] > 1.0, "{at_vertices:?} {along_edges:?}");
}

#[test]
fn neighbours_hold_the_same_numbers() {
    let mut draw = Draw(4);
    for case in 0..60 {
        let p = draw.body(case);
        let planes = p.planes();
        for (e, edge) in p.edges.iter().enumerate() {
            let around = planes.edge(e as u32);
            for (lane, &v) in edge.v.iter().enumerate() {
                let at = p.neighbours_of(v).iter().position(|&w| w == edge.v[1 - lane]).expect("a neighbour");
                let star = planes.star(&p, v);
                assert_eq!(star.plane(at), around.plane(lane).flipped());
                let far = Plane { offset: star.far(at / LANES * LANES)[at % LANES], ..star.plane(at) };
                assert_eq!(far, around.plane(1 - lane));
            }
            for (side, &f) in edge.f.iter().enumerate() {
                let lane = around.plane(2 + side);
                if f == NO_FACE {
                    assert!(lane.side(draw.point().scale(1e9)) > 0.0, "nothing is beyond a face that is not there");
                    continue;
                }
                let start = p.face_start[f as usize] as usize;
                let at = (0..p.face(f).len()).position(|i| p.face_edges[start + i] == e as u32).expect("an edge");
                assert_eq!(planes.sides(&p, f).plane(at), lane.flipped());
                // The face's other vertices lie inside of it, so beyond it from the edge.
                for &v in p.face(f).iter().filter(|v| !edge.v.contains(v)) {
                    assert!(lane.side(p.vertex(v)) < 0.0, "case {case}, edge {e}, face {f}, vertex {v}");
                }
            }
            let sides = around.sides(p.vertex(edge.v[0]));
            assert_eq!(sides, [0, 1, 2, 3].map(|lane| around.plane(lane).side(p.vertex(edge.v[0]))));
            assert!(sides[1] > 0.0, "the tail lies on the edge's side of the plane at its head");
        }
    }
}

#[test]
fn a_step_reads_the_rows_in_their_order() {
    let p = Draw(5).body(3);
    let planes = p.planes();
    let wheel = (0..p.face_count() as u32).find(|&f| p.face(f).len() > 2 * LANES).expect("a face of many sides");
    let rows = planes.sides(&p, wheel);
    for first in (0..rows.count()).step_by(LANES) {
        let step = rows.step(first);
        for i in first..rows.count().min(first + LANES) {
            let Plane { normal, offset } = rows.plane(i);
            assert_eq!([normal.x, normal.y, normal.z, offset], step.map(|row| row[i - first]));
        }
    }
}

#[test]
fn a_copy_forms_its_own_planes_and_is_equal() {
    let p = Draw(6).body(0);
    p.planes();
    let copy = p.clone();
    assert_eq!(copy, p);
    assert_eq!(format!("{:?} {:?}", p.planes, copy.planes), "formed not formed");
}

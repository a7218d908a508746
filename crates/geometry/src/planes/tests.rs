//! The stored planes against planes computed in double-double; neighbouring features hold the same
//! numbers.

use super::*;
use crate::hull::convex_hull;
use crate::polyhedron::{NO_FACE, Polyhedron};
use crate::{Dd, Real, Scalar};

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

/// The errors of a stored plane in units of 2^-53: of its normal, and of its offset relative to the
/// radius.
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
            let vertex_planes = planes.vertex_planes(v);
            assert_eq!(vertex_planes.len(), p.neighbours_of(v).len().div_ceil(LANES));
            for (i, &w) in p.neighbours_of(v).iter().enumerate() {
                worse(
                    &mut at_vertices,
                    off(&p, vertex_planes[i / LANES].plane(i % LANES), -(wide(&p, w) - wide(&p, v)).normalized(), v),
                );
                seen[0] += 1;
            }
        }
        for f in 0..p.face_count() as u32 {
            let normal = face_normal(&p, f);
            worse(&mut own, off(&p, planes.support(f), normal, p.face(f)[0]));
            let (ring, side_planes) = (p.face(f), planes.side_planes(f));
            assert_eq!(side_planes.len(), ring.len().div_ceil(4));
            for (i, &v) in ring.iter().enumerate() {
                let along = wide(&p, ring[(i + 1) % ring.len()]) - wide(&p, v);
                worse(&mut along_edges, off(&p, side_planes[i / 4].plane(i % 4), normal.cross(along.normalized()), v));
                seen[1] += 1;
            }
            seen[2] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 2000), "not representative: {seen:?}");
    // The bounds that the module documents; the errors found are near enough to them for a mistake
    // to show.
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
                let vertex_planes = &planes.vertex_planes(v)[at / LANES];
                let own = vertex_planes.plane(at % LANES);
                assert_eq!(own, around.plane(lane).flipped());
                let opposite = Plane { offset: vertex_planes.neighbour_offsets[at % LANES], ..own };
                assert_eq!(opposite, around.plane(1 - lane));
            }
            for (side, &f) in edge.f.iter().enumerate() {
                let lane = around.plane(2 + side);
                if f == NO_FACE {
                    assert!(lane.side(draw.point().scale(1e9)) > 0.0, "no point lies beyond a face that is not there");
                    continue;
                }
                let start = p.face_start[f as usize] as usize;
                let at = (0..p.face(f).len()).position(|i| p.face_edges[start + i] == e as u32).expect("an edge");
                assert_eq!(planes.side_planes(f)[at / 4].plane(at % 4), lane.flipped());
                // The face's other vertices lie inside of the face's side plane, so beyond the
                // edge's.
                for &v in p.face(f).iter().filter(|v| !edge.v.contains(v)) {
                    assert!(lane.side(p.vertex(v)) < 0.0, "case {case}, edge {e}, face {f}, vertex {v}");
                }
            }
            assert!(
                around.plane(1).side(p.vertex(edge.v[0])) > 0.0,
                "the tail lies on the edge's side of the plane at its head"
            );
        }
    }
}

#[test]
fn padding_excludes_no_point() {
    let mut draw = Draw(5);
    let (mut vertex_planes, mut side_planes) = (0, 0);
    for case in 0..30 {
        let p = draw.body(case);
        let far = draw.point().scale(1e30);
        for v in 0..p.count as u32 {
            let count = p.neighbours_of(v).len();
            for i in count..p.planes().vertex_planes(v).len() * LANES {
                assert_eq!(p.planes().vertex_planes(v)[i / LANES].plane(i % LANES).side(far), f64::INFINITY);
                vertex_planes += 1;
            }
            let Vec3 { x, y, z } = p.vertex(v);
            let [a, b, c, clearance] = *p.planes().point(v);
            assert_eq!([a, b, c], [x, y, z]);
            let lengths = p.neighbours_of(v).iter().map(|&w| (p.vertex(w) - p.vertex(v)).length());
            let nearest = lengths.fold(f64::INFINITY, f64::min);
            assert!(clearance <= nearest && clearance > nearest * (1.0 - 1e-14), "{clearance:e} for {nearest:e}");
        }
        for f in 0..p.face_count() as u32 {
            for i in p.face(f).len()..p.planes().side_planes(f).len() * 4 {
                assert_eq!(p.planes().side_planes(f)[i / 4].plane(i % 4).side(far), f64::INFINITY);
                side_planes += 1;
            }
        }
    }
    assert!(vertex_planes > 1000 && side_planes > 300, "{vertex_planes} and {side_planes}");
}

#[test]
fn a_clone_computes_its_own_planes_and_is_equal() {
    let p = Draw(6).body(0);
    p.planes();
    let copy = p.clone();
    assert_eq!(copy, p);
    assert_eq!(format!("{:?} {:?}", p.planes, copy.planes), "computed not computed");
}

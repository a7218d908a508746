//! Unit normals of faces, and representatives of parallel edges.
//!
//! The vector product of two exact differences is formed exactly and rounded once to double-double,
//! so a normal is right however thin its face; as the face is exactly flat, any three of its
//! vertices give the same one.

use super::exact::{cross, difference, parallel};
use crate::polyhedron::Boundary;
use crate::real::{Dd, Scalar};
use crate::vec3::Vec3;

/// Number of directions told apart that round to the same unit vector, but differ; any more count
/// as distinct from everything, which costs a query time but is never wrong.
const ALIKE: usize = 64;

/// Fills in `normals` of a polyhedron that has its vertices and faces. Parallel faces have the
/// same normal to the last bit, or its exact negative, as a rule: each is the exact direction,
/// rounded twice.
pub(super) fn set_normals(hull: &mut Boundary) {
    hull.normals = (0..hull.face_start.len() as u32 - 1).map(|f| unit_normal(hull, f)).collect();
}

/// Fills in `distinct_edges` of a polygon or a segment that has its vertices and edges.
pub(super) fn set_distinct_edges(hull: &mut Boundary) {
    let along = |e: u32| {
        let [a, b] = hull.edges[e as usize].v;
        difference(hull.vertex(a), hull.vertex(b))
    };
    let directions: Vec<_> = (0..hull.edges.len() as u32).map(|e| unit(along(e))).collect();
    let classes = classes(&directions, |e, g| parallel(along(e), along(g)));
    hull.distinct_edges = representatives(&classes);
}

/// The first three vertices of a face; its corners being strictly convex, they are not collinear.
fn corner(hull: &Boundary, f: u32) -> [Vec3<f64>; 3] {
    let ring = hull.face(f);
    [hull.vertex(ring[0]), hull.vertex(ring[1]), hull.vertex(ring[2])]
}

fn unit_normal(hull: &Boundary, f: u32) -> Vec3<f64> {
    let [a, b, c] = corner(hull, f);
    let [x, y, z] = cross(difference(a, b), difference(a, c)).map(|component| component.to_dd());
    unit(Vec3 { x, y, z })
}

/// A vector divided by its length, rounded to `f64`; zeros are positive.
fn unit(v: Vec3<Dd>) -> Vec3<f64> {
    let size = v.x.abs().larger(v.y.abs()).larger(v.z.abs()).hi;
    // A power of two within a factor of two of 1 / size: squares of what it scales neither over-
    // nor underflow.
    let scale = Dd::from_f64(f64::from_bits((2046 << 52) - (size.to_bits() & (0x7ff << 52))));
    v.scale(scale).normalized().to_f64() + Vec3::ZERO
}

/// For each direction (unit vectors, rounded): the first one it is exactly parallel to, up to sign.
///
/// Only directions that round to the same vector, up to sign, are asked about: where parallel ones
/// round differently they count as distinct.
fn classes(directions: &[Vec3<f64>], parallel: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let keys: Vec<[u64; 3]> = directions.iter().map(|d| up_to_sign(*d).to_array().map(f64::to_bits)).collect();
    // Sorted by one number, so that most are told apart by it; what it does not tell apart, by the
    // whole key.
    let mixed = |[x, y, z]: [u64; 3]| x ^ y.rotate_left(21) ^ z.rotate_left(42);
    let mut order: Vec<(u64, u32)> = keys.iter().map(|&key| mixed(key)).zip(0..).collect();
    order.sort_unstable();
    let mut classes: Vec<u32> = (0..directions.len() as u32).collect();
    let (mut alike, mut firsts): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for unclear in order.chunk_by(|a, b| a.0 == b.0).filter(|chunk| chunk.len() > 1) {
        alike.clear();
        alike.extend(unclear.iter().map(|&(_, i)| i));
        alike.sort_unstable_by_key(|&i| (keys[i as usize], i));
        for alike in alike.chunk_by(|&i, &j| keys[i as usize] == keys[j as usize]) {
            firsts.clear();
            for &i in alike {
                match firsts.iter().find(|&&first| parallel(first, i)) {
                    Some(&first) => classes[i as usize] = first,
                    None if firsts.len() < ALIKE => firsts.push(i),
                    None => {}
                }
            }
        }
    }
    classes
}

/// `d` or `-d`: the one whose first nonzero component is positive; zeros are positive.
fn up_to_sign(d: Vec3<f64>) -> Vec3<f64> {
    let negative = d.to_array().into_iter().find(|c| *c != 0.0).is_some_and(|c| c < 0.0);
    if negative { Vec3::ZERO - d } else { d }
}

/// The directions that are the first of their class, ascending.
fn representatives(classes: &[u32]) -> Vec<u32> {
    (0..classes.len() as u32).filter(|&i| classes[i as usize] == i).collect()
}

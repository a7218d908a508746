//! The different points among the vertices of a file, and their hulls.

use super::readers::Fault;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::hull::{HullError, convex_hull};
use clearsweep_geometry::{Polyhedron, Vec3};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};

/// 2^64 over the golden ratio, an odd number.
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a point: the folded products of its words (as wyhash and its successors mix). Its
/// seed differs from process to process, so that no file can be made to collide.
#[derive(Clone, Copy)]
pub(super) struct PointHash(u64);

impl Default for PointHash {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for PointHash {
    type Hasher = PointHasher;

    fn build_hasher(&self) -> PointHasher {
        PointHasher(self.0)
    }
}

/// See [`PointHash`].
pub(super) struct PointHasher(u64);

impl Hasher for PointHasher {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            self.write_u64(u64::from_le_bytes(whole));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(GOLDEN_RATIO);
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(GOLDEN_RATIO);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Vertices of a part of a pass over all of them, or of a part that is searched.
const PART: usize = 1 << 16;

/// Parts of vertices that are searched for equal ones: more than there are threads, and few enough
/// to be told by a byte.
fn parts(vertices: usize) -> usize {
    vertices.div_ceil(PART).clamp(1, 64)
}

/// Returns the key that equal points have in common: -0 is 0.
fn key(point: &Vec3<f64>) -> [u64; 3] {
    point.to_array().map(|c| (c + 0.0).to_bits())
}

/// The different points among vertices, recentred.
pub(super) struct Distinct {
    /// In order of first occurrence.
    pub(super) list: Vec<Vec3<f64>>,
    /// The first vertex at each of `list`; ascending.
    pub(super) first: Vec<u32>,
    /// For each vertex, its index in `list`.
    pub(super) of_vertex: Vec<u32>,
}

impl Distinct {
    /// Points that are equal are in one part, whichever point they are looked for from, so that
    /// parts are searched side by side.
    pub(super) fn of(mut points: Vec<Vec3<f64>>, center: Vec3<f64>, workers: &Workers) -> Self {
        let hash = PointHash::default();
        let parts = parts(points.len());
        let part_of: Vec<Vec<u8>> = workers.map(points.chunks_mut(PART).collect(), |points: &mut [Vec3<f64>]| {
            let part = |point: &mut Vec3<f64>| {
                *point = *point - center;
                // Other bits than those that a table goes by.
                (hash.hash_one(key(point)) >> 32) as u8 % parts as u8
            };
            points.iter_mut().map(part).collect()
        });
        let part_of = part_of.concat();
        // For each vertex the first one at its position.
        let first_at: Vec<AtomicU32> = points.iter().map(|_| AtomicU32::new(0)).collect();
        workers.each(parts, 1, |part| {
            let own = || (0..).zip(&part_of).filter(|(_, of)| usize::from(**of) == part).map(|(vertex, _)| vertex);
            let mut found: HashMap<[u64; 3], u32, PointHash> =
                HashMap::with_capacity_and_hasher(points.len() / parts / 2, hash);
            for vertex in own() {
                let first: u32 = *found.entry(key(&points[vertex as usize])).or_insert(vertex);
                first_at[vertex as usize].store(first, Ordering::Relaxed); // read when all threads are done
            }
        });
        drop(part_of);
        let mut of_vertex: Vec<u32> = first_at.into_iter().map(AtomicU32::into_inner).collect();
        let (mut list, mut first) = (Vec::new(), Vec::new());
        for vertex in 0..of_vertex.len() {
            let before = of_vertex[vertex] as usize;
            of_vertex[vertex] = if before == vertex {
                first.push(vertex as u32); // readers refuse more than 2^31 - 1 vertices
                list.push(points[vertex]);
                list.len() as u32 - 1
            } else {
                of_vertex[before]
            };
        }
        list.shrink_to_fit();
        first.shrink_to_fit();
        Self { list, first, of_vertex }
    }

    /// The hull of some (ascending) or of all points, `source` counting vertices of the file.
    pub(super) fn hull(&self, members: Option<&[u32]>) -> Result<Polyhedron, Fault> {
        self.hull_by_distinct(members).map(|core| self.renamed(core))
    }

    /// As [`Self::hull`], `source` counting the distinct points.
    pub(super) fn hull_by_distinct(&self, members: Option<&[u32]>) -> Result<Polyhedron, Fault> {
        let Some(members) = members else { return convex_hull(&self.list).map_err(|error| self.fault(error, None)) };
        let points: Vec<Vec3<f64>> = members.iter().map(|&m| self.list[m as usize]).collect();
        let mut core = convex_hull(&points).map_err(|error| self.fault(error, Some(members)))?;
        for source in core.source_mut() {
            *source = members[*source as usize];
        }
        Ok(core)
    }

    /// The same hull, `source` turned from distinct points to vertices of the file.
    pub(super) fn renamed(&self, mut core: Polyhedron) -> Polyhedron {
        for source in core.source_mut() {
            *source = self.first[*source as usize];
        }
        core
    }

    /// Returns the fault of points that have no hull; `members`: which of them were asked for.
    pub(super) fn fault(&self, error: HullError, members: Option<&[u32]>) -> Fault {
        let vertex = |index: usize| {
            let distinct = members.map_or(index, |members| members[index] as usize);
            self.first.get(distinct).copied().unwrap_or_default()
        };
        fault_of_hull(error, vertex)
    }
}

/// The fault of points that have no hull; `vertex`: the number of the point of an index.
pub(super) fn fault_of_hull(error: HullError, vertex: impl Fn(usize) -> u32) -> Fault {
    match error {
        HullError::Empty => Fault::new("there are no vertices", "export the geometry again"),
        HullError::NotFinite { index } => {
            Fault::new(format!("vertex {} (from 0) is not finite", vertex(index)), "export the geometry again")
        }
        HullError::OutOfRange { index } => Fault::new(
            format!("vertex {} is so large or so small that its hull cannot be computed", vertex(index)),
            "check the length unit and the scale",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_are_one_and_the_first_names_it() {
        let points = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, -0.0, 0.0], [2.0, 0.0, 0.0]].map(Vec3::from).to_vec();
        let distinct = Distinct::of(points, Vec3::ZERO, &Workers::none());
        assert_eq!(distinct.of_vertex, [0, 1, 0, 2]);
        assert_eq!(distinct.first, [0, 1, 3]);
    }

    #[test]
    fn many_points_are_numbered_as_they_come() {
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 59) as f64
        };
        let points: Vec<Vec3<f64>> = (0..3 * PART + 17).map(|_| Vec3::new(next(), next(), 0.1 * next())).collect();
        let (mut known, mut first, mut of_vertex) = (HashMap::new(), Vec::new(), Vec::new());
        for (vertex, point) in points.iter().enumerate() {
            let number = *known.entry(point.to_array().map(f64::to_bits)).or_insert(first.len() as u32);
            if number as usize == first.len() {
                first.push(vertex as u32);
            }
            of_vertex.push(number);
        }
        for threads in [1, 2, 5] {
            let distinct = Distinct::of(points.clone(), Vec3::ZERO, &Workers::new(Some(threads)));
            assert!(distinct.of_vertex == of_vertex && distinct.first == first, "{threads} threads");
            let is_point = |(point, &vertex): (&Vec3<f64>, &u32)| *point == points[vertex as usize];
            assert!(distinct.list.iter().zip(&first).all(is_point), "{threads} threads");
        }
    }
}

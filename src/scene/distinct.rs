//! The different points among the vertices of a file, and their hulls.

use super::readers::Fault;
use crate::geometry::hull::{HullError, convex_hull};
use crate::geometry::{Polyhedron, Vec3};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// 2^64 over the golden ratio, an odd number.
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a point: the folded products of its words (as wyhash and its successors mix). Its seed differs from process to
/// process, so that no file can be made to collide.
struct PointHash(u64);

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
struct PointHasher(u64);

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
    pub(super) fn of(points: Vec<Vec3<f64>>, center: Vec3<f64>) -> Self {
        let mut found: HashMap<[u64; 3], u32, PointHash> =
            HashMap::with_capacity_and_hasher(points.len() / 2, PointHash::default());
        let mut distinct = Self { list: Vec::new(), first: Vec::new(), of_vertex: Vec::with_capacity(points.len()) };
        for (vertex, point) in points.into_iter().enumerate() {
            let point = point - center;
            let next = distinct.list.len() as u32; // readers refuse more than 2^31 - 1 vertices
            let key = point.to_array().map(|c| (c + 0.0).to_bits()); // -0 is 0
            let index = *found.entry(key).or_insert(next);
            if index == next {
                distinct.list.push(point);
                distinct.first.push(vertex as u32);
            }
            distinct.of_vertex.push(index);
        }
        distinct
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
        for source in &mut core.source {
            *source = members[*source as usize];
        }
        Ok(core)
    }

    /// The same hull, `source` turned from distinct points to vertices of the file.
    pub(super) fn renamed(&self, mut core: Polyhedron) -> Polyhedron {
        for source in &mut core.source {
            *source = self.first[*source as usize];
        }
        core
    }

    /// What is wrong with points that have no hull; `members`: which of them were asked for.
    pub(super) fn fault(&self, error: HullError, members: Option<&[u32]>) -> Fault {
        let vertex = |index: usize| {
            let distinct = members.map_or(index, |members| members[index] as usize);
            self.first.get(distinct).copied().unwrap_or_default()
        };
        match error {
            HullError::Empty => Fault::new("there are no vertices", "export the geometry again"),
            HullError::NotFinite { index } => {
                Fault::new(format!("vertex {} is not finite", vertex(index)), "export the geometry again")
            }
            HullError::OutOfRange { index } => Fault::new(
                format!("vertex {} is so large or so small that its hull cannot be computed", vertex(index)),
                "check the length unit and the scale",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_are_one_and_the_first_names_it() {
        let points = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, -0.0, 0.0], [2.0, 0.0, 0.0]].map(Vec3::from).to_vec();
        let distinct = Distinct::of(points, Vec3::ZERO);
        assert_eq!(distinct.of_vertex, [0, 1, 0, 2]);
        assert_eq!(distinct.first, [0, 1, 3]);
    }
}

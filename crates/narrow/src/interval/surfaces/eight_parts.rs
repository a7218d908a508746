//! Pairs of triangles over a part of the interval, eight side by side: a bound along the line
//! between their closest points in the middle of the part, in the frame of one body. It separates
//! pairs that face each other askew, which their planes do not.

use super::facing::MetTriangle;
use crate::mesh::eight_pairs::{Triangles, Ways};
use clearsweep_base::simd::{Lane, Simd, V, WIDTH, dispatch};
use clearsweep_geometry::Vec3;

/// Pairs of triangles, one of them standing still.
#[derive(Debug, Default)]
pub(super) struct EightParts {
    /// Corners by component, metres: of the triangles that stand still, and of the others at the
    /// start and at the end of the part.
    corners: [[[Lane; 3]; 3]; 3],
    count: usize,
}

/// Gaps of the pairs of an [`EightParts`] at the start and at the end along one direction each.
#[derive(Debug, Default)]
pub(super) struct EightGaps {
    /// Metres.
    pub(super) ends: [Lane; 2],
    /// Unit, from the triangle that stands still to the other, by component; NaN without one.
    ways: [Lane; 3],
}

impl EightGaps {
    /// The direction of a lane.
    pub(super) fn way(&self, lane: usize) -> Vec3<f64> {
        Vec3::new(self.ways[0][lane], self.ways[1][lane], self.ways[2][lane])
    }
}

impl EightParts {
    /// Forgets all pairs.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a pair; `own` stands still.
    pub(super) fn push(&mut self, own: &[Vec3<f64>; 3], other: &MetTriangle) {
        let to = self.count % WIDTH;
        for c in 0..3 {
            for k in 0..3 {
                self.corners[0][c][k][to] = own[c][k];
                self.corners[1][c][k][to] = other.corner_there(0, c, k);
                self.corners[2][c][k][to] = other.corner_there(1, c, k);
            }
        }
        self.count += 1;
    }

    /// The gaps of all pairs; lanes that hold none hold numbers of no meaning.
    pub(super) fn gaps(&self) -> EightGaps {
        let mut lanes = EightGaps::default();
        gaps(&mut lanes, &self.corners);
        lanes
    }
}

dispatch!(gaps, gaps_in, (to: &mut EightGaps, corners: &[[[Lane; 3]; 3]; 3]) -> ());

#[inline(always)] // into code for wider registers
fn gaps_in<S: Simd>(to: &mut EightGaps, corners: &[[[Lane; 3]; 3]; 3]) {
    let own = Triangles::<S>::load(&corners[0]);
    let (start, end) = (Triangles::<S>::load(&corners[1]), Triangles::<S>::load(&corners[2]));
    let Ways { length2, way } = Ways::between(&own, &start.halfway(&end));
    let way = way.scale(V::splat(1.0) / length2.sqrt());
    let high = own.heights(way)[1];
    (start.heights(way)[0] - high).store(&mut to.ends[0]);
    (end.heights(way)[0] - high).store(&mut to.ends[1]);
    way.x.store(&mut to.ways[0]);
    way.y.store(&mut to.ways[1]);
    way.z.store(&mut to.ways[2]);
}

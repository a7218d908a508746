//! The choice of a search's frame: it turns to the normal of the best pair where supporting planes
//! rule out more along it, and collects the caps that they leave.

use super::search::MeshSearch;
use super::supports::{Supports, Turn};
use clearsweep_geometry::mesh::SearchFrame;

/// Cosine from which on the normal of the nearest pair counts as an axis of the frame.
const ALIGNED: f64 = 1.0 - 1e-7;

/// The same if no plane separates the bodies.
const NEARLY_ALIGNED: f64 = 0.999;

/// The share of the distance that a gap along the first axis has, for the axis to stay.
const SEPARATED: f64 = 0.5;

/// Leaves of which a cap is collected, at most.
const MOST_LEAVES: usize = 128;

impl MeshSearch<'_> {
    /// Finds the heights of the meshes towards each other in a frame.
    pub(super) fn supports_of(&mut self, frames: &[SearchFrame; 2], starts: Option<[u32; 2]>) -> Supports {
        Supports::new([self.place.a, self.place.b], frames, starts, &mut self.memory.heights)
    }

    /// Turns the frame to the normal of the best pair, if more is ruled out along it.
    pub(super) fn turn(&mut self) -> Turn {
        let Some(best) = self.nearest.pair else { return Turn::Stays };
        let cosine = best.normal.dot(self.frames[0].axes[0]);
        if cosine >= ALIGNED {
            return Turn::Stays;
        }
        let axes = SearchFrame::along(best.normal);
        let frames = [axes, axes.in_b(&self.place.pose)];
        let supports = self.supports_of(&frames, Some(best.triangles));
        let separates = supports.gap().max(self.supports.gap()) > SEPARATED * best.distance;
        if (separates && supports.gap() <= self.supports.gap()) || (!separates && cosine >= NEARLY_ALIGNED) {
            return Turn::Stays;
        }
        (self.frames, self.supports) = (frames, supports);
        self.capped = false;
        self.forget();
        if separates { Turn::Separates } else { Turn::Turns }
    }

    /// Collects what of each mesh may be within reach of the other, if that is little.
    pub(super) fn cap(&mut self) {
        if self.nearest.limit == f64::INFINITY {
            return;
        }
        let (reach, frames) = (self.nearest.reach(), &self.frames);
        let [a, b] = &mut self.memory.caps;
        let floors =
            [self.supports.bottom - reach - frames[0].shift[0], frames[1].shift[0] - (self.supports.top + reach)];
        self.capped = a.collect(self.place.a, frames[0].axes[0], floors[0], MOST_LEAVES)
            && b.collect(self.place.b, -frames[1].axes[0], floors[1], MOST_LEAVES);
        if self.capped {
            let highest = a.below + frames[0].shift[0];
            let lowest = frames[1].shift[0] - b.below;
            self.nearest.leave_out((self.supports.bottom - highest).min(lowest - self.supports.top));
        }
    }
}

//! The parts of surfaces in the best-first search.

use super::body_poses::FixedDirection;
use super::node_pairs::{SurfaceAim, SurfacePart, SurfaceParts};
use crate::interval::node::Node;
use crate::interval::search::{IntervalPart, IntervalSearch, PartOf};
use crate::mesh::{SurfaceBracket, surface_bracket};
use crate::solve_outcome::PROMISE;
use clearsweep_geometry::Vec3;
use smallvec::SmallVec;

/// Pairs of volumes that count as one distance in the work limit.
const PAIRS_OF_A_DISTANCE: u32 = 64;

/// Shares of an interval that are not divided any further.
const LEAST_SHARE: f64 = 1.0 / (1_u64 << 44) as f64;

/// The place of a part of surfaces in the order of equal bounds: the latest comes first, so that a
/// search among surfaces that may meet goes down to triangles.
fn rank(place: usize) -> u32 {
    u32::MAX - place as u32
}

impl<'a> IntervalSearch<'a, '_> {
    /// Whether the bodies are searched node by node: one is a mesh, and they begin apart.
    pub(in crate::interval) fn has_surfaces(&self) -> bool {
        self.ends[0].lower > 0.0 && self.bodies.surfaces().is_some()
    }

    /// Replaces a part of the hulls of two meshes by one of their surfaces.
    pub(in crate::interval) fn begin_surfaces(&mut self, part: &IntervalPart) {
        let Some(mut surfaces) = self.surfaces.take().or_else(|| self.new_surfaces()) else { return };
        surfaces.begun_at = part.lower;
        let span = [part.start, part.end];
        let pairs = surfaces.pairs(span, self.aim(), &mut self.work.meshes, &mut self.work.facing);
        let begun = pairs.unwrap_or_else(|| self.begin_whole(&mut surfaces, span));
        self.push_surfaces(&mut surfaces, begun, part.lower);
        self.surfaces = Some(surfaces);
    }

    /// Both surfaces as a whole over a part, bounded along the normals that are known.
    fn begin_whole(&mut self, surfaces: &mut SurfaceParts<'_>, span: [f64; 2]) -> Vec<SurfacePart> {
        let mut known: SmallVec<[FixedDirection; 12]> = SmallVec::new();
        for node in self.leaves.iter().flat_map(|leaf| &leaf.nodes) {
            known.extend(node.normals().iter().flat_map(|&normal| surfaces.fixed_directions(node.share, normal)));
        }
        let share = surfaces.nearest_share();
        let normal = match self.sought {
            Some(_) => self.distance_of_surfaces(surfaces, share).normal,
            None => self.measure_surfaces(surfaces, share),
        };
        known.extend(normal.into_iter().flat_map(|normal| surfaces.fixed_directions(share, normal)));
        surfaces.whole(span, &known, self.aim()).into_iter().collect()
    }

    /// The surfaces of both bodies, of which nothing is looked at.
    pub(super) fn new_surfaces(&self) -> Option<Box<SurfaceParts<'a>>> {
        let meshes = self.bodies.surfaces()?;
        let (growth, deviation) = self.bodies.growth_of_surfaces();
        let radii = self.bodies.size(&self.ends[0]) - self.ends[0].relative.t.length();
        Some(Box::new(SurfaceParts::new(meshes, self.path.clone(), [growth, deviation], radii)))
    }

    /// Replaces a part of two nodes by its parts.
    pub(in crate::interval) fn divide_surfaces(&mut self, of: u32) {
        let Some(mut surfaces) = self.surfaces.take() else { return };
        let part = surfaces.parts[rank(of as usize) as usize];
        if let Some(sought) = self.sought {
            if part.likely_upper <= sought.explained {
                surfaces.measured.push((part.near, part.likely_upper));
            }
        } else {
            let worth = 0.5 * (self.upper - part.lower);
            let is_worth_it = part.likely_upper < self.upper && self.upper - part.likely_upper > worth;
            if is_worth_it || surfaces.may_touch(&part, self.options.touch) {
                self.measure_surfaces(&mut surfaces, part.near);
            }
        }
        self.divided |= part.by_time;
        let before = surfaces.looked_at / PAIRS_OF_A_DISTANCE;
        let parts = surfaces.divided(&part, part.span[1], self.aim());
        self.computed += surfaces.looked_at / PAIRS_OF_A_DISTANCE - before;
        self.push_surfaces(&mut surfaces, parts, part.lower);
        self.surfaces = Some(surfaces);
    }

    /// Whether dividing a part of two nodes cannot raise its bound but by rounding.
    pub(in crate::interval) fn is_final_of_surfaces(&self, of: u32) -> bool {
        let Some(surfaces) = &self.surfaces else { return true };
        let part = &surfaces.parts[rank(of as usize) as usize];
        let rounding = 4.0 * (PROMISE * self.bodies.size(&self.ends[0]) + surfaces.rounding);
        let is_reached = part.likely_upper - part.lower <= rounding && self.upper - part.likely_upper <= rounding;
        part.is_leaf() && (is_reached || part.span[1] - part.span[0] <= LEAST_SHARE)
    }

    /// Returns the bound that decides, and the bound beyond which parts are of no interest.
    fn aim(&self) -> SurfaceAim {
        if let Some(sought) = self.sought {
            return SurfaceAim { needed: sought.level.next_up(), beyond: sought.level };
        }
        let (options, upper) = (&self.options, self.upper);
        let beyond = if upper > options.touch { upper } else { options.touch };
        let mut needed = (upper - options.tolerance).max(options.touch.next_up());
        if let Some(require) = options.require.filter(|&require| upper >= require) {
            needed = needed.max(require);
        }
        if upper > options.within {
            needed = needed.max(options.within.next_up());
        }
        SurfaceAim { needed, beyond }
    }

    /// Adds parts; `at_least`: what is proven of the part that contains them.
    fn push_surfaces(
        &mut self,
        surfaces: &mut SurfaceParts<'_>,
        parts: impl IntoIterator<Item = SurfacePart>,
        at_least: f64,
    ) {
        // Surfaces are at least 0 apart.
        let least = (-surfaces.off()).max(at_least);
        for mut part in parts {
            part.lower = if part.lower > least { part.lower } else { least };
            let ([start, end], lower, bound) = (part.span, part.lower, part.bound);
            let of = PartOf::Surfaces(rank(surfaces.parts.len()));
            surfaces.parts.push(part);
            self.open.push(IntervalPart { lower, start, end, bound, of, least_at: 0.5 });
        }
    }

    /// Computes the distance of the surfaces at a time, and of bodies in contact their depth, for
    /// the upper end; returns the direction between them, in A's frame.
    fn measure_surfaces(&mut self, surfaces: &mut SurfaceParts<'_>, share: f64) -> Option<Vec3<f64>> {
        let bracket = self.distance_of_surfaces(surfaces, share);
        let mut upper = surfaces.upper_end(bracket.upper);
        self.upper = if upper < self.upper { upper } else { self.upper };
        if upper <= self.options.touch || bracket.normal.is_none() {
            upper = upper.min(self.upper_of_bodies(share));
        }
        if upper <= self.options.touch {
            surfaces.contact = surfaces.contact.min(share);
        }
        bracket.normal
    }

    /// Whether the bodies are proven to be in contact at a time.
    pub(super) fn is_touching(&mut self, surfaces: &mut SurfaceParts<'_>, share: f64) -> bool {
        let bracket = self.distance_of_surfaces(surfaces, share);
        // Rounding may hide a crossing from the surfaces, but not from the depth.
        surfaces.upper_end(bracket.upper) <= self.options.touch
            || (bracket.normal.is_none() && self.upper_of_bodies(share) <= self.options.touch)
    }

    /// The upper end of the signed distance of the bodies as a whole at a time, metres.
    fn upper_of_bodies(&mut self, share: f64) -> f64 {
        let node = self.evaluate(0, share);
        self.leaves[0].nodes[node as usize].upper
    }

    /// The distance of the surfaces at a time.
    fn distance_of_surfaces(&mut self, surfaces: &mut SurfaceParts<'_>, share: f64) -> SurfaceBracket {
        self.computed += 1;
        let node = Node::at(share, &self.path);
        let SurfaceParts { meshes, memory, .. } = surfaces;
        let bracket = surface_bracket(*meshes, node.poses, node.relative, memory, &mut self.work.meshes);
        surfaces.measured.push((share, surfaces.upper_end(bracket.upper)));
        bracket
    }
}

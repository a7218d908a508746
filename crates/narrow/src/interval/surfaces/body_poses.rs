//! Both bodies at one time, in the world.

use crate::interval::pair_path::PairPath;
use crate::interval::path::displacement;
use crate::interval::relative_motion::FixedIn;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::pose::rotation;
use rustc_hash::FxHashMap;

/// Two bodies at one time.
#[derive(Debug, Clone)]
pub(super) struct PairMoment {
    /// The time, as a share of the interval.
    pub(super) share: f64,
    /// The rows of `world_from_body`.
    axes: [[Vec3<f64>; 3]; 2],
    /// Vector from A's recentred origin to B's, world, metres.
    pub(super) between: Vec3<f64>,
}

impl PairMoment {
    fn new(share: f64, path: &PairPath<'_>) -> Self {
        let poses = path.poses(share);
        let between = displacement(&(&poses[0]).into(), &(&poses[1]).into());
        Self { share, axes: [rotation(poses[0].q), rotation(poses[1].q)], between }
    }

    /// A direction of a body's frame in the world.
    #[inline]
    pub(super) fn to_world(&self, body: usize, v: Vec3<f64>) -> Vec3<f64> {
        let rows = &self.axes[body];
        Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v))
    }

    /// A direction of the world in a body's frame.
    #[inline]
    pub(super) fn to_body(&self, body: usize, v: Vec3<f64>) -> Vec3<f64> {
        let rows = &self.axes[body];
        rows[0].scale(v.x) + rows[1].scale(v.y) + rows[2].scale(v.z)
    }
}

/// A direction that stands still in a frame, unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedDirection {
    pub(super) fixed: FixedIn,
    /// Unit vector in that frame.
    along: Vec3<f64>,
}

impl FixedDirection {
    /// Fixes a world direction in a frame at a moment; `None` if it is no direction.
    pub(super) fn new(fixed: FixedIn, world: Vec3<f64>, at: &PairMoment) -> Option<Self> {
        let unit = world.normalized();
        let along = match fixed {
            FixedIn::World => unit,
            FixedIn::A => at.to_body(0, unit),
            FixedIn::B => at.to_body(1, unit),
        };
        along.is_finite().then_some(Self { fixed, along })
    }

    /// Fixes a world direction in a frame at a share of the time between two moments, between which
    /// the bodies turn little.
    pub(super) fn between(fixed: FixedIn, world: Vec3<f64>, [from, to]: [&PairMoment; 2], share: f64) -> Option<Self> {
        if fixed == FixedIn::World || share <= 0.0 {
            return Self::new(fixed, world, from);
        }
        if share >= 1.0 {
            return Self::new(fixed, world, to);
        }
        let [first, last] = [Self::new(fixed, world, from)?, Self::new(fixed, world, to)?];
        let along = (first.along.scale(1.0 - share) + last.along.scale(share)).normalized();
        along.is_finite().then_some(Self { fixed, along })
    }

    /// A direction of a body's frame that stands still there; `None` if it is no direction.
    pub(super) fn of_body(body: usize, direction: Vec3<f64>) -> Option<Self> {
        let along = direction.normalized();
        along.is_finite().then_some(Self { fixed: [FixedIn::A, FixedIn::B][body], along })
    }

    /// The opposite direction.
    pub(super) fn reversed(self) -> Self {
        Self { along: -self.along, ..self }
    }

    /// Returns the direction in the world at a moment.
    #[inline]
    pub(super) fn in_world(&self, at: &PairMoment) -> Vec3<f64> {
        match self.fixed {
            FixedIn::World => self.along,
            FixedIn::A => at.to_world(0, self.along),
            FixedIn::B => at.to_world(1, self.along),
        }
    }
}

/// The moments that a search has met.
#[derive(Debug, Default)]
pub(super) struct MetMoments {
    met: Vec<PairMoment>,
    /// By the bits of the share.
    places: FxHashMap<u64, u32>,
}

impl MetMoments {
    /// The place of the moment at a share of the path.
    pub(super) fn meet(&mut self, share: f64, path: &PairPath<'_>) -> u32 {
        let next = self.met.len() as u32;
        let place = *self.places.entry(share.to_bits()).or_insert(next);
        if place == next {
            self.met.push(PairMoment::new(share, path));
        }
        place
    }

    /// The moment at a place.
    #[inline]
    pub(super) fn at(&self, place: u32) -> &PairMoment {
        &self.met[place as usize]
    }
}

//! Polyhedra whose vertices, edges and faces are built when first asked for: those around round
//! bodies, and of scenes of many shapes all others.
//!
//! A row about round bodies, and a bounding box, rarely asks for a polyhedron, which takes twenty
//! kilobytes and a quarter of a millisecond to build: of a plant of a million primitives that is
//! most of its memory and time. That of a box takes three kilobytes, and few boxes of a plant come
//! near another body.

use super::{Boundary, Polyhedron};
use crate::hull::{HullError, check_range, hull_boundary, largest_length};
use crate::planes::LazyPlanes;
use crate::round::{Cover, RoundBody, RoundCore, cover};
use crate::triangle_tree::bounds;
use crate::vec3::Vec3;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The vertices, edges and faces of a polyhedron, known or built when first asked for.
#[allow(clippy::large_enum_variant, reason = "the innermost loops read what is built, without a further pointer")]
pub enum LazyBoundary {
    /// They are known.
    Built(Boundary),
    /// They are the hull of points that can be found again.
    Deferred {
        /// The hull, once it is built.
        built: OnceLock<Box<Boundary>>,
        /// The points.
        sources: Arc<[PointSource]>,
        /// Number of the points.
        count: usize,
    },
}

/// Points that a polyhedron is the hull of, metres, and the vertices of the file that they are.
#[derive(Debug, Clone, PartialEq)]
pub enum PointSource {
    /// Vertices of a polyhedron.
    Vertices {
        /// The vertices.
        points: Vec<Vec3<f64>>,
        /// The number of each.
        source: Vec<u32>,
    },
    /// The points around a round body.
    Cover {
        /// The body.
        core: Arc<RoundCore>,
        /// The number of the first; the others count on.
        first: u32,
    },
}

impl PointSource {
    fn points(&self) -> Vec<Vec3<f64>> {
        match self {
            Self::Vertices { points, .. } => points.clone(),
            Self::Cover { core, .. } => cover(&core.body).points,
        }
    }

    /// The least and the greatest coordinates: of a round body its own.
    pub(super) fn bounds(&self) -> [Vec3<f64>; 2] {
        match self {
            Self::Vertices { points, .. } => bounds(points.iter().copied()).into(),
            Self::Cover { core, .. } => core.body.bounds(),
        }
    }

    /// The number of point `i`.
    fn number(&self, i: usize) -> u32 {
        match self {
            Self::Vertices { source, .. } => source[i],
            Self::Cover { first, .. } => first + i as u32,
        }
    }
}

impl LazyBoundary {
    /// The boundary, built at the first call.
    #[inline(always)]
    pub(super) fn get(&self) -> &Boundary {
        match self {
            Self::Built(boundary) => boundary,
            Self::Deferred { built, sources, .. } => built_once(built, sources),
        }
    }

    /// The boundary, which is known then.
    pub(super) fn get_mut(&mut self) -> &mut Boundary {
        if let Self::Deferred { sources, .. } = self {
            *self = Self::Built(hull_of(sources));
        }
        match self {
            Self::Built(boundary) => boundary,
            Self::Deferred { .. } => unreachable!("it was just built"),
        }
    }
}

/// The boundary that is built at the first call. It stays out of the loops over known vertices,
/// which hardly ever ask for it.
#[cold]
#[inline(never)]
fn built_once<'a>(built: &'a OnceLock<Box<Boundary>>, sources: &[PointSource]) -> &'a Boundary {
    built.get_or_init(|| Box::new(hull_of(sources)))
}

/// The hull of points whose range was checked when the polyhedron was made.
fn hull_of(sources: &[PointSource]) -> Boundary {
    let (mut points, mut numbers) = (Vec::new(), Vec::new());
    for source in sources {
        let own = source.points();
        numbers.extend((0..own.len()).map(|i| source.number(i)));
        points.extend(own);
    }
    let mut hull = hull_boundary(&points).expect("points of this range have a hull");
    for source in &mut hull.source {
        *source = numbers[*source as usize];
    }
    hull
}

impl Polyhedron {
    /// The polyhedron around a round body, whose points are numbered from `first`. It is built when
    /// first asked for.
    ///
    /// # Errors
    /// A coordinate is out of the range of hulls.
    pub fn around(body: RoundBody, first: u32) -> Result<Self, HullError> {
        let around = cover(&body);
        Self::covering(body, &around, first)
    }

    /// As [`Self::around`], with the [`cover`] of the body.
    ///
    /// # Errors
    /// As for [`Self::around`].
    pub fn covering(body: RoundBody, around: &Cover, first: u32) -> Result<Self, HullError> {
        check_range(&around.points)?;
        let core = Arc::new(RoundCore::new(body, around.excess));
        let radius = largest_length(&around.points);
        let sources = Arc::new([PointSource::Cover { core: Arc::clone(&core), first }]);
        Ok(Self { round: Some(core), ..Self::deferred(sources, around.points.len(), radius) })
    }

    /// The hull of several polyhedra of one frame; it is built when first asked for if one of them
    /// is.
    pub fn hull_of(cores: &[Self]) -> Self {
        let of_core = |core: &Self| match &core.boundary {
            LazyBoundary::Deferred { sources, .. } => sources.to_vec(),
            LazyBoundary::Built(_) => {
                vec![PointSource::Vertices { points: core.corners(), source: core.source.clone() }]
            }
        };
        let sources: Arc<[PointSource]> = cores.iter().flat_map(of_core).collect();
        let radius = cores.iter().fold(0.0, |most: f64, core| most.max(core.radius));
        Self::deferred(sources, cores.iter().map(Self::most_vertices).sum(), radius)
    }

    /// The same, its edges and faces forgotten until they are asked for: those of a box take ten
    /// times the memory of its vertices.
    #[must_use]
    pub fn forgotten(self) -> Self {
        let LazyBoundary::Built(boundary) = self.boundary else { return self };
        let points = (0..boundary.count as u32).map(|v| boundary.vertex(v)).collect();
        let sources = Arc::new([PointSource::Vertices { points, source: boundary.source }]);
        let boundary = LazyBoundary::Deferred { built: OnceLock::new(), sources, count: boundary.count };
        Self { boundary, planes: LazyPlanes::default(), ..self }
    }

    fn deferred(sources: Arc<[PointSource]>, count: usize, radius: f64) -> Self {
        let boundary = LazyBoundary::Deferred { built: OnceLock::new(), sources, count };
        Self { radius, away: 0.0, planes: LazyPlanes::default(), round: None, boundary }
    }

    /// Points whose hull it is: its vertices, or those that it is built from when first asked for.
    pub fn corners(&self) -> Vec<Vec3<f64>> {
        match &self.boundary {
            LazyBoundary::Built(boundary) => (0..boundary.count as u32).map(|v| boundary.vertex(v)).collect(),
            LazyBoundary::Deferred { sources, .. } => sources.iter().flat_map(PointSource::points).collect(),
        }
    }

    /// The number of [`Self::corners`]: it has no more vertices.
    #[inline]
    pub fn most_vertices(&self) -> usize {
        match &self.boundary {
            LazyBoundary::Built(boundary) => boundary.count,
            LazyBoundary::Deferred { count, .. } => *count,
        }
    }

    /// Whether its vertices, edges and faces are known.
    pub fn is_built(&self) -> bool {
        match &self.boundary {
            LazyBoundary::Built(_) => true,
            LazyBoundary::Deferred { built, .. } => built.get().is_some(),
        }
    }
}

/// A clone builds its own.
impl Clone for LazyBoundary {
    fn clone(&self) -> Self {
        match self {
            Self::Built(boundary) => Self::Built(boundary.clone()),
            Self::Deferred { sources, count, .. } => {
                Self::Deferred { built: OnceLock::new(), sources: Arc::clone(sources), count: *count }
            }
        }
    }
}

impl PartialEq for LazyBoundary {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Deferred { sources, .. }, Self::Deferred { sources: others, .. }) => sources == others,
            _ => self.get() == other.get(),
        }
    }
}

impl fmt::Debug for LazyBoundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Built(boundary) => boundary.fmt(f),
            Self::Deferred { sources, .. } => f.debug_tuple("Deferred").field(sources).finish(),
        }
    }
}

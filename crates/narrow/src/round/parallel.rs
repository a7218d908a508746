//! Solids of revolution about parallel axes, points and segments among them: the difference of two
//! is a solid of revolution, too, whose profile is the sum of both profiles. Distance and depth are
//! those of a point and a convex outline of the plane through both axes: in closed form where it is
//! a polygon. Where a side is curved, a polygon of points of the outline grows towards the point
//! until the outline reaches no farther.
//!
//! Axes that are parallel but for a small angle are turned into each other: no point of the shorter
//! body moves by more than that angle times its reach, and the bracket opens by as much. It is done
//! where that is less than rounding; if the bodies overlap, where it is less than [`OPENED`] of the
//! size: there a ring of directions is equally deep but for the angle, which no polytope resolves
//! in few points.

use super::Proven;
use crate::pair::Pair;
use clearsweep_geometry::{Polyhedron, RoundBody, Vec3};

/// By how much a bracket of an overlap may open, in sizes of the pair.
const OPENED: f64 = 4.5e-7;

/// A solid of revolution, and the plane through its axis in which it is looked at.
#[derive(Clone, Copy)]
pub(super) struct Solid<'a> {
    /// A point of the axis, metres.
    pub(super) middle: Vec3<f64>,
    /// The axis (unit; `None`: a point is a solid about any).
    pub(super) axis: Option<Vec3<f64>>,
    /// Points of the outline, metres.
    profile: [Planar; 6],
    count: usize,
    /// A body whose outline is more than these points.
    pub(super) curved: Option<&'a RoundBody>,
    /// No point is farther from the middle, metres.
    reach: f64,
}

impl<'a> Solid<'a> {
    pub(super) fn of(core: &'a Polyhedron) -> Option<Self> {
        let straight = |middle: Vec3<f64>, axis: Option<Vec3<f64>>, length: f64| {
            let profile = [[0.0; 2], [0.0, length], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]];
            Self { middle, axis, profile, count: 2, curved: None, reach: length }
        };
        match core.round.as_deref().map(|round| &round.body) {
            Some(body @ RoundBody::Caps { revolution, .. }) => revolution.map(|solid| Self {
                middle: solid.middle,
                axis: Some(solid.axis),
                profile: solid.profile,
                count: solid.count,
                curved: (!solid.is_straight).then_some(body),
                reach: solid.reach,
            }),
            Some(RoundBody::Sector(_)) => None,
            None => match core.dimension {
                0 => Some(straight(core.vertex(0), None, 0.0)),
                1 => {
                    let [from, to] = [core.vertex(0), core.vertex(1)];
                    let along = to - from;
                    Some(straight(from, Some(along.normalized()), along.length()))
                }
                _ => None,
            },
        }
    }

    /// The points of the outline that are known from the start.
    pub(super) fn points(&self) -> &[Planar] {
        &self.profile[..self.count]
    }

    /// With the axis the other way round.
    fn reversed(self) -> Self {
        Self { axis: self.axis.map(|axis| -axis), profile: self.profile.map(|[x, z]| [x, -z]), ..self }
    }

    /// The point of the outline farthest along a direction, beside the axis (`x >= 0`).
    fn support(&self, [x, z]: Planar) -> Planar {
        if let (Some(body), Some(axis)) = (self.curved, self.axis) {
            let point = body.support(any_across(axis).scale(x) + axis.scale(z)) - self.middle;
            let along = point.dot(axis);
            return [(point - axis.scale(along)).length(), along];
        }
        let height = |point: &Planar| dot(*point, [x, z]);
        let farther = |best: Planar, next: &Planar| if height(next) > height(&best) { *next } else { best };
        self.points()[1..].iter().fold(self.profile[0], farther)
    }
}

/// A point of the plane: across and along the axes, metres.
type Planar = [f64; 2];

fn dot(a: Planar, b: Planar) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn minus(a: Planar, b: Planar) -> Planar {
    [a[0] - b[0], a[1] - b[1]]
}

/// The signed distance of a point and a polygon: the unit vector out of the polygon, and metres.
#[derive(Clone, Copy)]
struct PlanarDistance {
    normal: Planar,
    distance: f64,
}

/// An answer in closed form.
pub(super) struct InClosedForm {
    pub(super) proven: Proven,
    /// Whether the bracket is as narrow as that of any search; else it may be opened by up to
    /// [`COARSE`] of the size, and is worth having where a search ends with a wider one.
    pub(super) is_fine: bool,
}

/// By how much a bracket of an overlap may open if that is better than what a search finds, in
/// sizes of the pair.
const COARSE: f64 = 1e-3;

/// The answer in closed form; `None` if the bodies are not two such solids.
pub(super) fn proven(pair: &Pair<'_, f64>) -> Option<InClosedForm> {
    let (a, mut b) = (Solid::of(pair.a)?, Solid::of(pair.b)?);
    let turned = b.axis.map(|axis| pair.pose.vector(axis));
    let between = pair.pose.point(b.middle) - a.middle;
    let axes = CommonAxis::of(a, turned, b)?;
    if axes.opened > COARSE * pair.size {
        return None;
    }
    let along = between.dot(axes.axis);
    let across = between - axes.axis.scale(along);
    let distance_across = across.length();
    // Axes that are one but for rounding have no direction between them.
    let out = match distance_across > pair.bound() {
        true => (across - axes.axis.scale(across.dot(axes.axis))).normalized(),
        false => any_across(axes.axis),
    };
    if axes.is_reversed {
        b = b.reversed();
    }
    let point = [distance_across, along];
    let (found, [lower, upper]) = distance_from_outline(point, [a, b], 0.25 * pair.bound());
    if axes.opened > 0.25 * pair.bound() && found.distance > -axes.opened.max(OPENED * pair.size) {
        return None;
    }
    let PlanarDistance { normal: [x, z], distance } = found;
    let normal = (out.scale(x) + axes.axis.scale(z)).normalized();
    let at = witness(found.normal, [a, b], point, pair.bound());
    let point_a = a.middle + out.scale(at[0]) + axes.axis.scale(at[1]);
    let opened = pair.bound() + axes.opened;
    let (lower, upper) = (lower - opened, upper + opened);
    let proven = Proven { normal, distance, point_a, lower, upper, vertices: [0; 4], count: 0 };
    let is_fine = axes.opened <= OPENED * pair.size;
    Some(InClosedForm { proven: with_vertices(proven, pair), is_fine })
}

/// The signed distance of a point and the difference of two solids, and a bracket of it: of no
/// width where no side is curved, and else at most `fine` wide, metres, but for rounding.
fn distance_from_outline(point: Planar, [a, b]: [Solid<'_>; 2], fine: f64) -> (PlanarDistance, [f64; 2]) {
    let mut chain = Chain::of(a.points(), b.points());
    let mut found = signed_distance(point, &chain);
    if a.curved.is_none() && b.curved.is_none() {
        return (found, [found.distance; 2]);
    }
    let mut best = PlanarDistance { normal: found.normal, distance: f64::NEG_INFINITY };
    for _ in 0..OUTLINE_POINTS {
        let farthest = support_of_difference(&a, &b, found.normal);
        let distance = dot(found.normal, minus(point, farthest));
        if distance > best.distance {
            best = PlanarDistance { normal: found.normal, distance };
        }
        if found.distance - best.distance <= fine || !chain.add(farthest) {
            break;
        }
        found = signed_distance(point, &chain);
    }
    // Inside, a direction shows the distance; outside, a point does.
    let bracket = [best.distance.min(found.distance), found.distance];
    (if found.distance < 0.0 { best } else { found }, bracket)
}

/// Sums of the points of two outlines that are known from the start, at most.
const OUTLINE_STARTS: usize = 36;

/// Points of an outline that are looked at, at most.
const OUTLINE_POINTS: usize = 48;

/// The point of the outline of the difference that is farthest along a direction.
fn support_of_difference(a: &Solid<'_>, b: &Solid<'_>, [x, z]: Planar) -> Planar {
    let (own, other) = (a.support([x, z]), b.support([x, -z]));
    [own[0] + other[0], own[1] - other[1]]
}

/// The axis that both solids are taken to be about.
struct CommonAxis {
    axis: Vec3<f64>,
    /// Whether that of B points the other way.
    is_reversed: bool,
    /// How far a point moves for that, at most, metres.
    opened: f64,
}

impl CommonAxis {
    /// `turned`: the axis of B in A's frame. `None` if the axes are far from parallel.
    fn of(a: Solid<'_>, turned: Option<Vec3<f64>>, b: Solid<'_>) -> Option<Self> {
        let (own, other) = match (a.axis, turned) {
            (Some(own), Some(other)) => (own, other),
            (Some(axis), None) | (None, Some(axis)) => return Some(Self { axis, is_reversed: false, opened: 0.0 }),
            (None, None) => return None,
        };
        let sine = own.cross(other).length();
        if sine.is_nan() || sine > 1e-3 {
            return None;
        }
        // Both axes are unit vectors to within a few units in the last place.
        let angle = sine * (1.0 + 1e-6);
        let (reach_a, reach_b) = (a.reach, b.reach);
        let is_reversed = own.dot(other) < 0.0;
        // The shorter body turns about its middle.
        let axis = if reach_b <= reach_a {
            own
        } else if is_reversed {
            -other
        } else {
            other
        };
        Some(Self { axis, is_reversed, opened: angle * reach_a.min(reach_b) })
    }
}

/// A unit vector across an axis: the same for all coaxial bodies at this axis.
pub(super) fn any_across(axis: Vec3<f64>) -> Vec3<f64> {
    let [x, y, z] = axis.to_array().map(f64::abs);
    let least = match () {
        () if x <= y && x <= z => Vec3::new(1.0, 0.0, 0.0),
        () if y <= z => Vec3::new(0.0, 1.0, 0.0),
        () => Vec3::new(0.0, 0.0, 1.0),
    };
    axis.cross(least).normalized()
}

/// The outline of the difference beside the axis, from below upwards, or points of it: corners of a
/// chain that turns left. Mirrored at the axis and closed below and above, it is a convex polygon.
struct Chain {
    corners: [Planar; OUTLINE_STARTS + OUTLINE_POINTS],
    count: usize,
}

impl Chain {
    /// The chain of the points of two outlines: up to six of each.
    fn of(a: &[Planar], b: &[Planar]) -> Self {
        let mut chain = Self { corners: [[0.0; 2]; OUTLINE_STARTS + OUTLINE_POINTS], count: 0 };
        for own in a {
            for other in b {
                chain.corners[chain.count] = [own[0] + other[0], own[1] - other[1]];
                chain.count += 1;
            }
        }
        chain.straighten();
        chain
    }

    /// Adds a point; whether it is a corner.
    fn add(&mut self, point: Planar) -> bool {
        if self.count == self.corners.len() {
            return false;
        }
        self.corners[self.count] = point;
        self.count += 1;
        self.straighten();
        self.corners().contains(&point)
    }

    /// Leaves the corners of the chain, in its order.
    fn straighten(&mut self) {
        let points = self.count;
        // By height, and of equal heights the inner first: of these only the outermost is a corner.
        self.corners[..points].sort_by(|one, other| one[1].total_cmp(&other[1]).then(one[0].total_cmp(&other[0])));
        self.count = 0;
        for at in 0..points {
            let next = self.corners[at];
            while self.count > 0 && self.leaves_out(next) {
                self.count -= 1;
            }
            self.corners[self.count] = next;
            self.count += 1;
        }
    }

    /// Whether the last corner is none once `next` follows.
    fn leaves_out(&self, next: Planar) -> bool {
        let last = self.corners[self.count - 1];
        if last[1] == next[1] {
            return true;
        }
        let Some(before) = self.count.checked_sub(2).map(|at| self.corners[at]) else { return false };
        let (one, two) = (minus(last, before), minus(next, last));
        one[0] * two[1] - one[1] * two[0] <= 0.0
    }

    fn corners(&self) -> &[Planar] {
        &self.corners[..self.count]
    }
}

/// The signed distance of a point with `x >= 0`. Of equal depths the side wins over the ends, and
/// that below over that above.
fn signed_distance(point: Planar, chain: &Chain) -> PlanarDistance {
    let corners = chain.corners();
    let (first, last) = (corners[0], corners[corners.len() - 1]);
    let mut inside = PlanarDistance { normal: [1.0, 0.0], distance: f64::NEG_INFINITY };
    let mut outside = PlanarDistance { normal: [1.0, 0.0], distance: f64::INFINITY };
    let mut visit = |normal: Planar, [from, to]: [Planar; 2]| {
        let height = dot(normal, minus(point, from));
        if height > inside.distance {
            inside = PlanarDistance { normal, distance: height };
        }
        if height < 0.0 {
            return;
        }
        // The nearest point of the side: in between, or a corner.
        let along = minus(to, from);
        let share = dot(minus(point, from), along) / dot(along, along);
        let nearest = match share {
            share if share > 0.0 && share < 1.0 => PlanarDistance { normal, distance: height },
            share => {
                let away = minus(point, if share >= 1.0 { to } else { from });
                let length = away[0].hypot(away[1]);
                let normal = if length > 0.0 { away.map(|c| c / length) } else { normal };
                PlanarDistance { normal, distance: length }
            }
        };
        if nearest.distance < outside.distance {
            outside = nearest;
        }
    };
    for pair in corners.windows(2) {
        let along = minus(pair[1], pair[0]);
        let length = along[0].hypot(along[1]);
        visit([along[1] / length, -along[0] / length], [pair[0], pair[1]]);
    }
    visit([0.0, -1.0], [[-first[0], first[1]], first]);
    visit([0.0, 1.0], [last, [-last[0], last[1]]]);
    if inside.distance > 0.0 { outside } else { inside }
}

/// The point of A, across and along the axis from its middle, in the middle of the places where the
/// supports of both bodies along a direction face each other. `between`: from A's middle to B's.
fn witness(normal: Planar, solids: [Solid<'_>; 2], between: Planar, bound: f64) -> Planar {
    let across = [-normal[1], normal[0]];
    let [a, b] = [0, 1].map(|body| {
        let (from, sign) = if body == 0 { ([0.0; 2], 1.0) } else { (between, -1.0) };
        let solid = &solids[body];
        let curved = solid.curved.map(|_| solid.support([normal[0], sign * normal[1]]));
        let points = || solid.points().iter().copied().chain(curved);
        let both_sides = || points().flat_map(|[radius, z]| [[radius, z], [-radius, z]]);
        let corners = || both_sides().map(|corner| [from[0] + corner[0], from[1] + corner[1]]);
        let most = corners().map(|corner| sign * dot(normal, corner)).fold(f64::NEG_INFINITY, f64::max);
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        for corner in corners().filter(|corner| sign * dot(normal, *corner) >= most - bound) {
            let at = dot(across, corner);
            span = [span[0].min(at), span[1].max(at)];
        }
        (sign * most, span)
    });
    let ((height, own), (_, other)) = (a, b);
    let [low, high] = [own[0].max(other[0]), own[1].min(other[1])];
    let at = (0.5 * (low + high)).clamp(own[0], own[1]);
    [normal[0] * height + across[0] * at, normal[1] * height + across[1] * at]
}

/// With the vertices of a point or a segment that support it.
pub(super) fn with_vertices(proven: Proven, pair: &Pair<'_, f64>) -> Proven {
    let (core, d) = match (pair.a.round.is_some(), pair.b.round.is_some()) {
        (true, true) => return proven,
        (false, _) => (pair.a, proven.normal),
        (true, _) => (pair.b, -pair.pose.inverse_vector(proven.normal)),
    };
    if core.count == 1 {
        return Proven { count: 1, ..proven };
    }
    let heights = [0, 1].map(|v| core.vertex(v).dot(d));
    if (heights[0] - heights[1]).abs() <= pair.bound() {
        return Proven { vertices: [0, 1, 0, 0], count: 2, ..proven };
    }
    Proven { vertices: [u32::from(heights[1] > heights[0]); 4], count: 1, ..proven }
}

//! Polyhedra around round bodies.

use super::{Cap, RoundBody, Section, Sector};
use crate::vec3::Vec3;
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Sides of the polygon around a circle.
const SIDES: usize = 32;

/// Sides of the polygon around the section of a torus.
const SECTION_SIDES: usize = 24;

/// The largest angle between the tangents around an arc.
const ARC: f64 = PI / 16.0;

/// Outwards by a few units in the last place, so that rounding never cuts into the body.
const OUTWARD: f64 = 1.0 + 16.0 * f64::EPSILON;

/// The vertices of a polyhedron around a round body, metres.
#[derive(Debug, Clone, PartialEq)]
pub struct Cover {
    /// Their hull contains the body.
    pub points: Vec<Vec3<f64>>,
    /// No point of their hull is farther from the body, metres, rounded up.
    pub excess: f64,
}

/// A polyhedron around a round body.
pub fn cover(body: &RoundBody) -> Cover {
    let mut cover = match body {
        RoundBody::Caps { caps, .. } => of_caps(caps),
        RoundBody::Sector(sector) => of_sector(sector),
    };
    let reach = cover.points.iter().fold(0.0_f64, |most, point| most.max(point.length()));
    cover.excess = cover.excess * (1.0 + 1e-9) + 64.0 * f64::EPSILON * reach;
    cover
}

/// Cosines and sines of the shares of a turn.
fn shares<const N: usize>() -> [[f64; 2]; N] {
    std::array::from_fn(|i| {
        let angle = 2.0 * PI * (i as f64) / (N as f64);
        [libm::cos(angle), libm::sin(angle)]
    })
}

/// The corners of the polygon around a circle, but for its radius.
static AROUND_CIRCLE: LazyLock<[[f64; 2]; SIDES]> = LazyLock::new(shares);

/// The corners of the polygon around the section of a torus, but for its radius.
static AROUND_SECTION: LazyLock<[[f64; 2]; SECTION_SIDES]> = LazyLock::new(shares);

fn of_caps(caps: &[Cap]) -> Cover {
    let profiles: Vec<Vec<[f64; 2]>> = caps.iter().map(profile).collect();
    let count = SIDES * profiles.iter().map(Vec::len).sum::<usize>();
    let (mut points, mut excess) = (Vec::with_capacity(count), 0.0_f64);
    for (cap, profile) in caps.iter().zip(profiles) {
        for [x, y, z] in around(profile) {
            let point = cap.image([x, y, z]);
            excess = excess.max((point - cap.image(inside(cap, [x, y, z]))).length());
            points.push(point);
        }
    }
    points.dedup();
    Cover { points, excess }
}

/// A point of the unit ball's part, near to one outside of it.
fn inside(cap: &Cap, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let (rim, across2, lowest) = (cap.rim(), x * x + y * y, cap.lowest());
    let across = across2.sqrt();
    if cap.height < 0.5 {
        // Below it, or on the rim.
        let scale = if across > rim { rim / across } else { 1.0 };
        let drop = scale * scale * across2;
        let surface = cap.height - drop / (1.0 + (1.0 - drop).max(0.0).sqrt());
        return [x * scale, y * scale, z.min(surface).max(0.0)];
    }
    // From the middle of the ball.
    let base = (1.0 - cap.height).max(0.0);
    let length = (across2 + (z + base) * (z + base)).sqrt();
    if z + base <= (1.0 - cap.height) * length && across > 0.0 {
        let scale = (rim / across).min(1.0);
        return [x * scale, y * scale, lowest];
    }
    let scale = 1.0 / length.max(1.0);
    [x * scale, y * scale, ((z + base) * scale - base).max(lowest)]
}

/// A polyline of tangents around the part of the unit ball in a plane through z: distances from z,
/// and heights.
fn profile(cap: &Cap) -> Vec<[f64; 2]> {
    let mut profile: Vec<[f64; 2]> = Vec::new();
    let rim = [cap.rim(), cap.lowest()];
    if cap.is_flat() {
        profile.push([1.0, 0.0]);
    } else {
        let end = 2.0 * libm::asin((0.5 * cap.height).sqrt());
        let count = (end / ARC).ceil().max(1.0);
        let step = end / count;
        let radius = OUTWARD / libm::cos(0.5 * step);
        let top = cap.height.min(1.0);
        for k in (0..count as u32).map(f64::from) {
            let angle = (k + 0.5) * step;
            // How far a tangent's end is below the top, without a difference of numbers near to 1.
            let sines = libm::sin(0.5 * (k + 1.0) * step) * libm::sin(0.5 * k * step);
            let drop = 2.0 * sines / libm::cos(0.5 * step);
            profile.push([radius * libm::sin(angle), top - drop + (OUTWARD - 1.0) * radius]);
        }
        if cap.height < 2.0 {
            profile.push(rim);
        }
    }
    profile
}

/// Points whose hull contains the part of the unit ball: its profile, turned about z as polygons
/// around the circles.
fn around(profile: Vec<[f64; 2]>) -> impl Iterator<Item = [f64; 3]> {
    let outward = OUTWARD / libm::cos(PI / SIDES as f64);
    let ring = move |[radius, z]: [f64; 2]| {
        AROUND_CIRCLE.iter().map(move |[cos, sin]| [radius * outward * cos, radius * outward * sin, z])
    };
    profile.into_iter().flat_map(ring)
}

/// Every arc of the sector lies in the triangle of its ends and the point where the tangents there
/// meet; also one of a corner of the polygon that lies beyond the axis.
fn of_sector(sector: &Sector) -> Cover {
    let section: Vec<[f64; 2]> = match sector.section {
        Section::Disc { arc, radius } => {
            let outer = radius * OUTWARD / libm::cos(PI / SECTION_SIDES as f64);
            AROUND_SECTION.iter().map(|[cos, sin]| [arc + outer * cos, outer * sin]).collect()
        }
        Section::Rectangle { inner, outer, half_height } => {
            [[inner, -half_height], [outer, -half_height], [outer, half_height], [inner, half_height]].to_vec()
        }
    };
    let (middle, sagitta) = (sector.middle_turn(), sector.sagitta());
    let farther = OUTWARD / (1.0 - sagitta);
    let mut points = Vec::new();
    for &[out, up] in &section {
        for (turn, scale) in [(sector.from, 1.0), (middle, farther), (sector.to, 1.0)] {
            points.push(sector.point(turn, [out * scale, up]).point);
        }
    }
    // A vertex is off the section by the corner of its polygon, and off the arc by its tangents; a
    // chord of points of the sector is off the sector by the sagitta.
    let corner = match sector.section {
        Section::Disc { radius, .. } => radius * (OUTWARD / libm::cos(PI / SECTION_SIDES as f64) - 1.0),
        Section::Rectangle { .. } => 0.0,
    };
    let outer = sector.section.extent()[1] + corner;
    let off = corner + outer * (farther - 1.0) + outer * sagitta;
    let scale = sector.axes.iter().map(|axis| axis.length2()).sum::<f64>().sqrt();
    Cover { points, excess: off * scale }
}

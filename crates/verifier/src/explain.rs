//! Why a row is proven: the numbers with which somebody can check it by hand.

use clearsweep_model::Shape;
use clearsweep_records::{Distance, Interval};

use crate::checked_body::Parts;
use crate::finding::Finding;
use crate::frames::Frame;
use crate::interval_check::{Covered, Sampled, interval};
use crate::oracle::number::{Vector, dot, norm, sub, times, values, wide};
use crate::oracle::place::FILTER;
use crate::pair_truth::PairAt;
use crate::placement::Placement;
use crate::recheck::Recheck;
use crate::row_check::Posed;

/// Vertices of a supporting plane that are listed.
const MOST_VERTICES: usize = 2;

/// Directions of an interval that are listed.
const MOST_COVERS: usize = 16;

/// A vertex of a body on its supporting plane.
#[derive(Clone, Copy, Debug)]
pub struct SupportVertex {
    /// Its number in the file; `None` for a point of a round body.
    pub number: Option<u32>,
    /// Its place in its own body's frame, metres.
    pub own: Vector<f64>,
    /// Its place in A's frame, metres.
    pub in_a: Vector<f64>,
    /// Its height along the normal, metres.
    pub height: f64,
}

/// One body's side of the proof.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The vertices on the supporting plane, a few of them.
    pub vertices: Vec<SupportVertex>,
    /// All of them.
    pub count: usize,
    /// All vertices whose heights were compared.
    pub compared: usize,
    /// Height of the plane along the normal, without growth, metres.
    pub height: f64,
    /// Radius by which the body is inflated, metres.
    pub growth: f64,
    /// Declared deviation of the body, metres.
    pub deviation: f64,
    /// Largest distance of a point from the origin of its frame, growth included, metres.
    pub reach: f64,
    /// Origin of its frame in the body's own one, metres.
    pub center: Vector<f64>,
    /// The witness point in A's frame, metres.
    pub witness: Option<Vector<f64>>,
}

/// The proof of a row of `distances`.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Unit normal from A to B in A's frame.
    pub normal: Vector<f64>,
    /// A and B.
    pub sides: [Side; 2],
    /// Rows of the rotation from B's frame to A's, and the translation, metres.
    pub rotation: [Vector<f64>; 3],
    /// See `rotation`.
    pub translation: Vector<f64>,
    /// The gap of the planes, growth taken off, metres.
    pub gap: f64,
    /// Whether the planes are those of the whole bodies: their gap is a lower end.
    pub is_of_whole_bodies: bool,
    /// Size of the pair: both reaches and the length of the translation, metres.
    pub size: f64,
    /// Findings of the verifier about the row.
    pub findings: Vec<Finding>,
}

/// The proof of a row of `intervals`.
#[derive(Clone, Debug)]
pub struct IntervalExplanation {
    /// Directions, each with the part it covers; empty if they do not prove the row.
    pub covers: Vec<Covered>,
    /// Distances at some shares of the interval: shares, and both ends, metres.
    pub samples: Vec<(f64, [f64; 2])>,
    /// Placements of both bodies in the middle of the times of least distance, in a frame of their
    /// own.
    pub places: [Placement; 2],
    /// Findings of the verifier about the row.
    pub findings: Vec<Finding>,
}

/// Published numbers of the stored vertices of a part of a body.
fn numbers(shape: &Shape, part: usize, vertex: usize) -> Option<u32> {
    shape.pieces.get(part)?.core.source.get(vertex).copied()
}

/// Explains a row; `None` if a body is absent in the frame, or the table has no witness points.
pub fn row(of: &Recheck, frame: &Frame, row: &Distance) -> Option<Explanation> {
    let pair = [row.a_index as u32, row.b_index as u32];
    let places = [frame.places[pair[0] as usize].as_ref()?, frame.places[pair[1] as usize].as_ref()?];
    let bodies = pair.map(|body| of.body(body));
    let posed = Posed { bodies, places };
    let at = PairAt::new(bodies, places);
    let world = [row.n_x?, row.n_y?, row.n_z?];
    let normal = in_frame(places[0], world);
    let parts = [row.part_a, row.part_b].map(|part| part.unwrap_or(-1));
    let points = [[row.a_x?, row.a_y?, row.a_z?], [row.b_x?, row.b_y?, row.b_z?]];
    let side = |k: usize| {
        let shape = &of.scene().bodies[pair[k] as usize].shape;
        let sign = if k == 0 { 1.0 } else { -1.0 };
        let to_a = |p: Vector<f64>| if k == 0 { p } else { at.place.rough(p) };
        let (list, part) = candidates(&bodies[k].parts, shape, parts[k], times(own_direction(&at, normal, k), sign));
        let heights: Vec<(usize, f64)> = list.iter().map(|&(number, p)| (number, dot(normal, to_a(p)))).collect();
        let top = heights.iter().map(|(_, h)| sign * h).fold(f64::NEG_INFINITY, f64::max);
        let on = |&&(_, h): &&(usize, f64)| sign * h >= top - 16.0 * FILTER * at.size;
        let chosen: Vec<usize> = (0..list.len()).filter(|&i| on(&&heights[i])).collect();
        let vertex = |&i: &usize| SupportVertex {
            number: part.and_then(|part| numbers(shape, part, list[i].0)).or_else(|| mesh_number(shape, list[i].0)),
            own: list[i].1,
            in_a: to_a(list[i].1),
            height: heights[i].1,
        };
        Side {
            vertices: chosen.iter().take(MOST_VERTICES).map(vertex).collect(),
            count: chosen.len(),
            compared: list.len(),
            height: sign * top,
            growth: part.and_then(|part| shape.pieces.get(part)).map_or(bodies[k].growth, |piece| piece.radius),
            deviation: bodies[k].deviation,
            reach: shape.radius,
            center: shape.center.to_array(),
            witness: Some(relative(places[0], points[k])),
        }
    };
    let sides = [side(0), side(1)];
    let gap = sides[1].height - sides[0].height - sides[0].growth - sides[1].growth;
    let translation = at.place.rough_shift;
    let size = sides[0].reach + sides[1].reach + norm(translation);
    let is_of_whole_bodies = bodies.iter().all(|body| body.is_convex());
    let findings = posed.row(row, &of.scene().query);
    Some(Explanation {
        normal,
        sides,
        rotation: at.place.rough_rows,
        translation,
        gap,
        is_of_whole_bodies,
        size,
        findings,
    })
}

/// A direction of A's frame in that of body `k`.
fn own_direction(at: &PairAt<'_>, normal: Vector<f64>, k: usize) -> Vector<f64> {
    if k == 0 { normal } else { at.place.rough_back(normal) }
}

/// A direction of the world in the frame of a placement.
fn in_frame(place: &Placement, v: Vector<f64>) -> Vector<f64> {
    values(place.columns().map(|column| dot(column, wide(v))))
}

/// A point of the world in the frame of a placement, metres.
fn relative(place: &Placement, p: Vector<f64>) -> Vector<f64> {
    in_frame(place, [0, 1, 2].map(|k: usize| (p[k] - place.position[k]) - place.rest[k]))
}

fn mesh_number(shape: &Shape, vertex: usize) -> Option<u32> {
    shape.mesh.as_ref()?.vertex_numbers().get(vertex).copied()
}

/// The vertices among which the support is: those of the convex piece that the row names, or the
/// corners of its triangle; for a round body its farthest point. With the piece.
fn candidates(
    parts: &Parts,
    shape: &Shape,
    part: i32,
    along: Vector<f64>,
) -> (Vec<(usize, Vector<f64>)>, Option<usize>) {
    let piece = usize::try_from(part).unwrap_or(0);
    match parts {
        Parts::Cores(cores) => {
            let piece = piece.min(cores.len() - 1);
            (cores[piece].points.iter().copied().enumerate().collect(), Some(piece))
        }
        Parts::Mesh => {
            let mesh = shape.mesh.as_ref();
            let corners = mesh.and_then(|mesh| {
                let at = mesh.triangle_numbers().iter().position(|&number| i64::from(number) == i64::from(part))?;
                Some(mesh.triangles()[at])
            });
            let corner = |&v: &u32| Some((v as usize, mesh?.vertices()[v as usize].to_array()));
            (corners.iter().flatten().filter_map(corner).collect(), None)
        }
        Parts::Round => {
            let piece = piece.min(shape.pieces.len() - 1);
            let core = &shape.pieces[piece].core;
            match &core.round {
                Some(round) => (vec![(usize::MAX, round.body.support(along.into()).to_array())], Some(piece)),
                None => ((0..core.count).map(|v| (v, core.vertex(v as u32).to_array())).collect(), Some(piece)),
            }
        }
    }
}

/// Explains a row of `intervals`; `None` if the motion of the bodies is not known.
pub fn interval_row(of: &Recheck, frame: &Frame, row: &Interval) -> Option<IntervalExplanation> {
    let pair = [row.a_index as u32, row.b_index as u32];
    let scene = of.scene();
    let ends = of.ends(frame, pair);
    let findings = interval(row, ends.as_ref(), &scene.query, &scene.motion);
    let mut sampled = Sampled::new(&ends?, scene.motion.between)?;
    let aim = row.lower_m.unwrap_or(f64::NEG_INFINITY);
    let covers = if aim.is_finite() { sampled.cover([0.0, 1.0], aim, MOST_COVERS) } else { None };
    let middle = 0.5 * (row.closest_lo + row.closest_hi);
    let shares = [0.0, middle, 1.0];
    let samples = shares.map(|share| (share, sampled.at(share))).to_vec();
    let (covers, places) = (covers.unwrap_or_default(), sampled.places(middle));
    Some(IntervalExplanation { covers, samples, places, findings })
}

impl Explanation {
    /// Distance of the witness points, metres; `None` without them.
    pub fn between(&self) -> Option<f64> {
        Some(norm(sub(self.sides[1].witness?, self.sides[0].witness?)))
    }
}

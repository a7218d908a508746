//! Random bodies and motions for the tests of this stage, and how what comes of them is compared.

use crate::feature::Feature;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use crate::rows::RowTerms;
use crate::solve_outcome::SolveOutcome;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Pose, Vec3};
use clearsweep_model::Proximity;
use clearsweep_model::{QueryOptions, SAMPLES, SampleColumn};

/// Seeded random numbers.
pub(crate) struct RandomBodies(pub(crate) u64);

impl RandomBodies {
    /// In -1..1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }

    /// A hull of about `count` points of the unit sphere, or a box or a flat polygon.
    pub(crate) fn body(&mut self, kind: usize) -> Polyhedron {
        let signs = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { -1.0 });
        let points: Vec<Vec3<f64>> = match kind {
            0 => (0..8).map(|k| signs(k).into()).collect(),
            1 => (0..6).map(|_| Vec3::new(self.next(), self.next(), 0.0)).collect(),
            2 => (0..90).map(|_| self.point().normalized()).collect(),
            3 => (0..20)
                .flat_map(|k| {
                    let (s, c) = (0.3 * f64::from(k)).sin_cos();
                    [Vec3::new(c, s, 0.2), Vec3::new(c, s, -0.2)]
                })
                .collect(),
            _ => (0..12).map(|_| self.point()).collect(),
        };
        convex_hull(&points).expect("finite points")
    }

    /// A direction out of a feature: a mixture of the normals around it, some tipped or at the
    /// horizon of what it may be.
    pub(crate) fn direction(&mut self, p: &Polyhedron, feature: Feature) -> Vec3<f64> {
        let share = match (2.0 * (self.next() + 1.0)) as usize % 4 {
            0 => 0.5 + 0.5 * self.next(),
            1 => 1e-9 * self.next(),
            _ => 0.5 + 0.49 * self.next(),
        };
        let faces = |e: u32| p.edges[e as usize].f.map(|f| p.normals[f as usize]);
        let normal = match feature.kind {
            Face => p.normals[feature.index as usize],
            Edge => {
                let [left, right] = faces(feature.index);
                left.scale(share) + right.scale(1.0 - share)
            }
            Vertex => {
                let v = feature.index as usize;
                let incident_edges =
                    &p.neighbour_edges[p.neighbour_start[v] as usize..p.neighbour_start[v + 1] as usize];
                let all = incident_edges.iter().flat_map(|&e| faces(e)).fold(Vec3::ZERO, |sum, n| sum + n);
                let [left, right] = faces(incident_edges[0]);
                all.scale(share / incident_edges.len() as f64) + (left + right).scale(1.0 - share)
            }
        };
        let tip = [0.0, 0.0, 1e-12, 1e-4][(2.0 * (self.next() + 1.0)) as usize % 4];
        (normal + self.point().scale(tip)).normalized()
    }
}

/// A block in which B drifts slowly past A, and the features of the first sample.
pub(crate) fn block(draw: &mut RandomBodies) -> (Vec<SampleColumn>, Pose) {
    let (from, to) = (draw.point().normalized().scale(2.6), draw.point().scale(0.3));
    let (q, turn) = ([draw.next(), draw.next(), draw.next(), draw.next()], draw.point().scale(0.1));
    let mut lanes = vec![SampleColumn([0.0; SAMPLES]); 10];
    for s in 0..SAMPLES {
        let at = s as f64 / 64.0;
        let p = from + to.scale(at);
        let values = [p.x, p.y, p.z, q[0], q[1] + turn.x * at, q[2] + turn.y * at, q[3] + turn.z * at, 0.0, 0.0, 0.0];
        lanes.iter_mut().zip(values).for_each(|(lane, value)| lane.0[s] = value);
    }
    (lanes, Pose::new([0.0; 3], [1.0, draw.next(), draw.next(), draw.next()]))
}

/// Returns the options of a case: cut-offs that some rows pass and others do not, growth in some.
pub(crate) fn options(case: usize) -> QueryOptions {
    let within = [f64::INFINITY, 0.4][case / 2 % 2];
    QueryOptions { within, touch: [0.0, 0.2][case / 4 % 2], ..QueryOptions::EVERYTHING }
}

/// Returns the terms of the rows of two bodies that grow by `radii`.
pub(crate) fn rows<'a>(cores: [&'a Polyhedron; 2], radii: [f64; 2], options: &'a QueryOptions) -> RowTerms<'a> {
    let extent = cores[0].radius + cores[1].radius + radii[0] + radii[1];
    RowTerms { cores, radii, extent, options }
}

/// An outcome in every bit.
pub(crate) fn bits(outcome: &SolveOutcome<Option<Proximity>>) -> Vec<u64> {
    match outcome {
        SolveOutcome::Undecided | SolveOutcome::Answered(None) => vec![],
        SolveOutcome::Beyond { gap, normal } => {
            normal.unwrap_or(Vec3::ZERO).to_array().into_iter().chain([*gap]).map(f64::to_bits).collect()
        }
        SolveOutcome::Answered(Some(row)) => {
            let vectors = [row.point_a, row.point_b, row.normal].map(|v| v.to_array().map(f64::to_bits));
            let features = row.feature.map(|n| n as u64).into_iter().chain(row.feature_kind.map(|k| k as u64));
            let rest = [u64::from(row.sample), row.status as u64, row.method as u64];
            let numbers = [row.distance, row.lower, row.upper].map(f64::to_bits);
            vectors.into_iter().flatten().chain(features).chain(rest).chain(numbers).collect()
        }
    }
}

//! A body three times: for the engine, for the verifier, and (of few points) for the oracle.

use clearsweep_model::Shape;
use std::cell::OnceCell;

use std::sync::Arc;

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::Proximity;
use clearsweep_scene::Geometry;

use crate::bridge;
use crate::oracle::families::Recipe;
use crate::oracle::number::{Vector, norm};
use crate::oracle::{Body, Placement};
use crate::recheck::hull::Hull;

/// Most points of a body that the oracle is asked about: it tries all triples.
const ORACLE: usize = 40;

pub struct Solid {
    pub points: Vec<Vector<f64>>,
    pub growth: f64,
    /// Shape as the engine reads it: far from its origin it is recentred. The verifier knows the
    /// points alone.
    pub shape: Arc<Shape>,
    pub hull: Hull,
    /// The points once more, by coordinate: the scans run over them.
    pub by_axis: [Vec<f64>; 3],
    /// Largest distance of a point of the core from the origin, metres.
    pub reach: f64,
    body: OnceCell<Option<Body>>,
}

impl Solid {
    pub fn new(points: Vec<Vector<f64>>, growth: f64) -> Self {
        let by_axis = [0, 1, 2].map(|k: usize| points.iter().map(|p| p[k]).collect());
        let reach = points.iter().map(|&p| norm(p)).fold(0.0, f64::max);
        let shape = Geometry::Points(points.clone()).shape(growth).expect("a body");
        let hull = Hull::new(&points);
        Self { points, growth, shape, hull, by_axis, reach, body: OnceCell::new() }
    }

    pub fn from_recipe(recipe: Recipe) -> Self {
        Self::new(recipe.points, recipe.growth)
    }

    /// The oracle's body, if it has few enough points.
    pub fn body(&self) -> Option<&Body> {
        let few = self.points.len() <= ORACLE;
        self.body.get_or_init(|| few.then(|| Body::new(&self.points, self.growth))).as_ref()
    }

    /// The engine's pose at a placement of the body's own frame.
    pub fn pose(&self, place: &Placement) -> Pose {
        bridge::pose(place).recentred(self.shape.center)
    }

    /// The engine's row about this body as A, with the witness points in its own frame.
    pub fn in_own_frame(&self, row: &Proximity) -> Proximity {
        let at = |p: Vec3<f64>| p + self.shape.center;
        Proximity { point_a: at(row.point_a), point_b: at(row.point_b), ..*row }
    }

    /// Largest distance of a point of the inflated body from the origin, metres.
    pub fn radius(&self) -> f64 {
        self.reach + self.growth
    }

    /// Returns the counts that a memory is checked against before it is used: vertices, edges,
    /// faces of the engine's core.
    pub fn counts(&self) -> [usize; 3] {
        let core = &self.shape.pieces[0].core;
        [core.count, core.edges.len(), core.face_count()]
    }
}

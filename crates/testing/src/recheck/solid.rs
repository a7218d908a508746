//! A body three times: for the engine, for the verifier, and (of few points) for the oracle.

use clearsweep_model::Shape;
use std::cell::OnceCell;
use std::ops::Deref;

use std::sync::Arc;

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::Proximity;
use clearsweep_scene::Geometry;
use clearsweep_verifier::ConvexCore;

use crate::bridge;
use crate::oracle::families::Recipe;
use crate::oracle::number::Vector;
use crate::oracle::{Body, Placement};

/// Most points of a body that the oracle is asked about: it tries all triples.
const ORACLE: usize = 40;

pub struct Solid {
    pub core: ConvexCore,
    /// Shape as the engine reads it: far from its origin it is recentred. The verifier knows the
    /// points alone.
    pub shape: Arc<Shape>,
    body: OnceCell<Option<Body>>,
}

impl Deref for Solid {
    type Target = ConvexCore;

    fn deref(&self) -> &ConvexCore {
        &self.core
    }
}

impl Solid {
    pub fn new(points: Vec<Vector<f64>>, growth: f64) -> Self {
        let shape = Geometry::Points(points.clone()).shape(growth).expect("a body");
        let core = ConvexCore::new(points, growth);
        core.hull();
        Self { core, shape, body: OnceCell::new() }
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

    /// Returns the counts that a memory is checked against before it is used: vertices, edges,
    /// faces of the engine's core.
    pub fn counts(&self) -> [usize; 3] {
        let core = &self.shape.pieces[0].core;
        [core.count, core.edges.len(), core.face_count()]
    }
}

//! The view of one row: both bodies at their poses, and the row's witness points.

use super::motion::placement;
use super::neighbours::LocalBox;
use super::shapes::{distinct_shapes, shape_key};
use super::views::{reach, view_part};
use crate::data::{DisplayMesh, View};
use crate::display::display_mesh;
use crate::picture::choose_camera;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::Scene;

/// Most triangles of a body.
const MOST_TRIANGLES: usize = 50_000;

/// A row about two bodies.
#[derive(Debug, Clone, Copy)]
pub struct RowView {
    /// Indices of the bodies in the scene.
    pub bodies: [u32; 2],
    /// Their poses.
    pub poses: [Pose; 2],
    /// Witness points on A and on B, world frame, metres.
    pub witness: [Vec3<f64>; 2],
    /// Unit normal from A to B, world frame.
    pub normal: Vec3<f64>,
    /// Signed distance, metres.
    pub distance: f64,
}

impl RowView {
    /// The view, with the meshes of its parts.
    pub(crate) fn view(&self, scene: &Scene) -> (View, Vec<DisplayMesh>) {
        let (shapes, numbers) = distinct_shapes(scene, self.bodies.into_iter());
        let meshes: Vec<DisplayMesh> = shapes.iter().map(|shape| display_mesh(shape, MOST_TRIANGLES).0).collect();
        let [on_a, on_b] = self.witness;
        let origin = (on_a + (on_b - on_a).scale(0.5)).to_array();
        let shape = |body: u32| &scene.bodies[body as usize].shape;
        let part = |k: usize| {
            let body = self.bodies[k];
            view_part(scene, body, numbers[&shape_key(shape(body))], placement(&self.poses[k], origin))
        };
        let parts = vec![part(0), part(1)];
        let [box_a, box_b] = self.bodies.map(|body| LocalBox::of(shape(body)));
        let reach = reach(Some(self.distance), [&box_a, &box_b]);
        let normal = Some(self.normal.to_array());
        let view = View {
            origin,
            camera: choose_camera(&parts, &meshes, normal, reach),
            parts,
            witness: Some([on_a, on_b].map(|point| (point - Vec3::from(origin)).to_array())),
            // No plane separates bodies that overlap.
            normal: normal.filter(|_| self.distance > 0.0),
            overlap: None,
            reach,
            track: Vec::new(),
        };
        (view, meshes)
    }
}

//! The bodies of section 6 of the V-Clip paper, and bodies of any number of points.

use clearsweep_scene::Shape;
use clearsweep_testing::bridge::shape;
use clearsweep_testing::oracle::families::{self, Recipe};
use clearsweep_testing::oracle::number::{add, norm, times};
use std::f64::consts::TAU;

/// A body of any number of points.
pub(super) struct Solid {
    pub(super) name: &'static str,
    pub(super) points: Vec<[f64; 3]>,
    growth: f64,
    pub(super) shape: Shape,
    pub(super) reach: f64,
}

impl Solid {
    pub(super) fn new(name: &'static str, points: Vec<[f64; 3]>, growth: f64) -> Self {
        let shape = shape(&points, growth);
        let reach = points.iter().map(|&p| norm(p)).fold(0.0, f64::max) + growth;
        Self { name, points, growth, shape, reach: reach.max(0.01) }
    }

    pub(super) fn from_recipe(recipe: Recipe) -> Self {
        Self::new(recipe.name, recipe.points, recipe.growth)
    }

    pub(super) fn recipe(&self) -> String {
        format!("{} growth {:?} points {:?}", self.name, self.growth, self.points)
    }
}

pub(super) fn cube(half: f64) -> Solid {
    Solid::new("cube", families::cuboid([half; 3]), 0.0)
}

fn icosahedron() -> Vec<[f64; 3]> {
    let phi = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let signs = [(1.0, phi), (-1.0, phi), (1.0, -phi), (-1.0, -phi)];
    let corner = |axis: usize, (one, golden): (f64, f64)| {
        let mut v = [0.0; 3];
        (v[(axis + 1) % 3], v[(axis + 2) % 3]) = (one, golden);
        on_sphere(v)
    };
    (0..3).flat_map(|axis| signs.map(|s| corner(axis, s))).collect()
}

fn on_sphere(v: [f64; 3]) -> [f64; 3] {
    times(v, 1.0 / norm(v))
}

/// The icosahedron with every edge halved three times, on the unit sphere: 642 vertices.
pub(super) fn sphere642() -> Vec<[f64; 3]> {
    let mut points = icosahedron();
    for _ in 0..3 {
        let d = |i: usize, j: usize| norm(add(points[i], times(points[j], -1.0)));
        let n = points.len();
        let near: Vec<f64> =
            (0..n).map(|i| (0..n).filter(|&j| j != i).map(|j| d(i, j)).fold(f64::INFINITY, f64::min)).collect();
        let mut middles = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                // Edges of one level differ by less than a fifth; the next ones are longer by more
                // than a half.
                if d(i, j) < 1.3 * near[i].min(near[j]) {
                    middles.push(on_sphere(add(points[i], points[j])));
                }
            }
        }
        points.extend(middles);
    }
    points
}

/// A prism of 60 sides and circumradius 1, its radius ten times its thickness.
fn disk60() -> Vec<[f64; 3]> {
    let r = 1.0 / (1.0 + 1.0 / 400.0_f64).sqrt();
    let corner = |k: usize, z: f64| [r * (TAU * k as f64 / 60.0).cos(), r * (TAU * k as f64 / 60.0).sin(), z];
    [-r / 20.0, r / 20.0].iter().flat_map(|&z| (0..60).map(move |k| corner(k, z))).collect()
}

pub(super) fn bodies_of_the_paper() -> [Solid; 4] {
    [
        cube(1.0 / 3.0_f64.sqrt()),
        Solid::new("icosahedron", icosahedron(), 0.0),
        Solid::new("disk", disk60(), 0.0),
        Solid::new("sphere", sphere642(), 0.0),
    ]
}

#[test]
fn the_bodies_are_those_of_the_paper() {
    let counts = bodies_of_the_paper().map(|s| {
        let core = &s.shape.pieces[0].core;
        (core.count, core.edges.len(), core.face_count())
    });
    assert_eq!(counts, [(8, 12, 6), (12, 30, 20), (120, 180, 62), (642, 1920, 1280)]);
}

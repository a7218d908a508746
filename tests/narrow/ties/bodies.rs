//! Bodies that stand on a face or an edge which is known by construction.
//!
//! Every body stands on the plane `z = -low` of its frame and lies above it. All sides of the
//! prisms are exactly flat.

use std::f64::consts::{PI, TAU};

use clearsweep_testing::oracle::families::Random;

/// A face (its corners in turn) or an edge.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Face(Vec<usize>),
    Edge([usize; 2]),
}

impl Part {
    pub fn corners(&self) -> &[usize] {
        match self {
            Self::Face(corners) => corners,
            Self::Edge(ends) => ends,
        }
    }

    pub fn is_face(&self) -> bool {
        matches!(self, Self::Face(_))
    }
}

/// A convex body before anyone made a hull of it.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: &'static str,
    pub vertices: Vec<[f64; 3]>,
    /// Three corners of each face, in any order: what the plane is made of.
    pub planes: Vec<[usize; 3]>,
    pub edges: Vec<[usize; 2]>,
    pub growth: f64,
    /// Part that it stands on.
    pub part: Part,
    /// Largest angle about the upright direction, in the plane across its edge, within which the
    /// edge is the lowest part.
    pub cone: f64,
}

impl Body {
    /// Returns the height at which it stands.
    pub fn low(&self) -> f64 {
        self.vertices[self.part.corners()[0]][2]
    }

    /// Upside down: it stands on its head.
    pub fn flipped(mut self) -> Self {
        self.vertices.iter_mut().for_each(|v| v[2] = -v[2]);
        self
    }

    /// A random point of the part on which it stands, away from the rim.
    pub fn somewhere(&self, random: &mut Random) -> [f64; 2] {
        let weights: Vec<f64> = self.part.corners().iter().map(|_| random.between(0.1, 1.0)).collect();
        let total: f64 = weights.iter().sum();
        let at = |k: usize| {
            let share = |(&c, w): (&usize, &f64)| self.vertices[c][k] * w / total;
            self.part.corners().iter().zip(&weights).map(share).sum()
        };
        [at(0), at(1)]
    }

    /// The farthest corner from the origin.
    pub fn reach(&self) -> f64 {
        let length = |v: &[f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        self.vertices.iter().map(length).fold(0.0, f64::max) + self.growth
    }
}

/// How heights are rounded: to multiples of a step, or not at all (0).
#[derive(Clone, Copy)]
pub struct Heights(pub f64);

impl Heights {
    pub fn of(self, height: f64) -> f64 {
        if self.0 == 0.0 { height } else { (height / self.0).round().max(1.0) * self.0 }
    }
}

/// A prism: `place` puts a corner of the polygon, and the side (-1 or 1), into space.
fn prism(polygon: &[[f64; 2]], place: impl Fn([f64; 2], f64) -> [f64; 3], name: &'static str, part: Part) -> Body {
    let k = polygon.len();
    let vertices = [-1.0, 1.0].iter().flat_map(|&side| polygon.iter().map(move |&p| (p, side)));
    let vertices = vertices.map(|(p, side)| place(p, side)).collect();
    let mut planes = vec![[0, 1, 2], [k, k + 1, k + 2]];
    let mut edges = Vec::new();
    for i in 0..k {
        let j = (i + 1) % k;
        planes.push([i, j, k + i]);
        edges.extend([[i, j], [k + i, k + j], [i, k + i]]);
    }
    Body { name, vertices, planes, edges, growth: 0.0, part, cone: 0.0 }
}

/// Corners on an ellipse, at any angles.
fn oval(random: &mut Random, sides: usize) -> Vec<[f64; 2]> {
    let (phase, axes) = (random.between(0.0, TAU), [0; 2].map(|_| random.between(0.2, 0.6)));
    let angles: Vec<f64> =
        (0..sides).map(|i| phase + TAU * (i as f64 + random.between(0.0, 0.6)) / sides as f64).collect();
    angles.iter().map(|&a| [axes[0] * libm::cos(a), axes[1] * libm::sin(a)]).collect()
}

/// A regular polygon with a horizontal side below: corners 0 and 1, exactly level.
fn upright(radius: f64, sides: usize, heights: Heights) -> Vec<[f64; 2]> {
    let angle = |i: usize| -0.5 * PI + PI * (2.0 * i as f64 - 1.0) / sides as f64;
    let mut corners: Vec<[f64; 2]> =
        (0..sides).map(|i| [radius * libm::cos(angle(i)), radius * libm::sin(angle(i))]).collect();
    let low = -heights.of(-corners[0][1]);
    (corners[0][1], corners[1][1]) = (low, low);
    corners
}

/// A regular polygon with one lowest corner, 0, exactly below the middle.
fn pointed(radius: f64, sides: usize, heights: Heights) -> Vec<[f64; 2]> {
    let angle = |i: usize| -0.5 * PI + TAU * i as f64 / sides as f64;
    let mut corners: Vec<[f64; 2]> =
        (0..sides).map(|i| [radius * libm::cos(angle(i)), radius * libm::sin(angle(i))]).collect();
    corners[0] = [0.0, -heights.of(radius)];
    corners
}

/// A box by its half sides.
pub fn cuboid([x, y, z]: [f64; 3]) -> Body {
    let corners = [[-x, -y], [x, -y], [x, y], [-x, y]];
    prism(&corners, |p, side| [p[0], p[1], side * z], "box", Part::Face(vec![0, 1, 2, 3]))
}

/// A prism on its lid. The polygon is any convex one.
pub fn lid(polygon: &[[f64; 2]], half_height: f64) -> Body {
    prism(polygon, |p, side| [p[0], p[1], side * half_height], "lid", Part::Face((0..polygon.len()).collect()))
}

/// A body that stands on a face.
pub fn on_a_face(random: &mut Random, heights: Heights) -> Body {
    let half = [0; 3].map(|_| heights.of(random.between(0.1, 0.5)));
    let sides = 3 + random.below(22);
    match random.below(6) {
        0 | 1 => cuboid(half),
        2 => {
            let polygon = oval(random, sides);
            lid(&polygon, half[2])
        }
        3 => {
            let polygon = upright(random.between(0.2, 0.6), sides, heights);
            let part = Part::Face(vec![0, 1, sides + 1, sides]);
            prism(&polygon, |p, side| [side * half[0], p[0], p[1]], "side", part)
        }
        4 => tetrahedron(random, half[2]),
        _ => {
            let polygon = oval(random, sides);
            let edges = (0..sides).map(|i| [i, (i + 1) % sides]).collect();
            let vertices = polygon.iter().map(|p| [p[0], p[1], -half[2]]).collect();
            let part = Part::Face((0..sides).collect());
            Body { name: "plate", vertices, planes: vec![[0, 1, 2]], edges, growth: 0.0, part, cone: 0.0 }
        }
    }
}

fn tetrahedron(random: &mut Random, half: f64) -> Body {
    let base = oval(random, 3);
    let mut vertices: Vec<[f64; 3]> = base.iter().map(|p| [p[0], p[1], -half]).collect();
    vertices.push([random.between(-0.3, 0.3), random.between(-0.3, 0.3), half]);
    let planes = vec![[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let edges = vec![[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
    Body { name: "tetrahedron", vertices, planes, edges, growth: 0.0, part: Part::Face(vec![0, 1, 2]), cone: 0.0 }
}

/// A body that stands on an edge along x.
pub fn on_an_edge(random: &mut Random, heights: Heights) -> Body {
    let (length, half) = (random.between(0.1, 0.6), heights.of(random.between(0.1, 0.5)));
    let sides = 3 + random.below(22);
    match random.below(5) {
        0 | 1 => {
            let polygon = pointed(random.between(0.2, 0.6), sides, heights);
            let roof = |p: [f64; 2], side: f64| [side * length, p[0], p[1]];
            Body { cone: PI / sides as f64, ..prism(&polygon, roof, "roof", Part::Edge([0, sides])) }
        }
        2 => {
            let [y0, y1] = [0; 2].map(|_| random.between(0.1, 0.4));
            let vertices = vec![[-length, 0.0, -half], [length, 0.0, -half], [0.1, y0, half], [0.05, -y1, half]];
            let planes = vec![[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 3]];
            let edges = vec![[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
            let (part, cone) = (Part::Edge([0, 1]), libm::atan2(2.0 * half, y0.max(y1)));
            Body { name: "keel", vertices, planes, edges, growth: 0.0, part, cone }
        }
        3 => {
            let polygon = upright(random.between(0.2, 0.6), sides, heights);
            let edges = (0..sides).map(|i| [i, (i + 1) % sides]).collect();
            let vertices = polygon.iter().map(|p| [p[0], 0.0, p[1]]).collect();
            let (planes, part) = (vec![[0, 1, 2]], Part::Edge([0, 1]));
            Body { name: "upright plate", vertices, planes, edges, growth: 0.0, part, cone: 0.5 * PI }
        }
        _ => segment(length, -half, random.between(0.01, 0.2)),
    }
}

/// A capsule along x.
pub fn segment(length: f64, low: f64, growth: f64) -> Body {
    let vertices = vec![[-length, 0.0, low], [length, 0.0, low]];
    let (edges, part) = (vec![[0, 1]], Part::Edge([0, 1]));
    Body { name: "capsule", vertices, planes: Vec::new(), edges, growth, part, cone: 0.5 * PI }
}

//! Tests of the exact splitting of meshes (`convex_components`).

use crate::mesh::clean;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::convex_split::*;

/// Points that differ, and triangles over them.
#[derive(Default)]
struct Triangles {
    points: Vec<Vec3<f64>>,
    list: Vec<[u32; 3]>,
}

impl Triangles {
    fn add(mut self, corners: impl IntoIterator<Item = [[f64; 3]; 3]>) -> Self {
        for triangle in corners {
            let of_points = triangle.map(|p| {
                let known = self.points.iter().position(|&other| other == p.into());
                known.unwrap_or_else(|| {
                    self.points.push(p.into());
                    self.points.len() - 1
                }) as u32
            });
            self.list.push(of_points);
        }
        self
    }

    /// A box around `at` of sides 2, with a point in the middle of its face +x that is `dent`
    /// inside; `sign`: -1 turns it inside out.
    fn cube(self, at: [f64; 3], half: f64, dent: f64, sign: i32) -> Self {
        let corner = |k: usize| [0, 1, 2].map(|i| at[i] + if k >> i & 1 == 1 { half } else { -half });
        let top = [at[0] + half - dent, at[1], at[2]];
        let sides = [[0, 4, 6, 2], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let flat = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner));
        let fan = [[1, 3], [3, 7], [7, 5], [5, 1]].map(|[a, b]| [corner(a), corner(b), top]);
        let turned = |[a, b, c]: [[f64; 3]; 3]| if sign < 0 { [a, c, b] } else { [a, b, c] };
        self.add(flat.chain(fan).map(turned).collect::<Vec<_>>())
    }

    /// A box from `at`, with such sides.
    fn stretched(self, at: [f64; 3], sides: [f64; 3]) -> Self {
        let cube = Self::default().cube([0.5; 3], 0.5, 0.0, 1);
        let place = |v: u32| {
            let p = cube.points[v as usize].to_array();
            [0, 1, 2].map(|i| at[i] + p[i] * sides[i])
        };
        let corners: Vec<_> = cube.list.iter().map(|t| t.map(place)).collect();
        self.add(corners)
    }

    /// The counts of vertices of its solids.
    fn solids(&self) -> Option<Vec<usize>> {
        let first: Vec<u32> = (0..self.points.len() as u32).collect();
        let made = clean(&self.points, &first, &self.list, first.len(), false, &Workers::none()).expect("triangles");
        convex_components(&made.mesh).map(|solids| solids.iter().map(Vec::len).collect())
    }
}

fn cube(dent: f64) -> Triangles {
    Triangles::default().cube([0.0; 3], 1.0, dent, 1)
}

#[test]
fn a_dent_of_the_last_place_is_not_convex() {
    assert_eq!(cube(0.0).solids(), Some(vec![9]));
    assert_eq!(cube(-0.25).solids(), Some(vec![9]), "a low pyramid on a face");
    assert_eq!(cube(f64::EPSILON).solids(), None);
    assert_eq!(cube(0.25).solids(), None);
    let mut open = cube(0.0);
    open.list.pop();
    assert_eq!(open.solids(), None);
}

#[test]
fn solids_are_told_apart_where_they_touch() {
    let beside = |at: [f64; 3], half: f64| cube(0.0).cube(at, half, 0.0, 1).solids();
    let both = Some(vec![9, 9]);
    assert_eq!(beside([4.0, 0.0, 0.0], 1.0), both, "apart");
    assert_eq!(beside([-2.0, 0.0, 0.0], 1.0), both, "a face, its diagonal included");
    assert_eq!(beside([2.0, 0.0, 0.0], 1.0), both, "a face that is cut otherwise");
    assert_eq!(beside([0.0, 2.0, 2.0], 1.0), both, "an edge");
    assert_eq!(beside([2.0, 2.0, 2.0], 1.0), both, "a corner");
    assert_eq!(beside([1.5, 0.5, 0.5], 0.5), both, "a part of a face");
    assert_eq!(beside([0.5, 0.25, 0.0], 1.0), both, "crossing");
    assert_eq!(beside([0.0, 0.0, 0.0], 0.5), both, "inside");
    assert_eq!(beside([-0.5, -0.5, -0.5], 0.5), both, "inside, from a corner");
    let block = |solids: Triangles, side: [f64; 3]| solids.stretched([-1.0; 3], side);
    let ell = block(block(Triangles::default(), [2.0, 0.5, 1.0]), [0.5, 2.0, 1.0]);
    assert_eq!(ell.solids(), both, "crossing, with a common edge");
    let flush = block(block(Triangles::default(), [2.0, 0.5, 1.0]), [2.0, 2.0, 0.5]);
    assert_eq!(flush.solids(), both, "crossing, with a common edge between coplanar sides");
    let four = [[0.0, 2.0], [2.0, 0.0], [2.0, 2.0]].into_iter();
    let grid = four.fold(cube(0.0), |grid, [y, z]| grid.cube([0.0, y, z], 1.0, 0.0, 1));
    assert_eq!(grid.solids(), Some(vec![9; 4]), "around one edge");
}

#[test]
fn other_solids_stay_whole() {
    assert_eq!(cube(0.0).cube([0.0; 3], 0.5, 0.0, -1).solids(), None, "a cavity");
    assert_eq!(cube(0.0).cube([4.0, 0.0, 0.0], 1.0, 0.25, 1).solids(), None, "one is not convex");
    let row =
        |count: usize| (1..count).fold(cube(0.0), |row, k| row.cube([4.0 * k as f64, 0.0, 0.0], 1.0, 0.0, 1)).solids();
    assert_eq!(row(MOST_SOLIDS), Some(vec![9; MOST_SOLIDS]));
    assert_eq!(row(MOST_SOLIDS + 1), None, "too many");
}

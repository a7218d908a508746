//! Equal boxes in a grid, face to face: every box touches up to 26 others, at faces, along edges
//! and at corners.
//!
//! Multiples of two of the three sides are no binary fractions, and from the second frame on the
//! whole grid is turned and shifted as a rigid body. Boxes that touch do so up to rounding, with
//! gaps and overlaps of some 1e-15 m.

use super::dataset::{Dataset, SCENE, TRAJECTORIES};
use super::random::Random;
use super::space::{Point3, Quaternion, about, add, rotate, scale};
use clearsweep_base::error::{Error, Result};
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use std::f64::consts::PI;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Sides of a box, metres.
const SIZE: Point3 = [0.8, 0.6, 0.5];
/// Frames a second.
const FRAME_RATE: f64 = 60.0;
/// Motion of the grid in a frame: radians and metres.
const STEP: [f64; 2] = [PI / 180.0, 0.01];

/// A grid of boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxGrid {
    /// Boxes, at least 1: in layers of as many rows as columns, about twice as many as there are
    /// layers. The last layer may be incomplete.
    pub bodies: u32,
    /// Frames. In the first one the grid is aligned with the axes.
    pub frames: u32,
    /// The seed of the motion.
    pub seed: u64,
}

impl Default for BoxGrid {
    fn default() -> Self {
        Self { bodies: 500, frames: 2, seed: 1 }
    }
}

/// The motion of the grid: about an axis through the first box, and straight on.
struct GridMotion {
    axis: Point3,
    way: Point3,
}

impl BoxGrid {
    /// Writes the data set into `out`, which must not exist or be empty; returns the files, the
    /// scene last.
    ///
    /// # Errors
    /// There is nothing to write, or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        if self.bodies == 0 || self.frames == 0 {
            return Err(Error::usage("--bodies, --frames", "there is nothing to write", "ask for one or more of each"));
        }
        let motion = GridMotion::draw(&mut Random::new(self.seed, 0));
        let cells = self.cells();
        let mut set = Dataset::create(out)?;
        let path = set.path(TRAJECTORIES)?;
        let mut file = TrajectoryFile::create(&path, &cells.iter().map(name).collect::<Vec<_>>())?;
        file = file.expecting(u64::from(self.frames) * cells.len() as u64);
        for frame in 0..self.frames {
            let (shift, q) = motion.at(frame);
            let time_s = f64::from(frame) / FRAME_RATE;
            for (body, cell) in (0..).zip(&cells) {
                let position = add(shift, rotate(q, center(cell)));
                file.push(&TrajectoryRow { run: 0, frame: frame.into(), time_s, body, position, q })?;
            }
        }
        file.finish()?;
        set.write(SCENE, self.scene(&cells))?;
        set.finish()
    }

    /// The places of all boxes in the grid, by column, row and layer; columns change fastest.
    fn cells(&self) -> Vec<[u32; 3]> {
        let side = (1..).find(|&side| u64::from(side).pow(3) >= 2 * u64::from(self.bodies)).unwrap_or(1);
        (0..self.bodies).map(|body| [body % side, body / side % side, body / (side * side)]).collect()
    }

    fn scene(&self, cells: &[[u32; 3]]) -> String {
        let Self { bodies, frames, seed } = self;
        let mut text = format!(
            r#"# A grid of {bodies} equal boxes, face to face; from the second frame on it is turned and shifted as a whole.
# {frames} frames at {FRAME_RATE} Hz, seed {seed}.
[scene]
name = "box-grid-{bodies}"
length_unit = "m"
trajectories = "{TRAJECTORIES}"

[query]
within = 0.01    # metres: a row for every two boxes that touch, and for no others
"#
        );
        for cell in cells {
            let _ = write!(text, "\n[[body]]\nname = \"{}\"\nshape = {{ box = {SIZE:?} }}\n", name(cell)); // cannot fail
        }
        text
    }
}

/// The name of a box: its column, row and layer.
fn name([column, row, layer]: &[u32; 3]) -> String {
    format!("box-{column}-{row}-{layer}")
}

/// The centre of a box before any motion.
fn center(cell: &[u32; 3]) -> Point3 {
    std::array::from_fn(|axis| f64::from(cell[axis]) * SIZE[axis])
}

impl GridMotion {
    fn draw(random: &mut Random) -> Self {
        Self { axis: random.direction(), way: random.direction() }
    }

    /// Shift and orientation of the grid.
    fn at(&self, frame: u32) -> (Point3, Quaternion) {
        let [angle, way] = STEP.map(|step| step * f64::from(frame));
        (scale(self.way, way), about(self.axis, angle))
    }
}

#[cfg(test)]
mod tests {
    use super::super::space::{length, sub};
    use super::*;

    #[test]
    fn grids_have_the_boxes_that_are_asked_for() {
        for (bodies, last) in [(500, [9, 9, 4]), (4, [1, 1, 0]), (1, [0, 0, 0]), (501, [5, 1, 4])] {
            let cells = BoxGrid { bodies, ..BoxGrid::default() }.cells();
            assert_eq!((cells.len(), cells.last()), (bodies as usize, Some(&last)));
        }
    }

    #[test]
    fn the_first_frame_is_at_rest_and_the_others_are_rigid() {
        let motion = GridMotion::draw(&mut Random::new(1, 0));
        assert_eq!(motion.at(0).1.map(f64::abs), [1.0, 0.0, 0.0, 0.0]);
        let place = |frame, cell| {
            let (shift, q) = motion.at(frame);
            add(shift, rotate(q, center(&cell)))
        };
        assert_eq!(place(0, [3, 7, 4]), [3.0 * 0.8, 7.0 * 0.6, 4.0 * 0.5]);
        for frame in 1..5 {
            let apart = length(sub(place(frame, [3, 7, 4]), place(frame, [2, 5, 4])));
            assert!((apart - (0.8_f64 * 0.8 + 1.2 * 1.2).sqrt()).abs() < 1e-14);
            assert!(length(sub(place(frame, [9, 9, 4]), center(&[9, 9, 4]))) > 0.001);
        }
    }
}

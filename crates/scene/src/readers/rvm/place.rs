//! The matrix and the box of a primitive.

use super::plant::Fields;
use crate::shapes::spans_space;
use clearsweep_geometry::Vec3;

/// By how much the lengths of the three columns may differ if the matrix is to be found by them.
const ALIKE: f64 = 1e-3;

/// The place of a primitive: the affine map from its millimetres to metres of the plant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Images of x, y and z, then that of the origin.
    pub columns: [[f64; 3]; 4],
}

impl Placement {
    /// Reads a matrix and passes over the box, which may be too small for the shape.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Self::with_box(fields).map(|(placement, _)| placement)
    }

    /// As [`Self::read`] with a word of transparency, before the matrix or behind the box: programs
    /// disagree. The place counts at which the columns are of one length and the box is one;
    /// `Some(None)`: both do, or neither.
    #[expect(clippy::option_option, reason = "the chunk may end too early, and the place may be unclear")]
    pub(super) fn with_transparency(fields: &mut Fields<'_>) -> Option<Option<Self>> {
        let mut later = fields.clone();
        later.word()?;
        let behind = Self::with_box(fields)?;
        fields.word()?;
        let before = Self::with_box(&mut later)?;
        let fits = |(placement, corners): &(Self, [f64; 6])| {
            let is_box = (0..3).all(|axis| corners[axis] <= corners[axis + 3]);
            is_box && corners.iter().all(|c| c.is_finite()) && placement.has_alike_columns()
        };
        Some(match (fits(&before), fits(&behind)) {
            (true, false) => Some(before.0),
            (false, true) => Some(behind.0),
            _ => None,
        })
    }

    fn with_box(fields: &mut Fields<'_>) -> Option<(Self, [f64; 6])> {
        let mut columns = [[0.0; 3]; 4];
        for column in &mut columns {
            *column = fields.floats()?;
        }
        Some((Self { columns }, fields.floats()?))
    }

    fn has_alike_columns(&self) -> bool {
        let [x, y, z] = [0, 1, 2].map(|k| Vec3::from(self.columns[k]).length());
        let most = x.max(y).max(z);
        most > 0.0 && most.is_finite() && [x, y, z].iter().all(|length| *length >= most * (1.0 - ALIKE))
    }

    /// Rows of the linear map.
    pub(super) fn rows(&self) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|row| [0, 1, 2].map(|column| self.columns[column][row]))
    }

    /// The image of the origin, metres.
    pub(super) fn origin(&self) -> Vec3<f64> {
        Vec3::from(self.columns[3])
    }

    /// The image of a unit vector is no longer, metres for each millimetre.
    pub(super) fn longest(&self) -> f64 {
        self.columns[..3].iter().map(|column| Vec3::from(*column).length()).sum()
    }

    /// Whether it turns left into right.
    pub(super) fn is_mirrored(&self) -> bool {
        let [x, y, z] = [0, 1, 2].map(|k| Vec3::from(self.columns[k]));
        x.cross(y).dot(z) < 0.0
    }

    /// Why it places no body; `None`: it does.
    pub(super) fn problem(&self) -> Option<&'static str> {
        match () {
            () if !self.columns.as_flattened().iter().all(|number| number.is_finite()) => {
                Some("its matrix has a number that is not finite")
            }
            () if !spans_space(self.rows()) => Some("its matrix is singular"),
            () => None,
        }
    }
}

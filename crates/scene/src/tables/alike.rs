//! Rows that differ from one before in nothing but their name and the numbers of their pose, as
//! nearly all rows of a large table do.

use super::cells::Cell;
use super::columns::{ID, ORIENTATION, POSE_COLUMNS, POSITION};
use crate::body_spec::BodySpec;
use crate::keys::Origin;
use crate::length::check_length;
use crate::orientation::is_unit;
use crate::row_place::RowPlace;
use clearsweep_geometry::Pose;
use clearsweep_input_guard::MAX_NAME;
use clearsweep_model::single_step;
use clearsweep_model::{LengthUnit, PoseSteps};

/// The rounding steps of the pose of a row; `units`: of lengths, by column.
pub(super) fn pose_steps(cells: &[(usize, Cell)], units: &[LengthUnit]) -> PoseSteps {
    let mut steps = PoseSteps::default();
    for (number, cell) in cells {
        let Cell::Single(value) = cell else { continue };
        steps = steps.max(match *number {
            POSITION..ORIENTATION => {
                PoseSteps { position_m: units[*number].metres(single_step(*value)), turn_rad: 0.0 }
            }
            ORIENTATION.. => PoseSteps { position_m: 0.0, turn_rad: PoseSteps::TURN_RAD },
            _ => steps,
        });
    }
    steps
}

/// A row that was lowered key by key, and its body.
pub(super) struct LoweredRow<'c> {
    pub(super) cells: &'c [(usize, Cell)],
    pub(super) body: BodySpec,
}

impl LoweredRow<'_> {
    /// The body of another row of the section, as lowering it key by key makes it; `units`: of
    /// lengths, by column.
    ///
    /// `None`: the row differs in more than the name and the pose, or something of it is unusual or
    /// wrong. Then it is to be lowered key by key, which knows what to say.
    pub(super) fn alike(&self, place: &RowPlace, cells: &[(usize, Cell)], units: &[LengthUnit]) -> Option<BodySpec> {
        if cells.len() != self.cells.len() {
            return None;
        }
        let (mut name, mut id) = (None, self.body.id);
        let mut pose = [None; POSE_COLUMNS];
        for ((number, cell), (known_number, known)) in cells.iter().zip(self.cells) {
            if number != known_number {
                return None;
            }
            match cell {
                Cell::Text(text) if *number == 0 => name = Some(text),
                cell if *number == ID => id = cell.integer(),
                cell if *number >= POSITION => pose[*number - POSITION] = Some(cell.number()?),
                cell if cell == known => {}
                _ => return None,
            }
        }
        let name = name.filter(|name| !name.is_empty() && name.len() <= MAX_NAME)?;
        let place = Origin::Row(place.clone());
        Some(BodySpec {
            name: name.clone(),
            geometry: self.body.geometry.clone(),
            geometry_at: match &self.body.geometry_at {
                Origin::Row(_) => place.clone(),
                Origin::Scene(at) => Origin::Scene(*at),
            },
            at: place,
            growth: self.body.growth,
            deviation_source: self.body.deviation_source,
            pivot: self.body.pivot,
            bounds: self.body.bounds,
            groups: self.body.groups.clone(),
            id,
            node: None,
            pose: self.pose(&pose, units)?,
            rest: self.body.rest.clone(),
            pose_steps: pose_steps(cells, units),
        })
    }

    /// The pose of a row with these numbers: `Some(None)` is that of a dynamic body.
    fn pose(&self, numbers: &[Option<f64>; POSE_COLUMNS], units: &[LengthUnit]) -> Option<Option<Pose>> {
        let Some(known) = self.body.pose else {
            return numbers.iter().all(Option::is_none).then_some(None);
        };
        let (position, orientation) = numbers.split_at(ORIENTATION - POSITION);
        // The other row has the same columns, and it has all of these or none.
        let position = match *position {
            [Some(x), Some(y), Some(z)] => {
                let axes = [(0, x), (1, y), (2, z)];
                let metres = axes.map(|(axis, number)| units[POSITION + axis].metres(number));
                metres.iter().all(|&length| check_length(length).is_ok()).then_some(metres)?
            }
            _ => known.position.to_array(),
        };
        let q = match *orientation {
            [Some(w), Some(x), Some(y), Some(z)] => Some([w, x, y, z]).filter(is_unit)?,
            _ => known.q,
        };
        Some(Some(Pose::new(position, q)))
    }
}

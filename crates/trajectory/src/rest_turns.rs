//! Orientations that count from those of the nodes in their files: `rest = "file"`.

use super::rows::{PoseValues, Rows};
use clearsweep_geometry::Pose;

/// The orientation at rest of each input, as a pose at the origin.
pub(super) struct RestTurns(Vec<Pose>);

impl RestTurns {
    /// Takes the quaternions w, x, y, z of all inputs.
    pub(super) fn new(turns: Vec<[f64; 4]>) -> Self {
        Self(turns.into_iter().map(|q| Pose::new([0.0; 3], q)).collect())
    }

    /// Turns the good rows into the world: the orientation of the row after that of the node at
    /// rest. Positions stay.
    pub(super) fn apply(&self, Rows { keys, values }: &mut Rows<PoseValues>) {
        let mut turned: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::with_capacity(keys.len));
        for (row, &input) in values.slots[..keys.len].iter().enumerate() {
            let q = [3, 4, 5, 6].map(|component: usize| values.pose[component][row]);
            let q = Pose::new([0.0; 3], q).after(&self.0[input as usize]).q;
            turned.iter_mut().zip(q).for_each(|(turned, value)| turned.push(value));
        }
        for (component, turned) in values.pose[3..].iter_mut().zip(turned) {
            *component = turned.into();
        }
    }
}

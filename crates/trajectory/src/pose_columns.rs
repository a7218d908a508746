//! The columns of poses.

use super::file_schema::{Column, ascending};
use clearsweep_geometry::angles::AngleUnit;
use clearsweep_model::{ColumnRole, LengthUnit};

/// The columns of poses.
#[derive(Debug, Clone)]
pub(super) struct PoseColumns {
    /// Strings, integers, or a dictionary of them.
    pub(super) body: Column,
    /// x, y, z: `f64` or `f32`.
    pub(super) position: [Column; 3],
    /// Units of x, y, z.
    pub(super) units: [LengthUnit; 3],
    pub(super) orientation: Orientation,
}

impl PoseColumns {
    /// x, y, z, ascending by index.
    pub(super) fn positions(&self) -> Vec<usize> {
        ascending(&self.position)
    }
}

/// The columns of the orientation: `f64` or `f32`.
#[derive(Debug, Clone)]
pub(super) enum Orientation {
    /// qw, qx, qy, qz.
    Quaternion([Column; 4]),
    /// Roll, pitch and yaw: yaw alone, or all three.
    Angles([Option<AngleColumn>; 3]),
    /// No columns: bodies do not turn. `is_stated`: the scene says so.
    None { is_stated: bool },
}

/// A column of angles.
#[derive(Debug, Clone)]
pub(super) struct AngleColumn {
    pub(super) column: Column,
    pub(super) unit: AngleUnit,
}

impl Orientation {
    /// Whether there are columns of the orientation.
    pub(super) fn is_some(&self) -> bool {
        !matches!(self, Self::None { .. })
    }

    /// The columns of the orientation, with their roles.
    pub(super) fn columns(&self) -> Vec<(ColumnRole, &Column)> {
        match self {
            Self::Quaternion(columns) => ColumnRole::QUATERNION.into_iter().zip(columns).collect(),
            Self::Angles(columns) => {
                let there = ColumnRole::ANGLES.into_iter().zip(columns);
                there.filter_map(|(role, angle)| Some((role, &angle.as_ref()?.column))).collect()
            }
            Self::None { .. } => Vec::new(),
        }
    }
}

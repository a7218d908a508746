//! Which columns of a file are which, by the names that `[columns]` gives or by those of the
//! format, and their units.

use super::column_format::ColumnFormat;
use super::column_remedies::assignment;
use super::file_schema::{Column, Table, ascending, fits, wanted};
use super::joint_columns::{self, JointColumns};
use super::levels::LevelColumn;
use super::piece_columns::{self, PieceColumns};
use super::pose_columns::{AngleColumn, Orientation, PoseColumns};
use arrow_schema::{DataType, Field, Schema, TimeUnit as ArrowTimeUnit};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{ColumnRole, ColumnUnit, LengthUnit, TimeUnit};
use std::path::Path;
use std::sync::Arc;

/// Indices of the columns in the schema of a file, with their names there.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    /// Any integer; a file without it has one run.
    pub(super) run: Option<Column>,
    /// Any integer; values of joints without it have frames by time.
    pub(super) frame: Option<Column>,
    /// A number, a duration, or a timestamp.
    pub(super) time: Option<Column>,
    /// Unit of the time, if it is a number.
    pub(super) time_unit: TimeUnit,
    pub(super) content: ColumnContent,
}

/// The columns beside the keys.
#[derive(Debug, Clone)]
pub(super) enum ColumnContent {
    Poses(Box<PoseColumns>),
    Joints(JointColumns),
    Pieces(Box<PieceColumns>),
}

impl Columns {
    /// Finds the columns in the schema of `file`, and behind those of the file among what the
    /// levels above it supply.
    ///
    /// # Errors
    /// A column is missing, there twice, of the wrong type, or in an unknown unit.
    pub(super) fn resolve(file: &Path, schema: &Schema, format: &ColumnFormat) -> Result<Self> {
        let levels = LevelColumn::of(file, schema, format)?;
        let schema = &*LevelColumn::extend(&Arc::new(schema.clone()), &levels);
        let table = Table { file, schema, names: &format.names };
        if format.has_pieces {
            let (run, content) = (table.find(ColumnRole::Run)?, ColumnContent::Pieces(Box::new(table.pieces()?)));
            return Ok(Self { run, frame: None, time: None, time_unit: TimeUnit::Seconds, content });
        }
        let time = table.find(ColumnRole::Time)?;
        if time.is_none() && format.needs_times {
            let problem = format!(
                "has no column `time_s`, and the motion between frames needs their times ({})",
                table.columns()
            );
            let remedy = "add it, name it in [columns] of the scene, or write `frame_rate` in [scene]";
            return Err(table.error(problem, remedy));
        }
        let time_unit = time.as_ref().map(|column| table.time_unit(column)).transpose()?;
        let content = match &format.joints {
            Some(joints) => ColumnContent::Joints(table.joints(joints)?),
            None if [true, false].iter().any(|&turns| format.names.unit_of_joints(turns).is_some()) => {
                let problem = "units of joints are given for its columns, but the scene has no joints";
                return Err(table.error(problem.to_owned(), "leave `angles` and `lengths` out"));
            }
            None => ColumnContent::Poses(Box::new(table.poses(format.unit)?)),
        };
        let frame = match (table.find(ColumnRole::Frame)?, &content) {
            (None, ColumnContent::Joints(_)) if !table.is_meant(ColumnRole::Frame) => {
                if time.is_none() {
                    let problem =
                        format!("has no column `frame`, nor `time_s`, which numbers frames ({})", table.columns());
                    return Err(table.error(problem, "add one of them, or name it in [columns] of the scene"));
                }
                None
            }
            (None, _) => return Err(table.missing(ColumnRole::Frame)),
            (frame, _) => frame,
        };
        let run = table.find(ColumnRole::Run)?;
        Ok(Self { run, frame, time, time_unit: time_unit.unwrap_or(TimeUnit::Seconds), content })
    }

    /// The columns of poses.
    ///
    /// # Errors
    /// They are those of joints.
    pub(super) fn poses(&self) -> Result<&PoseColumns> {
        match &self.content {
            ColumnContent::Poses(poses) => Ok(poses),
            ColumnContent::Joints(_) | ColumnContent::Pieces(_) => {
                Err(Error::internal("columns", "values of joints are read as poses"))
            }
        }
    }

    /// The columns of joints, if they are such.
    pub(super) fn joints(&self) -> Option<&JointColumns> {
        match &self.content {
            ColumnContent::Joints(joints) => Some(joints),
            ColumnContent::Poses(_) | ColumnContent::Pieces(_) => None,
        }
    }

    /// The columns of pieces of splines, if they are such.
    pub(super) fn pieces(&self) -> Option<&PieceColumns> {
        match &self.content {
            ColumnContent::Pieces(pieces) => Some(pieces),
            ColumnContent::Poses(_) | ColumnContent::Joints(_) => None,
        }
    }

    /// The types that the columns of CSV are parsed as, by their names.
    pub(super) fn csv_types(columns: &[&str], format: &ColumnFormat) -> Vec<DataType> {
        let names = &*format.names;
        if format.has_pieces {
            return piece_columns::csv_types(columns);
        }
        if let Some(joints) = &format.joints {
            return joint_columns::csv_types(columns, names, joints);
        }
        // Beside a quaternion, a column of the name of an angle may hold anything.
        let is_angle = |role| ColumnRole::ANGLES.contains(&role) && columns.contains(&ColumnRole::Qw.name());
        let by_format = |role: &ColumnRole, name: &str| {
            names.get(*role).is_none() && role.names().contains(&name) && !is_angle(*role)
        };
        let role = |name: &str| {
            let format = || ColumnRole::ALL.into_iter().find(|role| by_format(role, name));
            names.role_of(name).or_else(format)
        };
        let kind = |name: &&str| match role(name) {
            Some(ColumnRole::Run | ColumnRole::Frame) => DataType::Int64,
            None | Some(ColumnRole::Body) => DataType::Utf8,
            Some(_) => DataType::Float64,
        };
        columns.iter().map(kind).collect()
    }

    /// The columns with their roles.
    pub(super) fn roles(&self) -> Vec<(ColumnRole, &Column)> {
        let keys = [(ColumnRole::Run, &self.run), (ColumnRole::Time, &self.time), (ColumnRole::Frame, &self.frame)];
        let keys = keys.into_iter().filter_map(|(role, column)| Some((role, column.as_ref()?)));
        let ColumnContent::Poses(poses) = &self.content else { return keys.collect() };
        let position = ColumnRole::POSITION.into_iter().zip(&poses.position);
        let body = [(ColumnRole::Body, &poses.body)];
        keys.chain(body).chain(position).chain(poses.orientation.columns()).collect()
    }

    /// The columns of a file with so many, ascending by index: without those of directory levels.
    pub(super) fn of_file(&self, count: usize) -> Vec<usize> {
        self.all().into_iter().filter(|&index| index < count).collect()
    }

    /// The columns, ascending by index.
    pub(super) fn all(&self) -> Vec<usize> {
        let joints = self.joints().into_iter().flat_map(JointColumns::columns);
        let pieces = self.pieces().into_iter().flat_map(PieceColumns::columns);
        ascending(self.roles().into_iter().map(|(_, column)| column).chain(joints).chain(pieces))
    }

    /// The columns that make a key, ascending by index: without a frame, times make it.
    pub(super) fn keys(&self) -> Vec<usize> {
        ascending(self.run.iter().chain(self.frame.as_ref().or(self.time.as_ref())))
    }
}

impl Table<'_> {
    /// The columns of poses; lengths are in `length_unit` unless a column has its own.
    fn poses(&self, length_unit: LengthUnit) -> Result<PoseColumns> {
        let mut units = [length_unit; 3];
        let mut position = Vec::with_capacity(3);
        for (role, unit) in ColumnRole::POSITION.into_iter().zip(&mut units) {
            let column = self.required(role)?;
            if let Some(ColumnUnit::Length(own)) = self.unit(role, &column)? {
                *unit = own;
            }
            position.push(column);
        }
        let orientation = self.orientation()?;
        Ok(PoseColumns { body: self.required(ColumnRole::Body)?, position: self.array(position)?, units, orientation })
    }

    fn array<const N: usize>(&self, columns: Vec<Column>) -> Result<[Column; N]> {
        columns.try_into().map_err(|_| Error::internal(self.file.display(), "columns were lost"))
    }

    /// The one column that has a role.
    fn find(&self, role: ColumnRole) -> Result<Option<Column>> {
        let mut found: Option<(usize, &Field)> = None;
        for (index, field) in self.schema.fields().iter().enumerate() {
            if !self.is_of(role, field.name()) {
                continue;
            }
            if let Some((_, earlier)) = found {
                return Err(self.error(
                    format!("columns `{}` and `{}` both are `{}`", earlier.name(), field.name(), role.name()),
                    format!("keep one of them; `{}` is the name of the format", role.name()),
                ));
            }
            found = Some((index, field));
        }
        let Some((index, field)) = found else {
            return if self.names.get(role).is_some() { Err(self.missing(role)) } else { Ok(None) };
        };
        if !fits(role, field.data_type()) {
            return Err(self.error(
                format!("column `{}` has the type {}", field.name(), field.data_type()),
                format!("write it as {}", wanted(role)),
            ));
        }
        Ok(Some(Column { index, name: field.name().clone() }))
    }

    fn required(&self, role: ColumnRole) -> Result<Column> {
        self.find(role)?.ok_or_else(|| self.missing(role))
    }

    /// The columns of the orientation: a quaternion, else yaw, else roll, pitch and yaw, else none.
    fn orientation(&self) -> Result<Orientation> {
        if self.names.is_unturned() {
            return Ok(Orientation::None { is_stated: true });
        }
        let given = ColumnRole::ANGLES.into_iter().find_map(|role| self.names.get(role));
        let quaternion: Vec<Option<Column>> =
            ColumnRole::QUATERNION.into_iter().map(|role| self.find(role)).collect::<Result<_>>()?;
        if let Some(component) = quaternion.iter().flatten().next() {
            if let Some(angle) = given {
                let problem =
                    format!("has columns of a quaternion (`{}`) and of angles (`{}`)", component.name, angle.name);
                return Err(self.error(problem, "leave out the columns of one of them; [columns] names the angles"));
            }
            let columns = ColumnRole::QUATERNION.into_iter().map(|role| self.required(role));
            return Ok(Orientation::Quaternion(self.array(columns.collect::<Result<_>>()?)?));
        }
        let mut angles = [None, None, None];
        for (role, angle) in ColumnRole::ANGLES.into_iter().zip(&mut angles) {
            let Some(column) = self.find(role)? else { continue };
            let Some(ColumnUnit::Angle(unit)) = self.unit(role, &column)? else {
                let line = assignment(role.name(), &column.name, Some("UNIT"));
                let problem = format!("column `{}` is an angle without a unit", column.name);
                return Err(self.error(problem, format!("write `{line}` in [columns] (UNIT is deg or rad)")));
            };
            *angle = Some(AngleColumn { column, unit });
        }
        match &angles {
            [None, None, None] => self.no_orientation(),
            [None, None, Some(_)] | [Some(_), Some(_), Some(_)] => Ok(Orientation::Angles(angles)),
            _ => {
                let lacking = ColumnRole::ANGLES.into_iter().zip(&angles).find(|(_, angle)| angle.is_none());
                Err(self.missing(lacking.map_or(ColumnRole::Yaw, |(role, _)| role)))
            }
        }
    }

    /// The unit of a column: that of `[columns]` or of the field's metadata.
    fn unit(&self, role: ColumnRole, column: &Column) -> Result<Option<ColumnUnit>> {
        let given = self.names.get(role).and_then(|given| given.unit);
        let Some(word) = self.schema.field(column.index).metadata().get("unit") else { return Ok(given) };
        let own = role.unit(word).ok_or_else(|| {
            let words = role.units().unwrap_or_default();
            self.error(
                format!("column `{}` is in the unknown unit `{word}`", column.name),
                format!("the metadata `unit` of the field is one of {words}"),
            )
        })?;
        match given.filter(|given| *given != own) {
            None => Ok(Some(own)),
            Some(given) => Err(self.error(
                format!("column `{}` is in the unit `{word}`, and in `{}` by [columns]", column.name, given.word()),
                "correct the unit in [columns], or leave it out",
            )),
        }
    }

    /// The unit of the times, which are numbers of it, unless their type has one of its own.
    fn time_unit(&self, column: &Column) -> Result<TimeUnit> {
        let (name, kind) = (&column.name, self.schema.field(column.index).data_type());
        let unit = match self.unit(ColumnRole::Time, column)? {
            Some(ColumnUnit::Time(unit)) => Some(unit),
            _ => None,
        };
        let is_given = self.names.get(ColumnRole::Time).is_some_and(|given| given.unit.is_some());
        match (kind, unit) {
            // Seconds in the metadata are what the times become.
            (DataType::Timestamp(own, _) | DataType::Duration(own), Some(unit))
                if of_arrow(own) != unit && (is_given || unit != TimeUnit::Seconds) =>
            {
                let problem = format!("column `{name}` has the type {kind}, and the unit `{}`", unit.word());
                Err(self.error(problem, "leave the unit out: the type has one of its own"))
            }
            (kind, None) if kind.is_integer() => {
                let problem = format!("column `{name}` has the type {kind}, and no unit");
                let remedy = format!(
                    "write it as {}; or say its unit in [columns] of the scene: `{}` (UNIT is s, ms, us or ns)",
                    wanted(ColumnRole::Time),
                    assignment(ColumnRole::Time.name(), name, Some("UNIT"))
                );
                Err(self.error(problem, remedy))
            }
            (_, unit) => Ok(unit.unwrap_or(TimeUnit::Seconds)),
        }
    }
}

/// The unit of a type of Arrow.
pub(super) fn of_arrow(unit: &ArrowTimeUnit) -> TimeUnit {
    match unit {
        ArrowTimeUnit::Second => TimeUnit::Seconds,
        ArrowTimeUnit::Millisecond => TimeUnit::Milliseconds,
        ArrowTimeUnit::Microsecond => TimeUnit::Microseconds,
        ArrowTimeUnit::Nanosecond => TimeUnit::Nanoseconds,
    }
}

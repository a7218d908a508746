//! The columns of values of joints: one for each joint, or a name and a value in each row.

use super::column_format::JointName;
use super::column_remedies::assignment;
use super::file_schema::{Column, Table, is_number, is_string};
use arrow_schema::DataType;
use clearsweep_base::error::{Result, nearest, nearest_one};
use clearsweep_base::text::toml_text;
use clearsweep_geometry::angles::AngleUnit;
use clearsweep_model::{ColumnRole, ColumnUnit, LengthUnit, TrajectoryColumns};

/// Names of the columns of the long form.
const JOINT: &str = "joint";
const VALUE: &str = "value";

/// The columns of samples.
const KEYS: [ColumnRole; 3] = [ColumnRole::Run, ColumnRole::Frame, ColumnRole::Time];

/// The columns of values of joints.
#[derive(Debug, Clone)]
pub(super) enum JointColumns {
    /// One for each joint that has a value of its own, or the value that the scene gives it.
    Wide(Vec<JointSource>),
    /// The name of a joint and its value, a row each; factors of all joints, by column.
    Long { joint: Column, value: Column, factors: Vec<f64> },
}

/// Source of a joint's values.
#[derive(Debug, Clone)]
pub(super) enum JointSource {
    /// A column, and radians or metres in its unit.
    Column(Column, f64),
    /// `[posture]`.
    Posture(f64),
}

impl JointColumns {
    /// The columns beside the keys.
    pub(super) fn columns(&self) -> Vec<&Column> {
        match self {
            Self::Long { joint, value, .. } => vec![joint, value],
            Self::Wide(sources) => sources
                .iter()
                .filter_map(|source| match source {
                    JointSource::Column(column, _) => Some(column),
                    JointSource::Posture(_) => None,
                })
                .collect(),
        }
    }
}

/// The types that the columns of CSV are parsed as.
pub(super) fn csv_types(columns: &[&str], names: &TrajectoryColumns, joints: &[JointName]) -> Vec<DataType> {
    let key = |name: &str| {
        let by_format = |role: &ColumnRole| names.get(*role).is_none() && role.names().contains(&name);
        names.role_of(name).or_else(|| KEYS.into_iter().find(by_format))
    };
    let kind = |name: &&str| match key(name) {
        Some(ColumnRole::Run | ColumnRole::Frame) => DataType::Int64,
        Some(ColumnRole::Time) => DataType::Float64,
        _ if *name == VALUE || joints.iter().any(|joint| is_of(names, joints, joint, name)) => DataType::Float64,
        _ => DataType::Utf8,
    };
    columns.iter().map(kind).collect()
}

/// Whether a column holds the values of a joint: by the name that `[columns]` gives, by that of the
/// joint, or by its last part where no other joint has it.
fn is_of(names: &TrajectoryColumns, joints: &[JointName], joint: &JointName, column: &str) -> bool {
    match names.of_joint(&joint.name) {
        Some(given) => given.name == column,
        None => joint.name == column || is_short(joints, joint, column),
    }
}

/// Whether a name is the last part of a joint's (`NAME/JOINT` of a robot) and of no other's.
fn is_short(joints: &[JointName], joint: &JointName, name: &str) -> bool {
    // These are columns of samples.
    if KEYS.iter().any(|role| role.names().contains(&name)) {
        return false;
    }
    let ends = |joint: &JointName| joint.name.strip_suffix(name).is_some_and(|above| above.ends_with('/'));
    ends(joint) && joints.iter().filter(|joint| ends(joint) || joint.name == name).count() == 1
}

/// The joint that a row of the long form names.
pub(super) fn joint_named(joints: &[JointName], name: &str) -> Option<usize> {
    let exact = joints.iter().position(|joint| joint.name == name);
    exact.or_else(|| joints.iter().position(|joint| is_short(joints, joint, name)))
}

impl Table<'_> {
    /// The columns of values of joints.
    ///
    /// # Errors
    /// A joint without a column and without a posture, a column that is no number, or one in the
    /// wrong unit.
    pub(super) fn joints(&self, joints: &[JointName]) -> Result<JointColumns> {
        let place = |name: &str| self.schema.fields().iter().position(|field| field.name() == name);
        let column = |index: usize| Column { index, name: self.schema.field(index).name().clone() };
        if let (Some(joint), Some(value)) = (place(JOINT), place(VALUE)) {
            let is_named = is_string(self.schema.field(joint).data_type());
            let kind = self.schema.field(if is_named { value } else { joint });
            if !is_named || !is_number(kind.data_type()) {
                let wanted = if is_named { "float64 or float32" } else { "a string" };
                return Err(self.error(
                    format!("column `{}` has the type {}", kind.name(), kind.data_type()),
                    format!("write it as {wanted}"),
                ));
            }
            let fields = self.schema.fields();
            let wide = |name: &&String| joints.iter().any(|joint| is_of(self.names, joints, joint, name));
            if let Some(wide) = fields.iter().map(|field| field.name()).find(wide) {
                let problem = format!("has the columns `{JOINT}` and `{VALUE}`, and `{wide}` for a joint alone");
                return Err(self.error(problem, "keep a row for each joint, or a column for each"));
            }
            let factors = joints.iter().map(|joint| self.factor(joint, value, None)).collect::<Result<_>>()?;
            return Ok(JointColumns::Long { joint: column(joint), value: column(value), factors });
        }
        let source = |joint: &JointName| {
            let mut found = (0..self.schema.fields().len())
                .filter(|&at| is_of(self.names, joints, joint, self.schema.field(at).name()));
            let Some(index) = found.next() else { return self.without_column(joints, joint) };
            if let Some(other) = found.next() {
                let problem = format!(
                    "columns `{}` and `{}` both are the joint `{}`",
                    self.schema.field(index).name(),
                    self.schema.field(other).name(),
                    joint.name
                );
                return Err(self.error(problem, "keep one of them, or name it in [columns]"));
            }
            let kind = self.schema.field(index).data_type();
            if !is_number(kind) {
                return Err(self.error(
                    format!("column `{}` has the type {kind}", column(index).name),
                    "write it as float64 or float32",
                ));
            }
            let own = self.names.of_joint(&joint.name).and_then(|named| named.unit);
            Ok(JointSource::Column(column(index), self.factor(joint, index, own)?))
        };
        Ok(JointColumns::Wide(joints.iter().map(source).collect::<Result<_>>()?))
    }

    /// The unit in the metadata of a field.
    fn unit_of_field(&self, index: usize) -> Result<Option<ColumnUnit>> {
        let field = self.schema.field(index);
        let Some(word) = field.metadata().get("unit") else { return Ok(None) };
        let angle = AngleUnit::parse(word).map(ColumnUnit::Angle);
        let Some(unit) = angle.or_else(|| LengthUnit::parse(word).map(ColumnUnit::Length)) else {
            let problem = format!("column `{}` has the unit `{word}` in its metadata", field.name());
            return Err(self.error(problem, "write rad or deg there, or a length, or name the unit in [columns]"));
        };
        Ok(Some(unit))
    }

    /// The name of a joint's column: that of [columns], else that of the joint.
    fn column_of<'j>(&'j self, joint: &'j JointName) -> &'j str {
        self.names.of_joint(&joint.name).map_or(&*joint.name, |named| &*named.name)
    }

    fn without_column(&self, joints: &[JointName], joint: &JointName) -> Result<JointSource> {
        let columns = || self.schema.fields().iter().map(|field| field.name().as_str());
        // A column that is another joint's, or a key, is not this one's.
        let is_free = |name: &&str| {
            !joints.iter().any(|other| is_of(self.names, joints, other, name))
                && !KEYS.iter().any(|role| role.names().contains(name))
        };
        let (named, wanted) = (self.names.of_joint(&joint.name), self.column_of(joint));
        let lacking = joints.iter().filter(|joint| !columns().any(|name| is_of(self.names, joints, joint, name)));
        let lacking: Vec<&str> = lacking.map(|joint| self.column_of(joint)).collect();
        // The joint has to be as clearly that of the column as the column is that of the joint.
        let near = nearest_one(wanted, columns().filter(is_free))
            .filter(|near| nearest_one(near, lacking.iter().copied()) == Some(wanted));
        let unit = named.and_then(|named| named.unit).map(ColumnUnit::word);
        let line = near.map(|near| assignment(&toml_text(&joint.name), near, unit));
        if let Some(value) = joint.posture.filter(|_| named.is_none()) {
            let Some(near) = nearest(wanted, columns().filter(is_free)) else { return Ok(JointSource::Posture(value)) };
            let problem = format!("has no column `{}`, and `{near}` is no joint", joint.name);
            let line = line.map_or("name it".to_owned(), |line| format!("write `{line}`"));
            let remedy =
                format!("{line} in [columns] of the scene, or rename the column, or remove it if [posture] is meant");
            return Err(self.error(problem, remedy));
        }
        let remedy = match line {
            Some(line) => {
                format!("write `{line}` in [columns] of the scene, if it is that: radians or metres, or with a unit")
            }
            None => {
                format!("add the column, or give the joint a value in [posture]: `{} = ...`", toml_text(&joint.name))
            }
        };
        Err(self.error(format!("has no column `{wanted}` for the joint `{}` ({})", joint.name, self.columns()), remedy))
    }

    /// Radians or metres in the unit of a joint's column, which [columns] gives for it alone
    /// (`own`) or for all, or the field has.
    fn factor(&self, joint: &JointName, index: usize, own: Option<ColumnUnit>) -> Result<f64> {
        let given = own.or(self.names.unit_of_joints(joint.turns));
        let of_field = self.unit_of_field(index)?;
        if let (Some(given), Some(other)) = (given, of_field)
            && given != other
        {
            let name = self.schema.field(index).name();
            let [given, other] = [given, other].map(ColumnUnit::word);
            let problem = format!("column `{name}` is in the unit `{other}`, and in `{given}` by [columns]");
            return Err(self.error(problem, "correct the unit in [columns], or leave it out"));
        }
        match (of_field.or(given), joint.turns) {
            (None, _) => Ok(1.0),
            (Some(ColumnUnit::Angle(AngleUnit::Degrees)), true) => Ok(std::f64::consts::PI / 180.0),
            (Some(ColumnUnit::Angle(AngleUnit::Radians)), true) => Ok(1.0),
            (Some(ColumnUnit::Length(unit)), false) => Ok(unit.metres(1.0)),
            (Some(unit), turns) => {
                let [moves, wanted] = if turns { ["turns", "rad or deg"] } else { ["slides", "a length"] };
                let problem =
                    format!("the joint `{}` {moves}, and its column has the unit `{}`", joint.name, unit.word());
                Err(self.error(problem, format!("use {wanted}")))
            }
        }
    }
}

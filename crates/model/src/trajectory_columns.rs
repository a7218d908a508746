//! Names and units of the columns of trajectories, where they are not those of the format:
//! `[columns]`.

use super::LengthUnit;
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_geometry::angles::AngleUnit;

/// The meaning of a column of trajectories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// The run.
    Run,
    /// The frame.
    Frame,
    /// The time.
    Time,
    /// The body: its name, or its `id`.
    Body,
    /// x of the position.
    X,
    /// y of the position.
    Y,
    /// z of the position.
    Z,
    /// The scalar part of the quaternion.
    Qw,
    /// x of the quaternion.
    Qx,
    /// y of the quaternion.
    Qy,
    /// z of the quaternion.
    Qz,
    /// The angle about x, the last of the three.
    Roll,
    /// The angle about y, the second of the three.
    Pitch,
    /// The angle about z, the first of the three.
    Yaw,
}

impl ColumnRole {
    /// All of them, in the order of the format.
    pub const ALL: [Self; 14] = [
        Self::Run,
        Self::Frame,
        Self::Time,
        Self::Body,
        Self::X,
        Self::Y,
        Self::Z,
        Self::Qw,
        Self::Qx,
        Self::Qy,
        Self::Qz,
        Self::Roll,
        Self::Pitch,
        Self::Yaw,
    ];

    /// The position.
    pub const POSITION: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The quaternion.
    pub const QUATERNION: [Self; 4] = [Self::Qw, Self::Qx, Self::Qy, Self::Qz];

    /// The angles in place of a quaternion.
    pub const ANGLES: [Self; 3] = [Self::Roll, Self::Pitch, Self::Yaw];

    /// The names of the format; the first is the key of `[columns]`.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Run => &["run", "run_id"],
            Self::Frame => &["frame", "frame_index"],
            Self::Time => &["time_s", "t", "time", "timestamp"],
            Self::Body => &["body", "body_id"],
            Self::X => &["x", "tx"],
            Self::Y => &["y", "ty"],
            Self::Z => &["z", "tz"],
            Self::Qw => &["qw"],
            Self::Qx => &["qx"],
            Self::Qy => &["qy"],
            Self::Qz => &["qz"],
            Self::Roll => &["roll"],
            Self::Pitch => &["pitch"],
            Self::Yaw => &["yaw"],
        }
    }

    /// The name of the format.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Words of the units that the column may have, for messages; `None`: it has none.
    #[doc(hidden)]
    pub fn units(self) -> Option<String> {
        match self {
            Self::Time => Some(TimeUnit::ALL.map(TimeUnit::word).join(", ")),
            Self::X | Self::Y | Self::Z => Some(LengthUnit::words()),
            Self::Roll | Self::Pitch | Self::Yaw => Some(AngleUnit::ALL.map(AngleUnit::word).join(", ")),
            _ => None,
        }
    }

    /// The unit of a word, among those that the column may have.
    #[doc(hidden)]
    pub fn unit(self, word: &str) -> Option<ColumnUnit> {
        match self {
            Self::Time => TimeUnit::parse(word).map(ColumnUnit::Time),
            Self::X | Self::Y | Self::Z => LengthUnit::parse(word).map(ColumnUnit::Length),
            Self::Roll | Self::Pitch | Self::Yaw => AngleUnit::parse(word).map(ColumnUnit::Angle),
            _ => None,
        }
    }
}

/// The unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
}

impl TimeUnit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Seconds, Self::Milliseconds, Self::Microseconds, Self::Nanoseconds];

    /// The word: s, ms, us, ns.
    pub fn word(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Nanoseconds => "ns",
        }
    }

    /// The unit of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.word() == word)
    }

    /// How many of it are a second.
    fn per_second(self) -> i64 {
        match self {
            Self::Seconds => 1,
            Self::Milliseconds => 1_000,
            Self::Microseconds => 1_000_000,
            Self::Nanoseconds => 1_000_000_000,
        }
    }

    /// A whole number of this unit in seconds, to one unit in the last place: whole seconds apart,
    /// so that only the fraction and the sum, which have one sign, are rounded.
    pub fn seconds_of_ticks(self, ticks: i64) -> f64 {
        let per_second = self.per_second();
        (ticks / per_second) as f64 + (ticks % per_second) as f64 / per_second as f64
    }

    /// A time of this unit in seconds: one division, correctly rounded.
    pub fn seconds(self, time: f64) -> f64 {
        time / self.per_second() as f64
    }
}

/// The unit of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ColumnUnit {
    /// Unit of x, y and z.
    Length(LengthUnit),
    /// Unit of the time.
    Time(TimeUnit),
    /// Unit of roll, pitch and yaw.
    Angle(AngleUnit),
}

impl ColumnUnit {
    /// The word of the unit.
    pub fn word(self) -> &'static str {
        match self {
            Self::Length(unit) => unit.word,
            Self::Time(unit) => unit.word(),
            Self::Angle(unit) => unit.word(),
        }
    }
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedColumn {
    /// Its name.
    pub name: String,
    /// Its unit, if it is stated.
    pub unit: Option<ColumnUnit>,
}

/// The columns of trajectories by their names and units, where these are not those of the format:
/// `[columns]` of a scene.
///
/// Roles that are not given go by the names of the format.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrajectoryColumns {
    given: Vec<(ColumnRole, NamedColumn)>,
    is_unturned: bool,
    /// Columns of joints, by the joints' names.
    joints: Vec<(String, NamedColumn)>,
    /// Units of all columns of joints that turn and of all that slide, unless one has its own.
    of_joints: [Option<ColumnUnit>; 2],
}

/// The keys of the units of all columns of joints.
const UNITS_OF_JOINTS: [&str; 2] = ["angles", "lengths"];

/// The key that states that there is no orientation, and its only value.
const ORIENTATION: &str = "orientation";
const NONE: &str = "none";

impl TrajectoryColumns {
    /// The keys of `[columns]`, but for those of joints.
    #[doc(hidden)]
    pub fn keys() -> [&'static str; 15] {
        let mut keys = [ORIENTATION; 15];
        keys.iter_mut().zip(ColumnRole::ALL).for_each(|(key, role)| *key = role.name());
        keys
    }

    /// Adds what a key of `[columns]` says, but for single joints: the name of the column for a
    /// role, by the role's name (`"body"`, `"x"`, `"time_s"`, `"yaw"`), with its unit (`s`, `ms`,
    /// `us`, `ns`; a length; `rad`, `deg`). `"orientation"` with `"none"`: bodies do not turn.
    ///
    /// # Errors
    /// The role or the unit is not known, the role or the column is given twice, or a quaternion
    /// and angles are given.
    pub fn with(mut self, key: &str, name: &str, unit: Option<&str>) -> Result<Self> {
        let wrong = |problem: String, remedy: String| Err(Error::usage(format!("column `{key}`"), problem, remedy));
        if key == ORIENTATION {
            if name != NONE || unit.is_some() {
                let remedy = format!("write `{ORIENTATION} = \"{NONE}\"`, or name the columns qw, qx, qy, qz, or yaw");
                return wrong(format!("`{name}` is no orientation"), remedy);
            }
            self.is_unturned = true;
        } else if let Some(which) = UNITS_OF_JOINTS.iter().position(|&known| known == key) {
            self.of_joints[which] = match unit_of_joint(name, Some(which == 0)) {
                Ok(known) if unit.is_none() => Some(known),
                Ok(_) => return wrong(format!("is the unit `{name}`, and has a unit"), "leave that out".to_owned()),
                Err(units) => return wrong(format!("is the unknown unit `{name}`"), format!("use one of {units}")),
            };
        } else {
            let Some(role) = ColumnRole::ALL.into_iter().find(|role| role.name() == key) else {
                let near = nearest(key, Self::keys().into_iter())
                    .map_or(String::new(), |near| format!("did you mean `{near}`? "));
                return wrong("is not known".to_owned(), format!("{near}Known here: {}", Self::keys().join(", ")));
            };
            let unit = match (unit, role.units()) {
                (None, _) => None,
                (Some(word), None) => return wrong(format!("has the unit `{word}`"), "leave the unit out".to_owned()),
                (Some(word), Some(words)) => match role.unit(word) {
                    None => return wrong(format!("has the unknown unit `{word}`"), format!("use one of {words}")),
                    known => known,
                },
            };
            if name.is_empty() {
                return wrong("has an empty name".to_owned(), "give the name of a column".to_owned());
            }
            if self.get(role).is_some() {
                return wrong("is given twice".to_owned(), "keep one of them".to_owned());
            }
            if let Some(other) = self.role_of(name) {
                let problem = format!("is `{name}`, and so is `{}`", other.name());
                return wrong(problem, "give each column one meaning".to_owned());
            }
            self.given.push((role, NamedColumn { name: name.to_owned(), unit }));
        }
        match self.contradiction() {
            Some(problem) => wrong(problem, "keep one of them".to_owned()),
            None => Ok(self),
        }
    }

    /// Several of [`Self::with`].
    ///
    /// # Errors
    /// As for that.
    pub fn of<'n>(named: impl IntoIterator<Item = (&'n str, &'n str, Option<&'n str>)>) -> Result<Self> {
        named.into_iter().try_fold(Self::default(), |columns, (role, name, unit)| columns.with(role, name, unit))
    }

    /// Two statements about the orientation.
    fn contradiction(&self) -> Option<String> {
        let first = |roles: &[ColumnRole]| self.given.iter().map(|(role, _)| *role).find(|role| roles.contains(role));
        let (quaternion, angle) = (first(&ColumnRole::QUATERNION), first(&ColumnRole::ANGLES));
        let none = self.is_unturned.then(|| format!("`{ORIENTATION} = \"{NONE}\"`"));
        let given = [quaternion, angle].into_iter().flatten().map(|role| format!("`{}`", role.name()));
        let given: Vec<String> = given.chain(none).collect();
        (given.len() > 1).then(|| format!("{} are given, and the orientation is one of them", given.join(" and ")))
    }

    /// Whether all columns go by the names of the format.
    #[doc(hidden)]
    pub fn is_default(&self) -> bool {
        self.given.is_empty() && !self.is_unturned && self.joints.is_empty() && self.of_joints == [None; 2]
    }

    /// The columns of joints alone: keys go by the names of the format.
    #[doc(hidden)]
    #[must_use]
    pub fn of_joints_only(&self) -> Self {
        Self { joints: self.joints.clone(), of_joints: self.of_joints, ..Self::default() }
    }

    /// The column of a joint, if it is given.
    #[doc(hidden)]
    pub fn of_joint(&self, joint: &str) -> Option<&NamedColumn> {
        self.joints.iter().find(|(given, _)| given == joint).map(|(_, column)| column)
    }

    /// A key that is given for poses alone: of a body, a position or an orientation.
    #[doc(hidden)]
    pub fn of_poses(&self) -> Option<&'static str> {
        let is_shared = |role: ColumnRole| matches!(role, ColumnRole::Run | ColumnRole::Frame | ColumnRole::Time);
        let given = self.given.iter().map(|(role, _)| *role).find(|role| !is_shared(*role));
        given.map(ColumnRole::name).or(self.is_unturned.then_some(ORIENTATION))
    }

    /// Adds the column of a joint, with the word of its unit if it has one of its own.
    ///
    /// # Errors
    /// The word is no unit: those that are known.
    #[doc(hidden)]
    pub fn add_joint(&mut self, joint: &str, name: String, unit: Option<&str>) -> std::result::Result<(), String> {
        let unit = unit.map(|word| unit_of_joint(word, None)).transpose()?;
        self.joints.push((joint.to_owned(), NamedColumn { name, unit }));
        Ok(())
    }

    /// Sets the unit of all columns of joints that turn (`angles`) or slide (`lengths`), by the
    /// key.
    ///
    /// # Errors
    /// The word is no unit: those that are known.
    #[doc(hidden)]
    pub fn set_unit_of_joints(&mut self, key: &str, word: &str) -> std::result::Result<(), String> {
        if let Some(which) = UNITS_OF_JOINTS.iter().position(|&known| known == key) {
            self.of_joints[which] = Some(unit_of_joint(word, Some(which == 0))?);
        }
        Ok(())
    }

    /// Whether a key is that of the unit of all columns of joints that turn or slide.
    #[doc(hidden)]
    pub fn is_unit_of_joints(key: &str) -> bool {
        UNITS_OF_JOINTS.contains(&key)
    }

    /// Gives joints the names that `rename` finds for them.
    #[doc(hidden)]
    pub fn rename_joints(&mut self, rename: impl Fn(&str) -> String) {
        self.joints.iter_mut().for_each(|(joint, _)| *joint = rename(joint));
    }

    /// The joints of which columns are given.
    #[doc(hidden)]
    pub fn joints(&self) -> impl Iterator<Item = &str> {
        self.joints.iter().map(|(joint, _)| &**joint)
    }

    /// The unit of all columns of joints that turn, or of all that slide, if it is given.
    #[doc(hidden)]
    pub fn unit_of_joints(&self, turns: bool) -> Option<ColumnUnit> {
        self.of_joints[usize::from(!turns)]
    }

    /// Whether the trajectories are stated to have no orientation.
    #[doc(hidden)]
    pub fn is_unturned(&self) -> bool {
        self.is_unturned
    }

    /// The column of a role, if it is given.
    #[doc(hidden)]
    pub fn get(&self, role: ColumnRole) -> Option<&NamedColumn> {
        self.given.iter().find(|(given, _)| *given == role).map(|(_, column)| column)
    }

    /// The role that a column is given for.
    #[doc(hidden)]
    pub fn role_of(&self, name: &str) -> Option<ColumnRole> {
        self.given.iter().find(|(_, column)| column.name == name).map(|(role, _)| *role)
    }
}

/// The unit of a word, of an angle or a length, or the words that are known. `turns`: which of
/// them, if that is known.
fn unit_of_joint(word: &str, turns: Option<bool>) -> std::result::Result<ColumnUnit, String> {
    let angle = AngleUnit::parse(word).map(ColumnUnit::Angle).filter(|_| turns != Some(false));
    let length = LengthUnit::parse(word).map(ColumnUnit::Length).filter(|_| turns != Some(true));
    let angles = AngleUnit::ALL.map(AngleUnit::word).join(", ");
    angle.or(length).ok_or_else(|| match turns {
        Some(true) => angles,
        Some(false) => LengthUnit::words(),
        None => format!("{angles}, or of a joint that slides {}", LengthUnit::words()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_ticks_are_seconds_to_the_last_place() {
        for (unit, ticks, expected) in [
            (TimeUnit::Nanoseconds, 1_772_366_400_250_000_000, 1_772_366_400.25),
            (TimeUnit::Nanoseconds, -1, -1e-9),
            (TimeUnit::Microseconds, 1_500_000, 1.5),
            (TimeUnit::Milliseconds, -1_250, -1.25),
            (TimeUnit::Seconds, i64::MIN, i64::MIN as f64),
        ] {
            let seconds: f64 = unit.seconds_of_ticks(ticks);
            assert!((seconds - expected).abs() <= expected.abs() * f64::EPSILON, "{ticks} {}: {seconds}", unit.word());
        }
    }

    #[test]
    fn a_contradiction_is_refused_at_the_key_that_makes_it() {
        let with = |columns: TrajectoryColumns, key, name, unit| columns.with(key, name, unit);
        let body = with(TrajectoryColumns::default(), "body", "entity", None).expect("a role");
        assert_eq!(body.role_of("entity"), Some(ColumnRole::Body));
        for (key, name, unit, part) in [
            ("bdy", "b", None, "did you mean `body`"),
            ("body", "other", None, "keep one"),
            ("x", "entity", None, "one meaning"),
            ("run", "r", Some("s"), "leave the unit out"),
            ("time_s", "t", Some("h"), "s, ms, us, ns"),
            ("yaw", "h", Some("grad"), "rad, deg"),
            ("x", "", None, "the name of a column"),
            ("orientation", "some", None, "\"none\""),
        ] {
            let error = with(body.clone(), key, name, unit).expect_err(key);
            assert!(error.remedy.contains(part), "{key}: {error}; {}", error.remedy);
        }
        let turned = with(body, "qw", "w", None).expect("a role");
        assert!(with(turned.clone(), "yaw", "h", Some("deg")).is_err());
        assert!(with(turned, "orientation", "none", None).is_err());
    }
}

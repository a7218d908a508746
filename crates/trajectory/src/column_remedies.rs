//! Remedies for columns that a file lacks: the columns that may be meant, as text for `[columns]`.

use super::file_schema::{Table, fits, wanted};
use super::pose_columns::Orientation;
use arrow_schema::DataType;
use clearsweep_base::error::{Error, Result, nearest_one};
use clearsweep_base::text::toml_text;
use clearsweep_model::{ColumnRole, ColumnUnit};

/// The line of `[columns]` that gives a column. `key`: a bare key, or a quoted one.
pub(super) fn assignment(key: &str, column: &str, unit: Option<&str>) -> String {
    let name = toml_text(column);
    match unit {
        Some(unit) => format!("{key} = {{ name = {name}, unit = {} }}", toml_text(unit)),
        None => format!("{key} = {name}"),
    }
}

/// The lines that give columns for roles, with "`, `" between them.
fn assignments<const N: usize>(roles: [ColumnRole; N], columns: [&str; N]) -> String {
    let lines = roles.into_iter().zip(columns).map(|(role, column)| assignment(role.name(), column, None));
    lines.collect::<Vec<_>>().join("`, `")
}

/// Whether the name of a column says that it holds a part of an orientation.
fn looks_turned(name: &str) -> bool {
    const PARTS: [&str; 7] = ["quat", "rotation", "orient", "euler", "yaw", "heading", "azimuth"];
    const BEGINNINGS: [&str; 3] = ["rot", "roll", "pitch"];
    const COMPONENTS: [&str; 9] = ["0", "1", "2", "3", "4", "w", "x", "y", "z"];
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let component = name.strip_prefix('q').map(|rest| rest.trim_matches(|c: char| !c.is_alphanumeric()));
    PARTS.iter().any(|part| name.contains(part))
        || words.any(|word| BEGINNINGS.iter().any(|part| word.starts_with(part)))
        || component.is_some_and(|rest| COMPONENTS.contains(&rest))
}

/// Columns that differ in the last letter alone, which is one of `ends` for each; `None`: there are
/// none, or several such families.
fn family<'n, const N: usize>(columns: &[&'n str], ends: [char; N]) -> Option<[&'n str; N]> {
    let of_first = |first: &&str| {
        let first = first.to_lowercase();
        let stem = first.strip_suffix(ends[0])?;
        let member = |end| columns.iter().find(|name| name.to_lowercase().strip_suffix(end) == Some(stem));
        let members: Vec<&str> = ends.into_iter().filter_map(member).copied().collect();
        <[&str; N]>::try_from(members).ok()
    };
    let mut families = columns.iter().filter_map(of_first);
    families.next().filter(|_| families.next().is_none())
}

/// Whether the name of a column says that it holds a part of a position.
fn looks_placed(name: &str) -> bool {
    const WORDS: [&str; 10] =
        ["p", "t", "pos", "position", "trans", "translation", "loc", "location", "coord", "coordinate"];
    let lower = name.to_lowercase();
    lower
        .strip_suffix(['x', 'y', 'z'])
        .into_iter()
        .flat_map(|stem| stem.split(|c: char| !c.is_alphanumeric()))
        .any(|word| WORDS.contains(&word))
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The axes and numbers in a name: columns that differ in them are no misspelt ones.
fn axes(name: &str) -> String {
    letters(name).chars().filter(|c| "wxyz".contains(*c) || c.is_ascii_digit()).collect()
}

/// The column that a name of the format means: one of the same letters, else the nearest one if it
/// is one slip away. Names of three letters or fewer are too short to tell.
fn meant<'n>(name: &str, columns: &[&'n str]) -> Option<&'n str> {
    let mut alike = columns.iter().copied().filter(|column| letters(column) == name.replace('_', ""));
    match (alike.next(), alike.next()) {
        (Some(only), None) => Some(only),
        (None, _) if name.len() > 3 => nearest_one(name, columns.iter().copied())
            .filter(|near| strsim::damerau_levenshtein(name, &near.to_lowercase()) == 1),
        _ => None,
    }
}

impl Table<'_> {
    /// The columns that have no role and may have this one by their type. Of CSV, these are texts.
    fn free(&self, role: ColumnRole) -> Vec<&str> {
        let has_role = |name: &str| {
            self.names.role_of(name).is_some() || ColumnRole::ALL.into_iter().any(|role| self.is_of(role, name))
        };
        let fields = self.schema.fields().iter();
        fields
            .filter(|field| fits(role, field.data_type()) || *field.data_type() == DataType::Utf8)
            .map(|field| field.name().as_str())
            .filter(|name| !has_role(name))
            .collect()
    }

    /// The error of a column that is not there.
    pub(super) fn missing(&self, role: ColumnRole) -> Error {
        let (name, wanted, free) = (role.name(), wanted(role), self.free(role));
        if let Some(given) = self.names.get(role) {
            let problem =
                format!("has no column `{}`, which [columns] gives for `{name}` ({})", given.name, self.columns());
            let near = nearest_one(&given.name, free.into_iter()).filter(|near| axes(near) == axes(&given.name));
            return self.error(
                problem,
                match near.map(|near| assignment(name, near, given.unit.map(ColumnUnit::word))) {
                    Some(line) => format!("write `{line}` in [columns], if it is that: {wanted}"),
                    None => format!("give its name in [columns]; `{name}` is {wanted}"),
                },
            );
        }
        if self.is_index_of_pandas(role) {
            let problem = format!("`{name}` is the index of a pandas frame, and no column");
            return self.error(problem, "write the frame with `df.reset_index().to_parquet(...)`");
        }
        if let Some(other) = role.names().iter().find_map(|name| self.names.role_of(name)) {
            let problem = format!("has no column `{name}`: [columns] gives that name to `{}`", other.name());
            return self.error(problem, format!("give the name of `{name}` in [columns], too"));
        }
        let placed: Vec<&str> = free.iter().copied().filter(|name| looks_placed(name)).collect();
        let positions = family(&placed, ['x', 'y', 'z']).filter(|_| ColumnRole::POSITION.contains(&role));
        let remedy = match (role.names().iter().find_map(|name| meant(name, &free)), positions) {
            (Some(near), _) => format!(
                "rename the column `{near}` to `{name}`, or write `{}` in [columns] of the scene, if it is that: {wanted}",
                assignment(name, near, None)
            ),
            (None, Some(columns)) => {
                let lines = assignments(ColumnRole::POSITION, columns);
                format!("write `{lines}` in [columns] of the scene, if they are that: {wanted}")
            }
            (None, None) => format!(
                "trajectories need the columns frame, body, x, y, z, qw, qx, qy, qz; `{name}` is {wanted}. [columns] of the \
                 scene gives other names"
            ),
        };
        self.error(format!("has no column `{name}` ({})", self.columns()), remedy)
    }

    /// Bodies that do not turn, unless a column looks as if they did.
    pub(super) fn no_orientation(&self) -> Result<Orientation> {
        let free =
            self.schema.fields().iter().map(|field| field.name()).filter(|name| self.names.role_of(name).is_none());
        let suspects: Vec<&str> = free.map(String::as_str).filter(|name| looks_turned(name)).collect();
        if suspects.is_empty() {
            return Ok(Orientation::None { is_stated: false });
        }
        let shown = &suspects[..suspects.len().min(4)];
        let problem =
            format!("has no column `qw`, but `{}` may be an orientation ({})", shown.join("`, `"), self.columns());
        // The order of numbers is not guessed: only names that say it are proposed.
        let how = match family(&suspects, ['w', 'x', 'y', 'z']) {
            Some(columns) => {
                format!("`{}`, if that is their order", assignments(ColumnRole::QUATERNION, columns))
            }
            None => "`qw`, `qx`, `qy`, `qz` (qw is the scalar part), or `yaw = { name = \"NAME\", unit = \"UNIT\" }` (UNIT is \
                     deg or rad)"
                .to_owned(),
        };
        let remedy = format!(
            "name the columns in [columns] of the scene: {how}; if bodies do not turn, write `orientation = \"none\"` there"
        );
        Err(self.error(problem, remedy))
    }

    /// Whether something that has no role may be meant as the column of one: a column of a similar
    /// name, or an index of pandas.
    pub(super) fn is_meant(&self, role: ColumnRole) -> bool {
        let free = self.free(role);
        self.is_index_of_pandas(role) || role.names().iter().any(|name| meant(name, &free).is_some())
    }

    /// Whether pandas has a column in its index alone, which it keeps in the metadata of the
    /// schema.
    fn is_index_of_pandas(&self, role: ColumnRole) -> bool {
        let Some(text) = self.schema.metadata().get("pandas") else { return false };
        let said: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let indices = said["index_columns"].as_array().into_iter().flatten();
        indices.filter_map(|index| index["name"].as_str()).any(|name| role.names().contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_differ_in_the_last_letter_alone() {
        let ends = ['w', 'x', 'y', 'z'];
        let of = |names: &[&'static str]| family(names, ends).map(|names| names.join(" "));
        assert_eq!(of(&["rot_x", "rot_y", "rot_z", "heading_raw"]), None);
        assert_eq!(of(&["Q.x", "Q.y", "q.W", "Q.z", "rot_x"]).as_deref(), Some("q.W Q.x Q.y Q.z"));
        assert_eq!(of(&["aw", "ax", "ay", "az", "bw", "bx", "by", "bz"]), None, "which of them?");
        for name in ["px", "pos_x", "Position.X", "pose.position.x", "tool_pos_x"] {
            assert!(looks_placed(name), "{name}");
        }
        for name in ["rx", "vx", "vel_x", "rot_x", "x"] {
            assert!(!looks_placed(name), "{name}");
        }
    }

    #[test]
    fn a_name_of_the_format_means_one_of_its_letters_or_of_one_slip() {
        for (name, columns, column) in [
            ("qw", &["q_w", "qx"] as &[_], Some("q_w")),
            ("frame", &["FRAME ", "frame2"], Some("FRAME ")),
            ("frame", &["Frme"], Some("Frme")),
            ("frame", &["name"], None),
            ("tx", &["ts"], None),
            ("qw", &["q4"], None),
            ("body", &["boddy", "bodyy"], None),
        ] {
            assert_eq!(meant(name, columns), column, "{name}");
        }
    }
}

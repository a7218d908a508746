//! `[columns]` of a scene: names and units of the columns of trajectories.

use super::keys::{Field, Keys};
use clearsweep_base::error::Result;
use clearsweep_model::TrajectoryColumns;

/// Lowers `[columns]`. `has_joints`: keys may be names of joints, too.
pub(super) fn columns(table: &Keys<'_>, has_joints: bool) -> Result<TrajectoryColumns> {
    let mut columns = TrajectoryColumns::default();
    if has_joints {
        add_joints(&mut columns, table)?;
    } else {
        table.only(&TrajectoryColumns::keys())?;
    }
    for key in TrajectoryColumns::keys() {
        let Some(field) = table.get(key) else { continue };
        let (name, unit) = name_and_unit(&field, key)?;
        columns =
            columns.with(key, &name, unit.as_deref()).map_err(|error| field.error(error.problem, error.remedy))?;
    }
    Ok(columns)
}

/// The name of a column and its unit.
pub(super) fn name_and_unit(field: &Field<'_>, key: &str) -> Result<(String, Option<String>)> {
    let remedy = format!("write `{key} = \"NAME\"`, or `{key} = {{ name = \"NAME\", unit = \"UNIT\" }}`");
    match field.text() {
        Ok(name) => Ok((name.to_owned(), None)),
        Err(_) if field.is_table() => {
            let named = field.table()?;
            named.only(&["name", "unit"])?;
            let unit = named.get("unit").map(|unit| unit.text().map(str::to_owned)).transpose()?;
            Ok((named.required("name", remedy)?.text()?.to_owned(), unit))
        }
        Err(error) => Err(field.error(error.problem, remedy)),
    }
}

/// Adds the keys that are none of the format: names of joints, which are looked for once these are
/// known, and the units of all of them.
fn add_joints(columns: &mut TrajectoryColumns, table: &Keys<'_>) -> Result<()> {
    for key in table.names() {
        let Some(field) = table.get(key).filter(|_| !TrajectoryColumns::keys().contains(&key)) else { continue };
        let is_unit = TrajectoryColumns::is_unit_of_joints(key);
        let (name, unit) =
            if is_unit { (String::new(), Some(field.text()?.to_owned())) } else { name_and_unit(&field, key)? };
        let word = unit.as_deref();
        let added = match word {
            Some(word) if is_unit => columns.set_unit_of_joints(key, word),
            _ => columns.add_joint(key, name, word),
        };
        added.map_err(|units| {
            field.error(format!("`{}` is no unit of it", word.unwrap_or_default()), format!("use one of {units}"))
        })?;
    }
    Ok(())
}

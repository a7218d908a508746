//! `[expect]`: counts that the input has to have.

use super::body_spec::BodySpec;
use super::keys::Keys;
use clearsweep_base::error::Result;
use clearsweep_model::Expected;

/// Lowers `[expect]`, and compares its number of bodies with those of the scene.
///
/// # Errors
/// A count is none, or the scene has other counts.
pub(super) fn expected(top: &Keys<'_>, bodies: &[BodySpec]) -> Result<Expected> {
    let Some(section) = top.get("expect") else { return Ok(Expected::default()) };
    let keys = section.table()?;
    keys.only(&["runs", "frames", "bodies"])?;
    let count = |key| -> Result<Option<u64>> {
        let Some(field) = keys.get(key) else { return Ok(None) };
        let count = field.integer()?;
        match u64::try_from(count) {
            Ok(count) if count > 0 => Ok(Some(count)),
            _ => Err(field.error(format!("{count} is no count"), "give a whole number from 1 on")),
        }
    };
    let expected = Expected { runs: count("runs")?, frames: count("frames")?, bodies: count("bodies")? };
    let found = bodies.len() as u64;
    if let Some((field, count)) = keys.get("bodies").zip(expected.bodies).filter(|(_, count)| *count != found) {
        let problem = format!("the scene has {found} bodies, and {count} are expected");
        let remedy = "complete the geometry files and the tables of bodies, or correct `bodies`";
        return Err(field.error(problem, remedy));
    }
    let of_trajectories = ["runs", "frames"].into_iter().find_map(|key| keys.get(key));
    if let Some(field) = of_trajectories.filter(|_| bodies.iter().all(|body| body.pose.is_some())) {
        let remedy = "remove it, or remove `static = true` from the bodies that move";
        return Err(field.error("every body is static: nothing moves, and there are no runs", remedy));
    }
    Ok(expected)
}

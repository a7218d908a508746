//! `rest` of `[scene]`: whether orientations in trajectories count from the orientations of the
//! nodes in their files.

use super::file::SceneFile;
use super::keys::SceneSource;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::RestOrientation;

/// Checks that `rest = "file"` has something to count from.
///
/// # Errors
/// Joints give the poses, or no node of a file moves.
pub(super) fn check(source: &SceneSource<'_>, file: &SceneFile) -> Result<RestOrientation> {
    let Some(at) = file.head.rest else { return Ok(RestOrientation::Identity) };
    let error = |problem: &str, remedy: &str| Err(Error::input(source.place(at), problem, remedy));
    if !file.joints.is_empty() {
        let problem = "rest = \"file\" is about orientations in trajectories, and joints give the poses of this scene";
        return error(problem, "remove `rest`: joints begin where the file has their bodies");
    }
    if file.made.moving.is_empty() {
        let problem = "rest = \"file\" needs a node of a geometry file that moves, and the scene has none";
        let remedy = "remove `rest`, or name the nodes that move: `moving = [\"NODE\"]` in a `[[bodies]]` with `each`";
        return error(problem, remedy);
    }
    Ok(RestOrientation::File)
}

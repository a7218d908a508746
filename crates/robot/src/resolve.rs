//! Files that a description names: `package://`, `model://`, `file://` and paths.

use clearsweep_base::{Error, Result};
use std::path::{Path, PathBuf};

/// Most places that a message lists.
const LISTED: usize = 12;

/// Finds the file that a URDF file names by `file`.
///
/// - `package://NAME/REST` (and `model://`, as Gazebo writes it): `P/NAME/REST` for each folder `P`
///   of `packages`, or `P/REST` if the folder `P` itself is called `NAME`; then likewise for the
///   folder of the URDF file and each folder above it.
/// - `file://PATH`: the path behind the prefix.
/// - any other: a path, relative to the folder of the URDF file.
///
/// # Errors
/// An address of another scheme, or no such file; the error lists the places where it was sought.
pub fn resolve(file: &str, urdf: &Path, packages: &[PathBuf]) -> Result<PathBuf> {
    let fault = |problem: String, remedy: &str| Error::input(urdf.display(), problem, remedy);
    let (scheme, rest) = file.split_once("://").unwrap_or(("", file));
    match scheme {
        "package" | "model" => in_package(file, rest, urdf, packages),
        "" | "file" if rest.is_empty() => Err(fault(format!("`{file}` names no file"), "name a mesh file")),
        "" | "file" => {
            let rest = if scheme == "file" { rest.strip_prefix("localhost").unwrap_or(rest) } else { rest };
            let path = folder(urdf).join(rest);
            let missing =
                || fault(format!("`{file}` does not exist: {}", path.display()), "correct the name of the file");
            if path.exists() { Ok(path) } else { Err(missing()) }
        }
        "http" | "https" => {
            let remedy = "download the file, and name it by a path relative to the URDF file";
            Err(fault(format!("`{file}` is on the network, from which nothing is read"), remedy))
        }
        _ => Err(fault(format!("`{file}` has an unknown scheme"), "write `package://NAME/...` or a path")),
    }
}

fn in_package(file: &str, rest: &str, urdf: &Path, packages: &[PathBuf]) -> Result<PathBuf> {
    let split = rest.split_once('/').map(|(name, inner)| (name, inner.trim_start_matches('/')));
    let Some((name, inner)) = split.filter(|(name, inner)| !name.is_empty() && !inner.is_empty()) else {
        let problem = format!("`{file}` names no file in a package");
        return Err(Error::input(urdf.display(), problem, "write `package://NAME/...`"));
    };
    let searched = packages.iter().cloned().chain(folders_above(urdf));
    let mut places = Vec::new();
    for folder in searched {
        let folder = &folder;
        let own = is_called(folder, name).then(|| folder.join(inner));
        for path in std::iter::once(folder.join(name).join(inner)).chain(own) {
            if path.exists() {
                return Ok(path);
            }
            places.push(format!("\n- {}", path.display()));
        }
    }
    let more = places.len().saturating_sub(LISTED);
    places.truncate(LISTED);
    if more > 0 {
        places.push(format!("\n- and {more} more"));
    }
    let problem = format!("the package of `{file}` was not found; these files do not exist:{}", places.concat());
    let remedy = format!("name the folder that holds the folder `{name}`: `packages = [\"path/to/folder\"]`");
    Err(Error::input(urdf.display(), problem, remedy))
}

/// The folder of a file, `.` for a bare name.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The folder of a file and those above it: as the path names them, then by absolute paths.
fn folders_above(file: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = folder(file).ancestors().map(Path::to_path_buf).collect();
    if file.is_relative() {
        folders.retain(|folder| !folder.as_os_str().is_empty());
        let working = Path::new(".").canonicalize().unwrap_or_default();
        folders.extend(working.ancestors().map(Path::to_path_buf));
    }
    folders
}

fn is_called(folder: &Path, name: &str) -> bool {
    match folder.file_name() {
        Some(own) => own == name,
        None => folder.canonicalize().is_ok_and(|folder| folder.file_name().is_some_and(|own| own == name)),
    }
}

//! Files that a description names: `package://`, `model://`, `file://` and paths.

use crate::xml::Source;
use clearsweep_base::{Error, Result};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Most places that a message lists.
const LISTED: usize = 12;

/// A folder in which packages are sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFolder {
    /// Path of the folder.
    pub path: PathBuf,
    /// Name of the package in its `package.xml`, if there is one; see [`package_name`].
    pub name: Option<String>,
}

/// Finds the file that a URDF file names by `file`.
///
/// - `package://NAME/REST` (and `model://`, as Gazebo writes it): `P/NAME/REST` for each folder `P`
///   of `packages`, or `P/REST` if `P` itself is the package `NAME` or is called so; then the same
///   for the folder of the URDF file and each folder above it. Slashes before `NAME` are skipped,
///   as in Pinocchio.
/// - `file://PATH`: the path behind the prefix.
/// - any other: a path, relative to the folder of the URDF file.
///
/// # Errors
/// An address of another scheme, no such package or no such file; the error lists the places.
pub fn resolve(file: &str, urdf: &Path, packages: &[PackageFolder]) -> Result<PathBuf> {
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

fn in_package(file: &str, rest: &str, urdf: &Path, packages: &[PackageFolder]) -> Result<PathBuf> {
    let fault = |problem: String, remedy: String| Err(Error::input(urdf.display(), problem, remedy));
    let rest = rest.trim_start_matches('/');
    let split = rest.split_once('/').map(|(name, inner)| (name, inner.trim_start_matches('/')));
    let Some((name, inner)) = split.filter(|(_, inner)| !inner.is_empty()) else {
        return fault(format!("`{file}` names no file in a package"), "write `package://NAME/...`".to_owned());
    };
    // Folders that may be the package.
    let mut roots: Vec<PathBuf> = Vec::new();
    let above = folders_above(urdf).into_iter().map(|path| PackageFolder { path, name: None });
    for PackageFolder { path, name: written } in packages.iter().cloned().chain(above) {
        let is_package = written.as_deref() == Some(name) || is_called(&path, name);
        roots.push(path.join(name));
        roots.extend(is_package.then_some(path));
    }
    if let Some(found) = roots.iter().map(|root| root.join(inner)).find(|path| path.exists()) {
        return Ok(found);
    }
    let mut seen = HashSet::new();
    roots.retain(|root| seen.insert(root.canonicalize().or_else(|_| std::path::absolute(root)).unwrap_or_default()));
    let list = |roots: &[&PathBuf]| {
        let places = roots.iter().take(LISTED).map(|root| format!("\n- {}", root.join(inner).display()));
        let more = roots.len().saturating_sub(LISTED);
        places.chain((more > 0).then(|| format!("\n- and {more} more"))).collect::<String>()
    };
    let there: Vec<&PathBuf> = roots.iter().filter(|root| root.is_dir()).collect();
    if !there.is_empty() {
        let problem = format!("`{file}` is missing in the package `{name}`:{}", list(&there));
        return fault(problem, "correct the name of the file, or add the file".to_owned());
    }
    let places = list(&roots.iter().collect::<Vec<_>>());
    let problem = format!("the package of `{file}` was not found; these files do not exist:{places}");
    let unnamed = packages.iter().find(|folder| folder.name.is_none() && folder.path.join(inner).exists());
    let remedy = match unnamed {
        Some(PackageFolder { path, .. }) => format!(
            "`{inner}` is in the folder `{}`: rename that to `{name}`, or write \
             `<package><name>{name}</name></package>` to a file package.xml in it",
            path.display()
        ),
        None => format!("name the folder that holds the folder `{name}`: `packages = [\"path/to/folder\"]`"),
    };
    fault(problem, remedy)
}

/// Returns the name in the `text` of a `package.xml` (REP 149).
pub fn package_name(path: &Path, text: &str) -> Option<String> {
    let source = Source::new(path, text);
    let document = source.parse("package.xml").ok()?;
    let name = source.root(&document).child("name").ok()??;
    Some(name.text().trim().to_owned())
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

//! Text files of robots: descriptions, files that they include, and `package.xml`.

use crate::digest::InputReader;
use crate::keys::Field;
use clearsweep_base::error::{Error, Result};
use clearsweep_robot::{PackageFolder, package_name};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The path and the text of the file that a key names, relative to the scene.
pub(super) fn named(field: &Field<'_>, inputs: &mut InputReader) -> Result<(PathBuf, String)> {
    let path = field.scene().parent().unwrap_or(Path::new("")).join(field.text()?);
    let bytes = inputs.read(&path).map_err(|error| Error::unreadable_of_scene(&path, &error));
    let text = bytes.and_then(|bytes| utf8(&path, bytes));
    let text = text.map_err(|error| field.error(format!("{} {}", path.display(), error.problem), error.remedy))?;
    Ok((path, text))
}

/// The text of a file that a description includes; `None`: it does not exist.
pub(super) fn included(path: &Path, inputs: &mut InputReader) -> Result<Option<String>> {
    match inputs.read(path) {
        Ok(bytes) => utf8(path, bytes).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unreadable(path, &error)),
    }
}

/// A folder of packages, with the name in its `package.xml` if that can be read.
pub(super) fn package(path: PathBuf, inputs: &mut InputReader) -> PackageFolder {
    let file = path.join("package.xml");
    let text = included(&file, inputs).ok().flatten();
    PackageFolder { name: text.and_then(|text| package_name(&file, &text)), path }
}

fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::input(path.display(), "is not UTF-8", "save it as UTF-8"))
}

use crate::{PackageFolder, package_name};
use clearsweep_base::Result;
use std::fs::{create_dir_all, write};
use std::path::{Path, PathBuf};

/// Writes empty files under a new folder, which is returned.
fn files(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in names {
        let path = folder.path().join(name);
        create_dir_all(path.parent().expect("a parent")).expect("folders");
        write(path, "").expect("a file");
    }
    folder
}

/// As [`crate::resolve`], with folders whose names nothing says.
fn resolve(file: &str, urdf: &Path, packages: &[PathBuf]) -> Result<PathBuf> {
    let packages = packages.iter().map(|path| PackageFolder { path: path.clone(), name: None });
    crate::resolve(file, urdf, &packages.collect::<Vec<_>>())
}

#[test]
fn packages_are_sought_in_folders_and_above_the_file() {
    let folder = files(&["ws/arm/urdf/arm.urdf", "ws/arm/meshes/a.stl", "ws/arm/urdf/own/b.stl", "else/arm/c.stl"]);
    let at = |name: &str| folder.path().join(name);
    let urdf = at("ws/arm/urdf/arm.urdf");
    let found = |file: &str, packages: &[PathBuf]| resolve(file, &urdf, packages).expect(file);
    assert_eq!(found("package://arm/meshes/a.stl", &[]), at("ws/arm/meshes/a.stl"), "P is called `arm`");
    assert_eq!(found("model://ws/arm/meshes/a.stl", &[]), at("ws/arm/meshes/a.stl"));
    assert_eq!(found("package://own/b.stl", &[]), at("ws/arm/urdf/own/b.stl"), "relative to the file");
    assert_eq!(found("package:///arm/meshes/a.stl", &[]), at("ws/arm/meshes/a.stl"), "as Pinocchio");
    assert_eq!(found("package://arm/c.stl", &[at("ws"), at("else")]), at("else/arm/c.stl"));
    assert_eq!(found("package://arm/c.stl", &[at("else/arm")]), at("else/arm/c.stl"));
    assert_eq!(found("own/b.stl", &[]), at("ws/arm/urdf/own/b.stl"));
    assert_eq!(found("../meshes/a.stl", &[at("else")]), at("ws/arm/urdf/../meshes/a.stl"));
    let address = format!("file://{}", at("else/arm/c.stl").display());
    assert_eq!(found(&address, &[]), at("else/arm/c.stl"));
}

#[test]
fn missing_files_name_the_places() {
    let folder = files(&["arm.urdf"]);
    let urdf = folder.path().join("arm.urdf");
    let error = |file: &str, packages: &[PathBuf]| resolve(file, &urdf, packages).expect_err(file);
    let places = error("package://arm/a.stl", &[PathBuf::from("/x"), PathBuf::from("/y/arm")]);
    for place in ["\n- /x/arm/a.stl", "\n- /y/arm/arm/a.stl", "\n- /y/arm/a.stl"] {
        assert!(places.problem.contains(place), "{places}");
    }
    assert!(places.remedy.contains("packages = ["), "{}", places.remedy);
    assert_eq!(places.place, urdf.display().to_string());
    assert!(
        error("package://arm/a.stl", &[]).problem.contains(&format!("{}", folder.path().join("arm/a.stl").display()))
    );
    for (file, part) in [
        ("https://example.org/a.stl", "on the network"),
        ("s3://a", "unknown scheme"),
        ("package://arm", "names no file"),
        ("package:///a", "names no file"),
        ("file://", "names no file"),
        ("a.stl", "does not exist"),
        ("package://arm//etc/passwd", "was not found"),
    ] {
        assert!(error(file, &[]).problem.contains(part), "{file}: {}", error(file, &[]));
    }
}

#[test]
fn a_package_without_the_file_is_named_once() {
    let folder = files(&["ws/arm/urdf/arm.urdf"]);
    let at = |name: &str| folder.path().join(name);
    let error =
        resolve("package://arm/a.stl", &at("ws/arm/urdf/arm.urdf"), &[at("ws"), at("ws/arm")]).expect_err("no file");
    let places = format!("`package://arm/a.stl` is missing in the package `arm`:\n- {}", at("ws/arm/a.stl").display());
    assert_eq!(error.problem, places);
    assert!(!error.remedy.contains("packages"), "{}", error.remedy);
}

#[test]
fn a_folder_is_the_package_that_its_package_xml_names() {
    let folder = files(&["clone/a.stl", "arm.urdf"]);
    let (path, urdf) = (folder.path().join("clone"), folder.path().join("arm.urdf"));
    let text = "<?xml version='1.0'?>\n<package format='3'><name> arm\n</name></package>";
    let name = package_name(Path::new("package.xml"), text);
    assert_eq!(name.as_deref(), Some("arm"));
    let found = |name| crate::resolve("package://arm/a.stl", &urdf, &[PackageFolder { path: path.clone(), name }]);
    assert_eq!(found(name).expect("a mesh"), path.join("a.stl"));
    let error = found(None).expect_err("no name");
    assert!(error.problem.contains("was not found") && error.remedy.contains("<package><name>arm</name>"), "{error}");
    let other = found(Some("leg".into())).expect_err("another name");
    assert!(other.remedy.contains("packages = ["), "{}", other.remedy);
    for text in ["", "<package/>", "<package><name/><name/></package>"] {
        assert_eq!(package_name(Path::new("package.xml"), text), None, "{text}");
    }
}

#[test]
fn relative_paths_of_the_file_are_sought_above_the_working_folder() {
    let error = resolve("package://nowhere/a.stl", Path::new("arm.urdf"), &[]).expect_err("no file");
    let working = Path::new(".").canonicalize().expect("a folder");
    let above = working.parent().expect("a folder").join("nowhere/a.stl");
    assert!(error.problem.contains(&above.display().to_string()), "{error}");
}

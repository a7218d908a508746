//! `clearsweep init`: a first scene for a geometry file.

use super::args_init::InitArgs;
use super::exit::ProgramEnd;
use super::first_scene::FirstScene;
use super::{check, files, stdout};
use clearsweep::{Error, Result};
use clearsweep_base::text::shell_word;
use clearsweep_engine::JobOptions;
use clearsweep_model::SceneOverrides;
use clearsweep_scene::readers;
use std::path::Path;

/// Checks a geometry file, and writes a scene for it.
pub(crate) fn init(args: &InitArgs) -> Result<ProgramEnd> {
    let InitArgs { file, out, unit, max_input, force, json } = args;
    let Some(mut first) = FirstScene::of(file, unit.as_deref())? else {
        let [problem, remedy] = match readers::check_extension(file) {
            Err(fault) => [fault.problem, fault.remedy],
            Ok(()) => ["is no geometry file".to_owned(), "name one".to_owned()],
        };
        return Err(Error::input(file.display(), problem, remedy));
    };
    if readers::check_extension(out).is_ok() {
        let problem = format!("`{}` is the name of a geometry file", out.display());
        return Err(Error::usage("--out", problem, "name the scene file to be written, such as scene.toml"));
    }
    files::check_target(out, *force)?;
    let max_input = max_input.map(|bytes| bytes.0);
    let scene = first.load(&SceneOverrides { max_input, ..SceneOverrides::default() })?;
    let checked = clearsweep_engine::check(&scene, &JobOptions::default())?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| Error::unwritable(folder, &error))?;
    let text = first.text(&first.seen_from(folder)?, out, &scene);
    files::write_whole(out, text.as_bytes(), *force)?;
    if *json {
        let mut object = check::as_json(&scene, &checked);
        first.add_to(&mut object, &text);
        object["written"] = out.display().to_string().into();
        stdout::print_json(&object)?;
    } else {
        let next = format!("clearsweep run {} --out {}", shell_word(out), shell_word(&out.with_extension("out")));
        let found = check::text(&scene, &checked, (Some(&first), None));
        stdout::print(&format!("{found}\nwritten  {}\nnext     {next}\n", out.display()))?;
    }
    Ok(ProgramEnd::Clear)
}

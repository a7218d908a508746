//! A first scene for a geometry file: `clearsweep check FILE` shows it, `clearsweep init` writes
//! it.

use clearsweep::{Error, Result};
use clearsweep_base::text::{shell_word, toml_text};
use clearsweep_model::{LengthUnit, Scene, SceneOverrides};
use clearsweep_scene::{readers, scene_beside};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The unit of lengths unless a flag names another one: that of most CAD programs.
const UNIT: &str = "mm";

/// Column in which the comments behind keys begin.
const COMMENTS: usize = 26;

/// A geometry file for which a scene is made.
pub(super) struct FirstScene {
    file: PathBuf,
    unit: LengthUnit,
    /// Whether a flag names the unit.
    is_stated: bool,
    /// Overlap that is allowed of all pairs, so that parts may touch.
    overlap: &'static str,
}

/// Overlaps that a first scene allows, each with the least median size of bodies, metres.
const OVERLAPS: [(&str, f64); 4] = [("1mm", 0.1), ("0.1mm", 0.01), ("0.01mm", 1e-3), ("0.001mm", 0.0)];

impl FirstScene {
    /// Returns the scene to be made for a file; `None`: it is no geometry file by its extension.
    ///
    /// # Errors
    /// A unit is given for another file.
    pub(super) fn of(file: &Path, unit: Option<&str>) -> Result<Option<Self>> {
        if readers::check_extension(file).is_err() {
            let problem = "is the unit of a geometry file: a scene names its own";
            return match unit {
                Some(_) => Err(Error::usage("--unit", problem, "leave it out, and write `length_unit` in the scene")),
                None => Ok(None),
            };
        }
        let word = unit.unwrap_or(UNIT);
        let parsed = LengthUnit::parse(word);
        let parsed = parsed.ok_or_else(|| Error::internal("--unit", format!("`{word}` is no unit")))?;
        let overlap = OVERLAPS[0].0;
        Ok(Some(Self { file: file.to_path_buf(), unit: parsed, is_stated: unit.is_some(), overlap }))
    }

    /// The geometry file.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the name of the geometry file.
    ///
    /// # Errors
    /// It is no UTF-8, as a scene file is.
    fn name(&self) -> Result<String> {
        let name = self.file.file_name().and_then(|name| name.to_str());
        let remedy = "rename the file: a scene file is UTF-8 text";
        name.map(str::to_owned).ok_or_else(|| Error::input(self.file.display(), "the name is not UTF-8", remedy))
    }

    /// The name for a scene file.
    pub(super) fn proposed(&self) -> PathBuf {
        PathBuf::from(self.file.with_extension("toml").file_name().unwrap_or_default())
    }

    /// Builds the scene, and chooses the overlap that it allows: a hundredth of the median size or
    /// less.
    ///
    /// # Errors
    /// The geometry or a flag cannot be used.
    pub(super) fn load(&mut self, overrides: &SceneOverrides) -> Result<Scene> {
        let scene = scene_beside(&self.file, &self.keys(&self.name()?), overrides)?;
        let mut sizes: Vec<f64> = scene.bodies.iter().map(|body| body.shape.size()).collect();
        sizes.sort_by(f64::total_cmp);
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(f64::INFINITY);
        let fits = OVERLAPS.iter().find(|(_, least)| median >= *least).map_or(self.overlap, |&(overlap, _)| overlap);
        if fits == self.overlap {
            return Ok(scene);
        }
        self.overlap = fits;
        scene_beside(&self.file, &self.keys(&self.name()?), overrides)
    }

    /// The unit of the file, in words.
    pub(super) fn units(&self) -> String {
        let Self { file, unit, is_stated, .. } = self;
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match (readers::own_unit(file), is_stated) {
            (Some(_), _) if readers::has_scenes(file) => "the file is in metres, as glTF prescribes".to_owned(),
            (Some(_), _) => "the file names its unit".to_owned(),
            (None, true) => format!("the file is in {}, as --unit says", unit.word),
            (None, false) => format!(
                "the file is taken to be in {}, as .{extension} names no unit; --unit names another one (--unit m)",
                unit.word
            ),
        }
    }

    /// Adds the unit of the file, and the scene file, to an object.
    pub(super) fn add_to(&self, object: &mut Value, scene_file: &str) {
        let own = readers::own_unit(&self.file);
        object["geometry_unit"] = json!({
            "unit": if own.is_some() { "m" } else { self.unit.word },
            "assumed": own.is_none() && !self.is_stated,
        });
        object["scene_file"] = scene_file.into();
    }

    /// Returns the path of the geometry file for a scene file in a folder.
    ///
    /// # Errors
    /// A folder cannot be opened, or a name is not UTF-8.
    pub(super) fn seen_from(&self, folder: &Path) -> Result<String> {
        let real = |folder: &Path| folder.canonicalize().map_err(|error| Error::unreadable(folder, &error));
        let above = self.file.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (from, to) = (real(folder)?, real(above)?);
        let (from, to): (Vec<Component<'_>>, Vec<_>) = (from.components().collect(), to.components().collect());
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if common == 0 {
            // Two drives.
            let path: PathBuf = to.iter().collect();
            return text_of(&path.join(self.name()?));
        }
        let up = from[common..].iter().map(|_| Ok("..".to_owned()));
        let down = to[common..].iter().map(|part| text_of(Path::new(part)));
        let parts: Vec<String> = up.chain(down).chain([self.name()]).collect::<Result<_>>()?;
        Ok(parts.join("/"))
    }

    /// The whole scene file, in which the geometry file has this path. `out`: the path of the scene
    /// file.
    pub(super) fn text(&self, geometry: &str, out: &Path, scene: &Scene) -> String {
        let (run, dir) = (shell_word(out), shell_word(&out.with_extension("out")));
        let head = format!(
            "# A scene of {}. Lengths are in {}, or have a unit of their own: \"0.5m\".\n\
             # clearsweep check {run}\n# clearsweep run {run} --out {dir}\n\n",
            toml_text(geometry),
            self.unit.word
        );
        head + &self.keys(geometry) + &rules(scene)
    }

    /// The keys of the scene file.
    fn keys(&self, geometry: &str) -> String {
        let commented = |key: &str, comment: &str| format!("{key:COMMENTS$} # {comment}\n");
        let file = commented(
            &format!("geometry = {}", toml_text(geometry)),
            match readers::own_unit(&self.file) {
                Some(_) if readers::has_scenes(&self.file) => "in metres, as glTF prescribes",
                Some(_) => "in the unit that the file names",
                None => "in `length_unit`; another one: unit = \"m\"",
            },
        );
        let bodies = match readers::parts_of(&self.file) {
            Some(each) => {
                let what = match each {
                    "node" => "a body of each node with a mesh; \"component\": of each connected part",
                    "object" => "a body of each object; \"component\": of each connected part",
                    "group" => "a body of each item with primitives; \"primitive\": of each primitive",
                    _ => "a body of each connected part",
                };
                let each = commented(&format!("each = \"{each}\""), what);
                let left_out = commented("# exclude = \"*/bolt-*\"", "leave these out, and what is below them");
                format!("[[bodies]]\n{file}{each}{}{left_out}", self.up())
            }
            None => {
                let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
                format!("[[body]]\nname = {}\n{file}static = true\n{}", toml_text(&stem), self.up())
            }
        };
        format!(
            "[scene]\nlength_unit = \"{}\"\n\n[query]\n{}{}\n{bodies}",
            self.unit.word,
            commented(
                &format!("require = \"-{}\"", self.overlap),
                "an overlap that is no clash; \"50mm\": stay 50 mm apart"
            ),
            commented("# within = \"200mm\"", "list all pairs up to here; left out: as far as `require` needs"),
        )
    }

    /// The axis that is up; formats of plants say it themselves.
    fn up(&self) -> String {
        match readers::has_scenes(&self.file) {
            true => format!("{:COMMENTS$} # in glTF y is up; this turns z up\n", "up = \"y\""),
            false if readers::parts_of(&self.file) == Some("group") => String::new(),
            false => format!("{:COMMENTS$} # if y is up in the file: turns z up\n", "# up = \"y\""),
        }
    }
}

/// Rules to begin with, as comments, about groups or bodies of the scene.
fn rules(scene: &Scene) -> String {
    let alone = match scene.bodies.len() {
        1 => "\n# One body is no pair: add others, each file in a [[bodies]] or [[body]] of its own.\n",
        _ => "",
    };
    let [first, second] = selectors(scene);
    format!(
        "{alone}
# Pairs that touch by design, with the reason. `a` and `b` are a body, \"group:NAME\", a glob such as
# \"*/bolt-*\", or a list of these; without `b`, `a` against everything.
# [[ignore]]
# a = {first}
# b = {second}
# reason = \"bolted together\"

# What is required of some pairs instead; the first rule that matches a pair counts.
# [[rule]]
# name = \"service\"
# a = {first}
# b = {second}
# require = \"25mm\"
"
    )
}

/// Two selectors of the scene, as TOML: of its largest groups that are not all of it, else of
/// bodies.
fn selectors(scene: &Scene) -> [String; 2] {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for group in scene.bodies.iter().flat_map(|body| body.groups.iter()) {
        *groups.entry(group).or_default() += 1;
    }
    let mut groups: Vec<(&str, usize)> = groups.into_iter().filter(|(_, count)| *count < scene.bodies.len()).collect();
    groups.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let names = scene.bodies.first().into_iter().chain(scene.bodies.last().filter(|_| scene.bodies.len() > 1));
    let of_groups = groups.iter().map(|(group, _)| format!("group:{group}"));
    let all = if groups.len() > 1 { of_groups.collect() } else { names.map(|body| body.name.clone()).collect() };
    let all: Vec<String> = all;
    let at = |index: usize| all.get(index).map_or_else(|| "\"*\"".to_owned(), |selector| toml_text(selector));
    [at(0), at(1)]
}

/// A path with slashes, as text.
fn text_of(path: &Path) -> Result<String> {
    let text = path.to_str().map(|text| if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() });
    let remedy = "rename the folder: a scene file is UTF-8 text";
    text.ok_or_else(|| Error::input(path.display(), "the name is not UTF-8", remedy))
}

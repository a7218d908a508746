//! The files of a model: the main one, and those that it includes.

use crate::model::Line;
use crate::xml::{Element, Source};
use clearsweep_base::{Error, Result};
use roxmltree::Document;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most levels of files that include files.
const MAX_DEPTH: usize = 32;

/// Most files that a model includes.
const MAX_FILES: usize = 1000;

/// Reads a file by its path relative to the folder of the main file; `None`: there is none.
pub(super) type Include<'f> = dyn FnMut(&str) -> Result<Option<String>> + 'f;

/// A file that another one includes.
pub(super) struct Included {
    /// Path of the file that names it, as messages show it, and the name there.
    by: (Arc<str>, String),
    /// Path relative to the folder of the main file.
    place: String,
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// An `include` that waits to be read.
struct Waiting {
    name: String,
    line: Line,
    /// Path of the file that holds it, relative to the folder of the main file.
    holder: String,
    depth: usize,
}

/// Reads the included files by the callback, breadth first.
pub(super) fn read_included(path: &Path, text: &str, include: &mut Include<'_>) -> Result<Vec<Included>> {
    let mut included: Vec<Included> = Vec::new();
    let mut waiting = VecDeque::from(includes(path, text, "", 1)?);
    while let Some(Waiting { name, line, holder, depth }) = waiting.pop_front() {
        let fault = |problem: String, remedy: &str| Err(Error::input(&line, problem, remedy));
        if depth > MAX_DEPTH || included.len() == MAX_FILES {
            let problem = format!("more than {MAX_DEPTH} levels or {MAX_FILES} files of `include`");
            return fault(problem, "write the model in fewer files");
        }
        let beside = Path::new(&holder).with_file_name(&name).to_string_lossy().into_owned();
        let mut read = None;
        for place in [name.clone(), beside] {
            if included.iter().any(|known| known.place == place) {
                let remedy = "MuJoCo includes a file once: delete the second `include`, or copy the file";
                return fault(format!("the file `{place}` is included twice"), remedy);
            }
            read = include(&place)?.map(|text| (place, text));
            if read.is_some() {
                break;
            }
        }
        let Some((place, text)) = read else {
            let remedy = "correct the name, which is relative to the folder of the model's main file";
            return fault(format!("the included file `{name}` does not exist"), remedy);
        };
        let path = path.with_file_name(&place);
        waiting.extend(includes(&path, &text, &place, depth + 1)?);
        included.push(Included { by: (line.file, name), place, path, text });
    }
    Ok(included)
}

/// The includes in a file.
fn includes(path: &Path, text: &str, holder: &str, depth: usize) -> Result<Vec<Waiting>> {
    let source = Source::new(path, text);
    let document = source.parse("MJCF")?;
    let includes = source.root(&document).descendants().filter(|element| element.name() == "include");
    let waiting = |element: Element<'_>| {
        let name = element.required("file")?.to_owned();
        Ok(Waiting { name, line: element.at(), holder: holder.to_owned(), depth })
    };
    includes.map(waiting).collect()
}

/// All files of a model, parsed.
pub(super) struct Files<'d> {
    pub(super) main: Element<'d>,
    /// Roots of the included files by the path of the file that names them, and the name there.
    included: HashMap<(&'d str, &'d str), Element<'d>>,
}

impl<'d> Files<'d> {
    /// The first source and document are the main file's, the others those of `included`.
    pub(super) fn new(sources: &'d [Source<'d>], documents: &'d [Document<'d>], included: &'d [Included]) -> Self {
        let mut roots = sources.iter().zip(documents).map(|(source, document)| source.root(document));
        let main = roots.next().expect("a model has a main file");
        let names = included.iter().map(|Included { by: (holder, name), .. }| (&**holder, name.as_str()));
        Self { main, included: names.zip(roots).collect() }
    }

    /// Children of an element, with those of included files in the place of `include`.
    pub(super) fn children(&self, element: Element<'d>) -> Vec<Element<'d>> {
        let mut found = Vec::new();
        let mut stack: Vec<_> = vec![element.children()];
        while let Some(children) = stack.last_mut() {
            match children.next() {
                None => drop(stack.pop()),
                Some(child) if child.name() == "include" => {
                    let file = child.attribute("file").map(str::trim).unwrap_or_default();
                    stack.extend(self.included.get(&(child.file(), file)).map(Element::children));
                }
                Some(child) => found.push(child),
            }
        }
        found
    }
}

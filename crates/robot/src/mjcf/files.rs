//! The files of a model: the main one, and those that it includes.

use crate::xml::{Element, Source};
use clearsweep_base::{Error, Result};
use roxmltree::Document;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// Most levels of files that include files.
const MAX_DEPTH: usize = 32;

/// Most files that a model includes.
const MAX_FILES: usize = 1000;

/// Texts of the included files: name in the `include`, path for messages, text.
pub(super) type Texts = Vec<(String, PathBuf, String)>;

/// Reads the included files by the callback, breadth first.
pub(super) fn read_included(path: &Path, text: &str, include: &mut dyn FnMut(&str) -> Result<String>) -> Result<Texts> {
    let mut texts: Texts = Vec::new();
    let mut waiting: VecDeque<(String, usize)> = names_of_includes(path, text)?.into_iter().map(|n| (n, 1)).collect();
    while let Some((name, depth)) = waiting.pop_front() {
        let fault = |problem: String, remedy: &str| Error::input(path.display(), problem, remedy);
        if texts.iter().any(|(known, ..)| *known == name) {
            let remedy = "MuJoCo includes a file once: delete the second `include`, or copy the file";
            return Err(fault(format!("the file `{name}` is included twice"), remedy));
        }
        if depth > MAX_DEPTH || texts.len() == MAX_FILES {
            let problem = format!("more than {MAX_DEPTH} levels or {MAX_FILES} files of `include`");
            return Err(fault(problem, "write the model in fewer files"));
        }
        let text = include(&name)?;
        let path = path.with_file_name(&name);
        waiting.extend(names_of_includes(&path, &text)?.into_iter().map(|name| (name, depth + 1)));
        texts.push((name, path, text));
    }
    Ok(texts)
}

fn names_of_includes(path: &Path, text: &str) -> Result<Vec<String>> {
    let source = Source::new(path, text);
    let document = source.parse("MJCF")?;
    let includes = source.root(&document).descendants().filter(|element| element.name() == "include");
    includes.map(|element| element.required("file").map(str::to_owned)).collect()
}

/// All files of a model, parsed.
pub(super) struct Files<'d> {
    pub(super) main: Element<'d>,
    included: HashMap<&'d str, Element<'d>>,
}

impl<'d> Files<'d> {
    /// The first source and document are the main file's, the others those of `texts`.
    pub(super) fn new(sources: &'d [Source<'d>], documents: &'d [Document<'d>], texts: &'d Texts) -> Self {
        let mut roots = sources.iter().zip(documents).map(|(source, document)| source.root(document));
        let main = roots.next().expect("a model has a main file");
        Self { main, included: texts.iter().map(|(name, ..)| name.as_str()).zip(roots).collect() }
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
                    stack.extend(self.included.get(file).map(Element::children));
                }
                Some(child) => found.push(child),
            }
        }
        found
    }
}

//! Classes of defaults, and attributes that fall back on them.

use super::files::Files;
use crate::xml::Element;
use clearsweep_base::Result;
use clearsweep_base::error::nearest;
use std::collections::HashMap;

/// Most levels of nested classes, and most elements of one kind in a class: each look-up of an
/// attribute walks over them.
const MAX_LEVELS: usize = 64;

/// Kinds of elements whose defaults are read.
const KINDS: [&str; 3] = ["geom", "joint", "mesh"];

#[derive(Default)]
struct Class<'d> {
    parent: Option<usize>,
    /// Elements of each of `KINDS`; a later one overrides the attributes of an earlier one.
    elements: [Vec<Element<'d>>; 3],
}

/// The classes of a model; the first one, `main`, is the parent of all.
pub(super) struct Defaults<'d> {
    classes: Vec<Class<'d>>,
    numbers: HashMap<&'d str, usize>,
}

impl<'d> Defaults<'d> {
    pub(super) fn read(files: &Files<'d>, sections: impl Iterator<Item = Element<'d>>) -> Result<Self> {
        let mut own = Self { classes: vec![Class::default()], numbers: HashMap::from([("main", 0)]) };
        for section in sections {
            let main = section.attribute("class").unwrap_or("main");
            // The first section may rename the root class.
            own.numbers.entry(main).or_insert(0);
            let mut stack = vec![(section, 0, 0)];
            while let Some((element, class, depth)) = stack.pop() {
                for child in files.children(element) {
                    if child.name() == "default" {
                        stack.push((child, own.add(child, class, depth)?, depth + 1));
                    } else if let Some(kind) = KINDS.iter().position(|&kind| kind == child.name()) {
                        own.classes[class].elements[kind].push(child);
                        if own.classes[class].elements[kind].len() > MAX_LEVELS {
                            let problem = format!("a class has more than {MAX_LEVELS} defaults of `{}`", child.name());
                            return Err(child.fault(problem, "write them as one"));
                        }
                    }
                }
            }
        }
        Ok(own)
    }

    fn add(&mut self, element: Element<'d>, parent: usize, depth: usize) -> Result<usize> {
        let name = element.required("class")?;
        let number = self.classes.len();
        if depth == MAX_LEVELS {
            return Err(element.fault(format!("more than {MAX_LEVELS} levels of `default`"), "nest fewer classes"));
        }
        if self.numbers.insert(name, number).is_some() {
            return Err(element.fault(format!("a second class `{name}`"), "rename one of the two"));
        }
        self.classes.push(Class { parent: Some(parent), ..Class::default() });
        Ok(number)
    }

    /// The number of the class that an attribute of an element names, if it has that attribute.
    pub(super) fn class(&self, element: Element<'d>, attribute: &str) -> Result<Option<usize>> {
        let Some(name) = element.attribute(attribute) else { return Ok(None) };
        let unknown = || {
            let mut names: Vec<&str> = self.numbers.keys().copied().collect();
            names.sort_unstable();
            let remedy = match nearest(name, names.into_iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add `<default class=\"{name}\"/>` within `default`"),
            };
            element.fault(format!("the class `{name}` of `{}` does not exist", element.name()), remedy)
        };
        self.numbers.get(name).copied().map(Some).ok_or_else(unknown)
    }

    /// The element with its class, or with the class that holds around it.
    pub(super) fn attributes(&self, element: Element<'d>, around: usize) -> Result<Attributes<'d, '_>> {
        let class = self.class(element, "class")?.unwrap_or(around);
        Ok(Attributes { element, class, defaults: self })
    }
}

/// An element whose missing attributes come from its class.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'d, 'm> {
    pub(super) element: Element<'d>,
    class: usize,
    defaults: &'m Defaults<'d>,
}

impl<'d> Attributes<'d, '_> {
    /// The element that holds the attribute: this one, or one of a class.
    pub(super) fn holder(&self, name: &str) -> Option<Element<'d>> {
        self.holders(name).next()
    }

    /// All elements that hold the attribute: this one first, then those of its class, and of the
    /// classes around it.
    pub(super) fn holders(&self, name: &str) -> impl Iterator<Item = Element<'d>> {
        let kind = KINDS.iter().position(|&kind| kind == self.element.name());
        let class = |number: &usize| self.defaults.classes[*number].parent;
        let classes = std::iter::successors(kind.map(|_| self.class), class);
        let defaults = classes.flat_map(move |number| {
            kind.into_iter().flat_map(move |kind| self.defaults.classes[number].elements[kind].iter().rev().copied())
        });
        std::iter::once(self.element).chain(defaults).filter(move |element| element.attribute(name).is_some())
    }

    pub(super) fn text(&self, name: &str) -> Option<&'d str> {
        self.holder(name).and_then(|element| element.attribute(name)).map(str::trim)
    }

    pub(super) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>> {
        self.holder(name).map_or(Ok(None), |element| element.numbers(name))
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>> {
        self.holder(name).map_or(Ok(None), |element| element.number(name))
    }
}

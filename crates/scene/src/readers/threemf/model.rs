//! A model part: its unit, its objects, and the items of its build.

use super::package::{Package, part_name};
use super::xml::{XmlReader, attributes, each_attribute, resolved};
use super::{check_size, fault};
use crate::readers::gltf::Affine;
use crate::readers::mesh::Fault;
use clearsweep_model::LengthUnit;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{NamespaceResolver, QName, ResolveResult};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

const CORE: &str = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02";
const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";

/// Namespaces of extensions that are read, or that leave all shapes as they are.
const KNOWN: [&str; 4] = [
    CORE,
    PRODUCTION,
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
];

/// The unit of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FileUnit {
    Micron,
    Length(LengthUnit),
}

impl FileUnit {
    fn parse(word: &str) -> Option<Self> {
        let known = [("millimeter", "mm"), ("meter", "m"), ("centimeter", "cm"), ("inch", "in"), ("foot", "ft")];
        match known.iter().find(|(name, _)| *name == word) {
            Some((_, unit)) => LengthUnit::parse(unit).map(Self::Length),
            None => (word == "micron").then_some(Self::Micron),
        }
    }

    /// A length in metres, rounded as that of any other file.
    pub(super) fn metres(self, length: f64) -> f64 {
        match self {
            Self::Micron => length / 1e6,
            Self::Length(unit) => unit.metres(length),
        }
    }
}

/// The purpose of an object: `type` (Core Specification, section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ObjectType {
    Model,
    Surface,
    /// `support` and `solidsupport`: removed once the part is printed.
    Support,
    Other,
}

/// A model part.
#[derive(Debug)]
pub(super) struct ModelPart {
    pub(super) name: String,
    pub(super) unit: FileUnit,
    pub(super) objects: HashMap<u32, Object>,
    pub(super) items: Vec<Item>,
    /// The other parts that it refers to, in order of first use.
    pub(super) paths: Vec<String>,
    /// Namespaces of elements of objects that are not read.
    pub(super) foreign: BTreeSet<String>,
    /// Vertices and triangles of all objects.
    pub(super) size: usize,
    /// Names of the materials of each group of base materials.
    pub(super) materials: HashMap<u32, Vec<Arc<str>>>,
}

#[derive(Debug)]
pub(super) struct Object {
    pub(super) id: u32,
    /// Its name, or its part number.
    pub(super) name: Option<String>,
    pub(super) kind: ObjectType,
    /// The group of materials, and the index in it.
    pub(super) material: Option<(u32, u32)>,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Mesh { vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]> },
    Components(Vec<Item>),
}

/// An object in its place: an item of the build, or a component.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) reference: Reference,
    pub(super) transform: Affine,
    pub(super) part_number: Option<String>,
}

/// An object by its id; `path`: the part that holds it, if it is another one.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) path: Option<String>,
    pub(super) id: u32,
}

/// The element whose children are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Model,
    Resources,
    Materials,
    Object,
    Mesh,
    Vertices,
    Triangles,
    Components,
    Build,
    /// Its children are not read.
    Leaf,
}

impl ModelPart {
    /// Reads a part of the package; `unit`: that of the root, for other parts.
    pub(super) fn read(package: &mut Package<'_>, name: &str, unit: Option<FileUnit>) -> Result<Self, Fault> {
        let part = Self {
            name: name.to_owned(),
            unit: FileUnit::Micron,
            objects: HashMap::new(),
            items: Vec::new(),
            paths: Vec::new(),
            foreign: BTreeSet::new(),
            size: 0,
            materials: HashMap::new(),
        };
        let mut reading = Reading {
            part,
            is_root: unit.is_none(),
            has_model: false,
            object: None,
            content: None,
            group: 0,
            ids: HashSet::new(),
        };
        package.read(name, |reader| reading.whole(reader))?;
        let part = reading.part;
        match unit {
            Some(unit) if unit != part.unit => {
                Err(fault(format!("{name} has another unit than the model that refers to it")))
            }
            None if part.items.is_empty() => Err(Fault::new(
                format!("the build of {name} places no object"),
                "export the file again, with its objects on the build plate",
            )),
            _ => Ok(part),
        }
    }
}

/// A part that is being read.
struct Reading {
    part: ModelPart,
    is_root: bool,
    has_model: bool,
    /// The object that is being read, but for its content.
    object: Option<Object>,
    content: Option<Content>,
    /// Id of the group of materials that is being read.
    group: u32,
    /// Ids of the resources so far: materials and objects have one range of them.
    ids: HashSet<u32>,
}

impl Reading {
    fn whole(&mut self, reader: &mut XmlReader<'_>) -> Result<(), Fault> {
        // The elements around the place of reading, and how many more are around it in one that is
        // not read.
        let (mut buffer, mut places, mut skipped) = (Vec::new(), Vec::new(), 0_usize);
        loop {
            buffer.clear();
            let event = reader.event(&mut buffer)?;
            let (start, is_empty) = match &event {
                Event::Start(start) => (start, false),
                Event::Empty(start) => (start, true),
                Event::End(_) => {
                    match skipped {
                        0 => places.pop().map_or(Ok(()), |place| self.end(place))?,
                        _ => skipped -= 1,
                    }
                    continue;
                }
                Event::Eof if self.has_model && places.is_empty() => return Ok(()),
                Event::Eof => return Err(fault("ends before its `model` does")),
                _ => continue,
            };
            let place = match skipped {
                0 => self.start(places.last().copied(), reader.resolver(), start)?,
                _ => None,
            };
            match (place, is_empty) {
                (Some(place), true) => self.end(place)?,
                (Some(place), false) => places.push(place),
                (None, true) => {}
                (None, false) => skipped += 1,
            }
        }
    }

    /// Takes the start of an element, and returns its place; `None`: it is not read.
    fn start(
        &mut self,
        place: Option<Place>,
        resolver: &NamespaceResolver,
        start: &BytesStart<'_>,
    ) -> Result<Option<Place>, Fault> {
        let name = match resolved(resolver, start) {
            Some((CORE, name)) => name,
            Some((namespace, _)) if place.is_some() => {
                let is_of_object = !matches!(place, Some(Place::Model | Place::Resources | Place::Build));
                if is_of_object && !KNOWN.contains(&namespace) {
                    self.part.foreign.insert(namespace.to_owned());
                }
                return Ok(None);
            }
            _ if place.is_some() => return Ok(None),
            Some((namespace, name)) => {
                return Err(fault(format!("the root element is `{name}` of {namespace}, not `model` of {CORE}")));
            }
            None => {
                let name = start.name().into_inner();
                return Err(fault(format!("the root element is `{name}` of no namespace, not `model` of {CORE}")));
            }
        };
        let place = match (place, name) {
            (None, "model") if !self.has_model => return self.model(resolver, start).map(|()| Some(Place::Model)),
            (None, other) => {
                return Err(fault(format!("the root element is `{other}`, not `model`, or it is the second one")));
            }
            (Some(Place::Model), "resources") => Place::Resources,
            (Some(Place::Model), "build") if self.is_root => Place::Build,
            (Some(Place::Resources), "basematerials") => {
                let [id] = attributes(start, ["id"])?;
                self.group = self.resource("basematerials", id)?;
                Place::Materials
            }
            (Some(Place::Materials), "base") => {
                let [name] = attributes(start, ["name"])?;
                self.part.materials.entry(self.group).or_default().push(name.unwrap_or_default().into());
                Place::Leaf
            }
            (Some(Place::Resources), "object") => return self.object(start).map(|()| Some(Place::Object)),
            (Some(Place::Object), "mesh") => {
                self.content(Content::Mesh { vertices: Vec::new(), triangles: Vec::new() })?;
                Place::Mesh
            }
            (Some(Place::Object), "components") => {
                self.content(Content::Components(Vec::new()))?;
                Place::Components
            }
            (Some(Place::Mesh), "vertices") => Place::Vertices,
            (Some(Place::Mesh), "triangles") => Place::Triangles,
            (Some(Place::Vertices), "vertex") => return self.vertex(start).map(|()| Some(Place::Leaf)),
            (Some(Place::Triangles), "triangle") => return self.triangle(start).map(|()| Some(Place::Leaf)),
            (Some(place @ (Place::Components | Place::Build)), "component" | "item") => {
                self.item(place, resolver, start)?;
                Place::Leaf
            }
            _ => return Ok(None),
        };
        Ok(Some(place))
    }

    /// Takes the end of an element.
    fn end(&mut self, place: Place) -> Result<(), Fault> {
        if place != Place::Object {
            return Ok(());
        }
        let Some(mut object) = self.object.take() else { return Ok(()) };
        let id = object.id;
        let content = self.content.take();
        object.content = content.ok_or_else(|| fault(format!("object {id} has neither a `mesh` nor `components`")))?;
        if let Content::Mesh { vertices, triangles } = &object.content {
            let count = vertices.len();
            let beyond = triangles.iter().flatten().position(|&corner| corner as usize >= count);
            if let Some(at) = beyond {
                let (triangle, corner) = (at / 3, triangles[at / 3][at % 3]);
                let problem = format!("object {id}: triangle {triangle} names vertex {corner}, but there are {count}");
                return Err(fault(problem));
            }
        }
        self.part.objects.insert(id, object);
        Ok(())
    }

    /// The id of a resource, which no other one has.
    fn resource(&mut self, element: &str, id: Option<Cow<'_, str>>) -> Result<u32, Fault> {
        let id = index(element, "id", id)?;
        match self.ids.insert(id) {
            true => Ok(id),
            false => Err(fault(format!("two resources have the id {id}"))),
        }
    }

    /// The unit, and the extensions that are required.
    fn model(&mut self, resolver: &NamespaceResolver, start: &BytesStart<'_>) -> Result<(), Fault> {
        self.has_model = true;
        let [unit, required] = attributes(start, ["unit", "requiredextensions"])?;
        let unit = unit.as_deref().unwrap_or("millimeter");
        self.part.unit = FileUnit::parse(unit).ok_or_else(|| {
            let known = "micron, millimeter, centimeter, inch, foot, meter";
            fault(format!("`{unit}` is no unit of a model, which are {known}"))
        })?;
        for prefix in required.iter().flat_map(|list| list.split_ascii_whitespace()) {
            let name = format!("{prefix}:name");
            let namespace = match resolver.resolve_element(QName(&name)).0 {
                ResolveResult::Bound(namespace) if KNOWN.contains(&namespace.into_inner()) => continue,
                ResolveResult::Bound(namespace) => namespace.into_inner().to_owned(),
                _ => "not declared".to_owned(),
            };
            let problem = format!("requires the extension `{prefix}` ({namespace}), which is not supported");
            return Err(Fault::new(problem, "export the file without that extension: as plain triangles"));
        }
        Ok(())
    }

    fn object(&mut self, start: &BytesStart<'_>) -> Result<(), Fault> {
        let names = ["id", "type", "name", "partnumber", "pid", "pindex"];
        let [id, kind, name, number, group, material] = attributes(start, names)?;
        let id = self.resource("object", id)?;
        let kind = match kind.as_deref().unwrap_or("model") {
            "model" => ObjectType::Model,
            "surface" => ObjectType::Surface,
            "support" | "solidsupport" => ObjectType::Support,
            "other" => ObjectType::Other,
            word => {
                let known = "model, surface, support, solidsupport, other";
                return Err(fault(format!("object {id} has the type `{word}`, which is none of {known}")));
            }
        };
        let number_of = |text: &Cow<'_, str>| text.trim().parse::<u32>().ok();
        let material = group.as_ref().and_then(number_of).zip(material.as_ref().and_then(number_of));
        let content = Content::Components(Vec::new());
        self.object = Some(Object { id, name: named(name).or_else(|| named(number)), kind, material, content });
        Ok(())
    }

    fn content(&mut self, content: Content) -> Result<(), Fault> {
        match self.content.replace(content) {
            None => Ok(()),
            Some(_) => Err(self.of_object("has more than one `mesh` or list of `components`")),
        }
    }

    /// A fault of the object that is being read.
    fn of_object(&self, problem: &str) -> Fault {
        fault(format!("object {}: {problem}", self.object.as_ref().map_or(0, |object| object.id)))
    }

    fn vertex(&mut self, start: &BytesStart<'_>) -> Result<(), Fault> {
        let given = attributes(start, ["x", "y", "z"])?;
        let numbers = given.each_ref().map(|text| text.as_deref().and_then(number));
        let Some(Content::Mesh { vertices, .. }) = &mut self.content else { return Ok(()) };
        let [Some(x), Some(y), Some(z)] = numbers else {
            let at = vertices.len();
            let axis = numbers.iter().position(Option::is_none).unwrap_or(0);
            let shown = given[axis].as_deref().map_or("no value".to_owned(), |text| format!("`{text}`"));
            return Err(
                self.of_object(&format!("the {} of vertex {at} is {shown}, not a number", ["x", "y", "z"][axis]))
            );
        };
        vertices.push([x, y, z]);
        self.part.size += 1;
        check_size(self.part.size)
    }

    fn triangle(&mut self, start: &BytesStart<'_>) -> Result<(), Fault> {
        let given = attributes(start, ["v1", "v2", "v3"])?;
        let corners = given.map(|text| text.and_then(|text| text.trim().parse::<u32>().ok()));
        let Some(Content::Mesh { triangles, .. }) = &mut self.content else { return Ok(()) };
        let [Some(a), Some(b), Some(c)] = corners else {
            let at = triangles.len();
            return Err(self.of_object(&format!("triangle {at} lacks the number of a vertex: v1, v2 or v3")));
        };
        triangles.push([a, b, c]);
        self.part.size += 1;
        check_size(self.part.size)
    }

    /// An item of the build, or a component.
    fn item(&mut self, place: Place, resolver: &NamespaceResolver, start: &BytesStart<'_>) -> Result<(), Fault> {
        let what = if place == Place::Build { "item" } else { "component" };
        let [id, transform, part_number] = attributes(start, ["objectid", "transform", "partnumber"])?;
        let id = index(what, "objectid", id)?;
        let mut path = None;
        each_attribute(start, |key, value| {
            let (namespace, name) = resolver.resolve_attribute(QName(key));
            if matches!(namespace, ResolveResult::Bound(found) if found.into_inner() == PRODUCTION)
                && name.into_inner() == "path"
            {
                path = Some(part_name(&value)).filter(|path| !path.eq_ignore_ascii_case(&self.part.name));
            }
            Ok(())
        })?;
        match &path {
            None if self.part.objects.contains_key(&id) => {}
            None => {
                let problem = format!("{what} names object {id}, which is not defined before it");
                return Err(if place == Place::Build { fault(problem) } else { self.of_object(&problem) });
            }
            Some(_) if !self.is_root => {
                return Err(self.of_object("a component names another part, as only the first part may"));
            }
            Some(path) if self.part.paths.contains(path) => {}
            Some(path) => self.part.paths.push(path.clone()),
        }
        let transform = match transform {
            None => Affine::IDENTITY,
            Some(text) => matrix(&text).ok_or_else(|| {
                fault(format!(
                    "the transform of {what} of object {id} is `{}`, not 12 numbers of a map",
                    clipped(&text)
                ))
            })?,
        };
        let item = Item { reference: Reference { path, id }, transform, part_number: named(part_number) };
        match &mut self.content {
            _ if place == Place::Build => self.part.items.push(item),
            Some(Content::Components(list)) => list.push(item),
            _ => {}
        }
        Ok(())
    }
}

/// A number as the schema allows it (`ST_Number`), correctly rounded.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    text.parse().ok().filter(|number: &f64| is_decimal && number.is_finite())
}

/// Ids are below this (Core Specification, `ST_ResourceID`).
const IDS: u32 = 1 << 31;

/// An id.
fn index(element: &str, key: &str, text: Option<Cow<'_, str>>) -> Result<u32, Fault> {
    let id = text.as_deref().and_then(|text| text.trim().parse().ok()).filter(|id| (1..IDS).contains(id));
    id.ok_or_else(|| {
        let shown = text.as_deref().map_or("no value".to_owned(), |text| format!("`{}`", clipped(text)));
        fault(format!("the `{key}` of an `{element}` is {shown}, not a number above 0 and below 2^31"))
    })
}

/// A transform of twelve numbers: the images of the axes, and the translation (Core Specification,
/// section 3.3). `None`: these are none, or the map is singular.
fn matrix(text: &str) -> Option<Affine> {
    let numbers: Vec<f64> = text.split_ascii_whitespace().map(number).collect::<Option<_>>()?;
    let [x, y, z, translation] = numbers.as_chunks::<3>().0 else { return None };
    let affine = Affine { columns: [*x, *y, *z], translation: *translation };
    (numbers.len() == 12 && affine.determinant() != 0.0).then_some(affine)
}

/// A text that says something.
fn named(text: Option<Cow<'_, str>>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The beginning of a text, for a message.
fn clipped(text: &str) -> String {
    text.chars().take(60).collect()
}

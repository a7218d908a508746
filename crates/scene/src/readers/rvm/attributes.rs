//! The attribute file beside an RVM file: the items of the plant by name, with their attributes.
//!
//! Its first line names its words. Items are nested between the words `NEW` and `END`; lines
//! between them hold `key := value`, also several in a line.

use crate::readers::mesh::{Fault, text};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The beginning of the first line.
pub(super) const MARK: &[u8] = b"CADC_Attributes_File";

/// Most items within each other.
const MAX_DEPTH: usize = 4096;

/// Values that say that there is none.
const UNSET: [&str; 6] = ["", "unset", "nulref", "=0/0", "null", "undefined"];

/// The attributes that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    /// Kind of item: `ELBO`, `EQUI`, ...
    Type,
    /// 0: no obstruction, 1: soft, 2: hard.
    Obstruction,
    /// Discipline.
    Discipline,
    /// Area.
    Area,
    /// Tag.
    Tag,
    /// Reference to the specification.
    Spref,
    /// Levels of detail at which it is drawn.
    Level,
    /// The first of these levels.
    LevelFrom,
    /// The last one.
    LevelTo,
}

impl Attribute {
    /// Keys of the file, in lower case.
    const KEYS: [(&str, Self); 10] = [
        ("type", Self::Type),
        ("obst", Self::Obstruction),
        ("obstruction", Self::Obstruction),
        ("discipline", Self::Discipline),
        ("area", Self::Area),
        ("tag", Self::Tag),
        ("spref", Self::Spref),
        ("level", Self::Level),
        ("levelfrom", Self::LevelFrom),
        ("levelto", Self::LevelTo),
    ];
}

/// An item of the plant.
#[derive(Debug, Clone)]
pub struct PlantItem {
    /// As the file has it.
    pub name: String,
    /// The item around it; always before it in the list.
    pub parent: Option<u32>,
    values: Vec<(Attribute, Arc<str>)>,
}

impl PlantItem {
    /// The value of an attribute; `None`: the file has none.
    pub fn value(&self, attribute: Attribute) -> Option<&Arc<str>> {
        self.values.iter().find(|(of, _)| *of == attribute).map(|(_, value)| value)
    }
}

/// The contents of an attribute file.
#[derive(Debug, Default)]
pub struct PlantAttributes {
    /// In the order of the file: depth first.
    pub items: Vec<PlantItem>,
    /// Facts that a user may want to know, in words.
    pub remarks: Vec<String>,
}

/// The words that the first line names.
struct Words<'t> {
    start: Cow<'t, str>,
    end: Cow<'t, str>,
    behind_key: Cow<'t, str>,
    between: Cow<'t, str>,
}

impl<'t> Words<'t> {
    fn of(line: &'t str) -> Self {
        let mut words =
            Self { start: "NEW".into(), end: "END".into(), behind_key: ":=".into(), between: "&end&".into() };
        for part in line.split(" , ").flat_map(|part| part.split(", ")) {
            let Some((name, word)) = part.split_once(": ").map(|(name, word)| (name.trim(), word.trim())) else {
                continue;
            };
            match (name, word) {
                (_, "") => {}
                ("start", word) => words.start = word.into(),
                ("end", word) => words.end = word.into(),
                ("name_end", word) => words.behind_key = word.into(),
                ("sep", word) => words.between = word.into(),
                _ => {}
            }
        }
        words
    }
}

/// Reads an attribute file.
///
/// # Errors
/// It does not begin as such a file does, or its items are nested too deeply.
pub fn read_attributes(bytes: &[u8]) -> Result<PlantAttributes, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if !bytes.starts_with(MARK) {
        let problem = "it is no attribute file: it does not begin with `CADC_Attributes_File`";
        return Err(Fault::new(problem, "name the .att or .txt file that was exported with the RVM file"));
    }
    let mut lines = bytes.split(|&byte| byte == b'\n').map(text);
    let first = lines.next().unwrap_or_default();
    let words = Words::of(&first);
    let mut reading = Reading::default();
    for (line, number) in lines.zip(2..) {
        reading.line(line.trim(), &words, number)?;
    }
    Ok(reading.finish())
}

/// A file while it is read.
#[derive(Default)]
struct Reading {
    found: PlantAttributes,
    /// The items that are open; `None`: a block that is none.
    open: Vec<Option<u32>>,
    surplus_ends: u64,
    texts: HashSet<Arc<str>>,
}

impl Reading {
    fn line(&mut self, line: &str, words: &Words<'_>, number: usize) -> Result<(), Fault> {
        let behind_start = line.strip_prefix(&*words.start).filter(|rest| rest.starts_with([' ', '\t']));
        if let Some(name) = behind_start {
            if self.open.len() >= MAX_DEPTH {
                let problem = format!("line {number} begins the {}th item within each other", MAX_DEPTH + 1);
                return Err(Fault::new(problem, "export the attributes again: the file is damaged"));
            }
            return self.begin(unquoted(name.trim()));
        }
        if line == words.end {
            self.surplus_ends += u64::from(self.open.pop().is_none());
            return Ok(());
        }
        let Some(&Some(item)) = self.open.last() else { return Ok(()) };
        for part in line.split(&*words.between) {
            let Some((key, value)) = part.split_once(&*words.behind_key) else { continue };
            let key = key.trim();
            let known = Attribute::KEYS.iter().find(|(name, _)| key.eq_ignore_ascii_case(name));
            let value = unquoted(value.trim()).trim();
            if let Some(&(_, attribute)) = known
                && !UNSET.iter().any(|unset| value.eq_ignore_ascii_case(unset))
                && let item = &mut self.found.items[item as usize]
                && item.value(attribute).is_none()
            {
                let value = match self.texts.get(value) {
                    Some(known) => Arc::clone(known),
                    None => {
                        let value: Arc<str> = value.into();
                        self.texts.insert(Arc::clone(&value));
                        value
                    }
                };
                item.values.push((attribute, value));
            }
        }
        Ok(())
    }

    fn begin(&mut self, name: &str) -> Result<(), Fault> {
        // The block at the top that says who wrote the file.
        if self.open.is_empty() && self.found.items.is_empty() && name == "Header Information" {
            self.open.push(None);
            return Ok(());
        }
        let index = u32::try_from(self.found.items.len())
            .map_err(|_| Fault::new("it has more than 2^32 - 1 items", "export fewer items at once"))?;
        let parent = self.open.iter().rev().find_map(|open| *open);
        self.found.items.push(PlantItem { name: name.to_owned(), parent, values: Vec::new() });
        self.open.push(Some(index));
        Ok(())
    }

    fn finish(mut self) -> PlantAttributes {
        let remarks = &mut self.found.remarks;
        if self.surplus_ends > 0 {
            remarks.push(format!("lines that end no item: {}", self.surplus_ends));
        }
        if !self.open.is_empty() {
            remarks.push(format!("items that are open at the end, as if it were cut off: {}", self.open.len()));
        }
        self.found
    }
}

/// A text without the single quotes around it.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text)
}

/// The items by their names within an item.
pub(super) struct ItemIndex<'a> {
    /// By the item around it (`None`: none that groups have) and the name: the first one that is
    /// not taken.
    within: HashMap<(Option<u32>, &'a str), u32>,
    /// The next item of the same name within the same item.
    next: Vec<Option<u32>>,
    /// By name; `None`: several have it.
    by_name: HashMap<&'a str, Option<u32>>,
    taken: Vec<bool>,
}

impl<'a> ItemIndex<'a> {
    pub(super) fn new(items: &'a [PlantItem]) -> Self {
        let (mut within, mut by_name) = (HashMap::with_capacity(items.len()), HashMap::with_capacity(items.len()));
        let mut next = vec![None; items.len()];
        for (item, index) in items.iter().zip(0..items.len() as u32).rev() {
            next[index as usize] = within.insert((above(items, item), item.name.as_str()), index);
            by_name.entry(item.name.as_str()).and_modify(|known| *known = None).or_insert(Some(index));
        }
        Self { within, next, by_name, taken: vec![false; items.len()] }
    }

    /// The item of a group whose own item lies within `parent`. Every item is taken once.
    pub(super) fn take(&mut self, parent: Option<u32>, name: &'a str) -> Option<u32> {
        let index = match self.within.get_key_value(&(parent, name)) {
            Some((&key, &index)) => {
                match self.next[index as usize] {
                    Some(next) => self.within.insert(key, next),
                    None => self.within.remove(&key),
                };
                index
            }
            None => return self.take_by_name(name),
        };
        self.take_index(index)
    }

    /// As [`Self::take`] by the name alone: names with a slash are unique in a plant, wherever both
    /// exports began.
    pub(super) fn take_by_name(&mut self, name: &'a str) -> Option<u32> {
        let index = self.by_name.get(name).copied().flatten().filter(|_| name.starts_with('/'))?;
        self.take_index(index)
    }

    fn take_index(&mut self, index: u32) -> Option<u32> {
        let is_taken = std::mem::replace(&mut self.taken[index as usize], true);
        (!is_taken).then_some(index)
    }
}

/// The item around an item that groups have, too: the whole plant (`/*`) is a group of no file.
pub(super) fn above(items: &[PlantItem], item: &PlantItem) -> Option<u32> {
    let world = |index: &u32| {
        let item = &items[*index as usize];
        item.name == "/*" || item.value(Attribute::Type).is_some_and(|word| **word == *"WORL")
    };
    item.parent.filter(|index| !world(index))
}

//! Attributes of the groups of a plant: classes, a level, and groups that selectors know.

use super::PlantClass;
use super::attributes::{Attribute, ItemIndex, PlantAttributes, above};
use super::plant::{Plant, PrimitiveChunk};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Attributes that hold for an item and all that lies within it, as groups.
const INHERITED: [(&str, Attribute); 4] = [
    ("discipline", Attribute::Discipline),
    ("area", Attribute::Area),
    ("tag", Attribute::Tag),
    ("spref", Attribute::Spref),
];

/// The groups of a plant with their items.
pub(super) struct PlantItems<'a> {
    plant: &'a Plant,
    attributes: Option<&'a PlantAttributes>,
    /// The item of each group; `None`: it has none.
    item_of: Vec<Option<u32>>,
    /// The texts of the groups of bodies, each once.
    texts: HashMap<String, Arc<str>>,
    /// The lists of the groups of bodies, by plant group and class.
    lists: HashMap<(u32, PlantClass), Arc<[Arc<str>]>>,
}

impl<'a> PlantItems<'a> {
    pub(super) fn new(plant: &'a Plant, attributes: Option<&'a PlantAttributes>) -> Self {
        let mut item_of: Vec<Option<u32>> = vec![None; plant.groups.len()];
        if let Some(attributes) = attributes {
            let mut index = ItemIndex::new(&attributes.items);
            for (number, group) in plant.groups.iter().enumerate() {
                let parent = group.parent.map(|parent| item_of[parent as usize]);
                // Below a group without an item, only the name can tell.
                item_of[number] = match parent {
                    Some(None) => index.take_by_name(&group.name),
                    parent => index.take(parent.flatten(), &group.name),
                };
            }
        }
        Self { plant, attributes, item_of, texts: HashMap::new(), lists: HashMap::new() }
    }

    /// The number of groups without an item, if there are attributes.
    pub(super) fn without_item(&self) -> usize {
        let named = self.plant.groups.iter().zip(&self.item_of).filter(|(group, _)| !group.name.is_empty());
        self.attributes.map_or(0, |_| named.filter(|(_, item)| item.is_none()).count())
    }

    /// The class of a chunk in a group.
    pub(super) fn class(&self, group: u32, chunk: PrimitiveChunk) -> PlantClass {
        match chunk {
            PrimitiveChunk::Prim => PlantClass::Prim,
            PrimitiveChunk::Insu => PlantClass::Insu,
            PrimitiveChunk::Obst if self.own(group, Attribute::Obstruction) == Some("1") => PlantClass::ObstSoft,
            PrimitiveChunk::Obst => PlantClass::ObstHard,
        }
    }

    /// The groups of a body of a class that is made of a group of the plant.
    pub(super) fn groups(&mut self, group: u32, class: PlantClass) -> Arc<[Arc<str>]> {
        if let Some(known) = self.lists.get(&(group, class)) {
            return Arc::clone(known);
        }
        let mut texts: BTreeSet<String> = BTreeSet::from([format!("class:{}", class.word())]);
        let material = self.plant.groups[group as usize].material;
        texts.insert(format!("material:{material}"));
        let colour = self.plant.palette.get(&material);
        texts.extend(colour.map(|[red, green, blue]| format!("colour:#{red:02x}{green:02x}{blue:02x}")));
        texts.extend(self.own(group, Attribute::Type).map(|word| format!("class:{word}")));
        if class == PlantClass::Prim {
            let obstruction = match self.own(group, Attribute::Obstruction) {
                Some("0") => Some("obst-none"),
                Some("1") => Some("obst-soft"),
                Some("2") => Some("obst-hard"),
                _ => None,
            };
            texts.extend(obstruction.map(|word| format!("class:{word}")));
        }
        texts.extend(self.level(group).map(|level| format!("level:{level}")));
        let inherited = |(word, attribute): &(&str, Attribute)| {
            Some(format!("{word}:{}", self.above(group).find_map(|item| self.value(item, *attribute))?))
        };
        texts.extend(INHERITED.iter().filter_map(inherited));
        let kinds = self.above(group).filter_map(|item| self.value(item, Attribute::Type));
        texts.extend(kinds.map(|word| format!("in:{word}")));
        let list: Arc<[Arc<str>]> = texts.into_iter().map(|text| self.shared(text)).collect();
        self.lists.insert((group, class), Arc::clone(&list));
        list
    }

    /// The text that all bodies share.
    fn shared(&mut self, text: String) -> Arc<str> {
        Arc::clone(self.texts.entry(text).or_insert_with_key(|text| text.as_str().into()))
    }

    /// The levels of detail at which an item is drawn: `0-10`.
    fn level(&self, group: u32) -> Option<String> {
        let level =
            self.own(group, Attribute::Level).map(|level| level.split_whitespace().collect::<Vec<_>>().join("-"));
        level.or_else(|| {
            let ends = [Attribute::LevelFrom, Attribute::LevelTo].map(|end| self.own(group, end));
            match ends {
                [Some(from), Some(to)] => Some(format!("{from}-{to}")),
                [one, other] => one.or(other).map(str::to_owned),
            }
        })
    }

    /// An attribute of the item of a group itself.
    fn own(&self, group: u32, attribute: Attribute) -> Option<&'a str> {
        self.value(self.item_of[group as usize]?, attribute)
    }

    fn value(&self, item: u32, attribute: Attribute) -> Option<&'a str> {
        self.attributes?.items[item as usize].value(attribute).map(AsRef::as_ref)
    }

    /// The item of a group, and those around it.
    fn above(&self, group: u32) -> impl Iterator<Item = u32> {
        let parent = |&item: &u32| above(&self.attributes?.items, &self.attributes?.items[item as usize]);
        std::iter::successors(self.item_of[group as usize], parent)
    }
}

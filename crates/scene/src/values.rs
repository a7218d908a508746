//! Values of keys, whatever they come from.

use clearsweep_model::LengthUnit;
use toml::de::{DeTable, DeValue};

/// The value of a key: of a scene file, a cell of a table, or a program.
#[derive(Clone, Copy)]
pub(super) enum Value<'v> {
    Text(&'v str),
    Bool(bool),
    Number(f64),
    /// A number in a unit of its own.
    Length(f64, LengthUnit),
    Integer(i128),
    /// Texts in one, with semicolons between them.
    Words(&'v str),
    Texts(&'v [String]),
    Numbers(&'v [f64]),
    Points(&'v [[f64; 3]]),
    PointLists(&'v [Vec<[f64; 3]>]),
    List(&'v [Value<'v>]),
    Table(&'v [(&'static str, Value<'v>)]),
    /// A table of TOML.
    Keys(&'v DeTable<'v>),
    /// Any other value of TOML: a number, a date or a list.
    Toml(&'v DeValue<'v>),
}

impl<'v> Value<'v> {
    /// The value of a key in TOML.
    pub(super) fn of(value: &'v DeValue<'v>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text),
            DeValue::Boolean(value) => Self::Bool(*value),
            DeValue::Table(table) => Self::Keys(table),
            value => Self::Toml(value),
        }
    }

    /// The name of its type in TOML, for messages.
    pub(super) fn type_str(self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::Bool(_) => "boolean",
            Self::Keys(_) => "table",
            Self::Toml(value) => value.type_str(),
            // Values of rows and of scenes in code have the right type.
            _ => "value",
        }
    }

    /// The items of a list that is not TOML; `None`: it is no such list.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        Some(match self {
            Self::Words(text) => {
                text.split(';').map(str::trim).filter(|word| !word.is_empty()).map(Self::Text).collect()
            }
            Self::Texts(texts) => texts.iter().map(|text| Self::Text(text)).collect(),
            Self::Numbers(numbers) => numbers.iter().copied().map(Self::Number).collect(),
            Self::Points(points) => points.iter().map(|point| Self::Numbers(point)).collect(),
            Self::PointLists(lists) => lists.iter().map(|list| Self::Points(list)).collect(),
            Self::List(values) => values.to_vec(),
            _ => return None,
        })
    }
}

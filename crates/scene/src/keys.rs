//! The keys of a scene, walked one by one, so that every message names the file, the line and the
//! key.

use super::row_place::RowPlace;
use super::values::Value;
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_input_guard::MAX_NAME;
use clearsweep_model::LengthUnit;
use std::fmt::Display;
use std::path::Path;
use std::sync::OnceLock;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Source of the keys of a scene: a file in memory, a row of a table, or a program.
pub(super) struct SceneSource<'a> {
    path: &'a Path,
    /// The text, without a byte order mark.
    text: &'a str,
    /// The byte of the file that the text begins with.
    base: usize,
    /// Looked for when the first message asks.
    line_starts: OnceLock<Vec<usize>>,
    /// Set where the keys are those of a table's row.
    row: Option<RowPlace>,
    /// Whether no file holds the scene: a program gives it.
    in_code: bool,
    /// Most threads that lower its tables of bodies; `None`: as many as there are cores.
    pub(super) threads: Option<usize>,
}

/// Place of something in a scene.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A byte of the scene file.
    Scene(usize),
    /// A row of a table.
    Row(RowPlace),
}

impl Origin {
    /// For messages: `file:line`, or the row.
    pub(super) fn place(&self, scene: &SceneSource<'_>) -> String {
        match self {
            Self::Scene(at) => scene.place(*at),
            Self::Row(row) => row.to_string(),
        }
    }
}

impl<'a> SceneSource<'a> {
    pub(super) fn new(path: &'a Path, text: &'a str) -> Self {
        Self { path, text, base: 0, line_starts: OnceLock::new(), row: None, in_code: false, threads: None }
    }

    /// Returns the same text, to be lowered by at most `threads` threads.
    pub(super) fn with_threads(self, threads: Option<usize>) -> Self {
        Self { threads, ..self }
    }

    /// A scene in code; `path` is what messages call it. `text`: the keys of a program that has
    /// written them as TOML.
    pub(super) fn in_code(path: &'a Path, text: &'a str) -> Self {
        Self { in_code: true, ..Self::new(path, text) }
    }

    /// A part of a scene file, which begins with this byte of it. Places are those of the whole,
    /// but lines are not known.
    pub(super) fn of_section(path: &'a Path, base: usize, text: &'a str) -> Self {
        Self { base, ..Self::new(path, text) }
    }

    /// Returns the source that holds the keys of a table's row.
    pub(super) fn of_row(scene: &'a Path, row: RowPlace) -> Self {
        Self { row: Some(row), ..Self::new(scene, "") }
    }

    /// Returns the place of a byte.
    fn origin(&self, at: usize) -> Origin {
        self.row.as_ref().map_or(Origin::Scene(at), |row| Origin::Row(row.clone()))
    }

    /// Whether this is a row of a table.
    pub(super) fn is_row(&self) -> bool {
        self.row.is_some()
    }

    /// Whether no file holds the scene.
    pub(super) fn is_in_code(&self) -> bool {
        self.in_code
    }

    /// The path of the file, as given.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// The line of a byte, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        let find = || self.text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i + 1).collect();
        self.line_starts.get_or_init(find).partition_point(|&start| start <= at) + 1
    }

    /// `file:line`, or the row.
    pub(super) fn place(&self, at: usize) -> String {
        if let Some(row) = &self.row {
            return row.to_string();
        }
        if self.in_code {
            return self.path.display().to_string();
        }
        format!("{}:{}", self.path.display(), self.line(at))
    }

    /// The byte of the file where something of the text begins.
    fn start<T>(&self, item: &Spanned<T>) -> usize {
        self.base + item.span().start
    }

    /// The whole file as TOML.
    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(self.text.len(), |span| span.start);
            Error::input(
                self.place(at.min(self.text.len())),
                format!("not valid TOML: {}", error.message().trim()),
                "mend the syntax of this line (https://toml.io)",
            )
        })
    }
}

/// A table of keys.
#[derive(Clone)]
pub(super) struct Keys<'a> {
    pub(super) source: &'a SceneSource<'a>,
    /// Name in messages, such as "[query]" or "[[body]] `duct`".
    pub(super) owner: String,
    /// The keys and their values, as TOML or plain.
    table: Value<'a>,
    /// Byte at which it begins.
    pub(super) at: usize,
    /// Keys that are taken as missing.
    hidden: &'a [&'a str],
    /// Keys that hold where this table has none of the name.
    defaults: Option<&'a Keys<'a>>,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub(super) struct Field<'k> {
    keys: &'k Keys<'k>,
    key: &'k str,
    pub(super) value: Value<'k>,
    pub(super) at: usize,
}

impl<'a> Keys<'a> {
    pub(super) fn new(source: &'a SceneSource<'a>, owner: impl Into<String>, table: Value<'a>, at: usize) -> Self {
        Self { source, owner: owner.into(), table, at, hidden: &[], defaults: None }
    }

    /// A key of this table with a value.
    pub(super) fn given<'k>(&'k self, key: &'k str, value: Value<'k>) -> Field<'k> {
        Field { keys: self, key, value, at: self.at }
    }

    /// Returns the same table with default keys, which hold if it has no key of that name.
    pub(super) fn with_defaults(self, defaults: &'a Keys<'a>) -> Self {
        Self { defaults: Some(defaults), ..self }
    }

    /// The same table without some keys.
    pub(super) fn without(self, hidden: &'a [&'a str]) -> Self {
        Self { hidden, ..self }
    }

    /// Returns the place where the table begins.
    pub(super) fn origin(&self) -> Origin {
        self.source.origin(self.at)
    }

    /// Refuses keys that are not known, naming the nearest that is; the first in the file.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        // Keys of rows and of scenes in code are known.
        let Value::Keys(table) = self.table else { return Ok(()) };
        let unknown = table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref()));
        let Some((key, _)) = unknown.min_by_key(|(key, _)| key.span().start) else { return Ok(()) };
        let name = key.get_ref();
        let free = known.iter().copied().filter(|known| !table.contains_key(*known));
        let remedy = match nearest(name, free) {
            Some(near) => format!("did you mean `{near}`? Known here: {}", known.join(", ")),
            None => format!("known here: {}", known.join(", ")),
        };
        Err(Error::input(
            self.source.place(self.source.start(key)),
            format!("unknown key `{name}` in {}", self.owner),
            remedy,
        ))
    }

    /// The keys of a table of TOML.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let Value::Keys(table) = self.table else { return None.into_iter().flatten() };
        Some(table.keys().map(|key| key.get_ref().as_ref())).into_iter().flatten()
    }

    /// A key, if it is there or among the defaults.
    pub(super) fn get<'k>(&'k self, key: &'k str) -> Option<Field<'k>> {
        let own = match self.table {
            _ if self.hidden.contains(&key) => None,
            Value::Keys(table) => table.get(key).map(|item| self.field(key, item)),
            Value::Table(table) => table.iter().find(|(name, _)| *name == key).map(|(_, v)| self.given(key, *v)),
            _ => None,
        };
        own.or_else(|| self.defaults?.get(key))
    }

    fn field<'k>(&'k self, key: &'k str, item: &'k Spanned<DeValue<'k>>) -> Field<'k> {
        Field { keys: self, key, value: Value::of(item.get_ref()), at: self.source.start(item) }
    }

    /// A key that must be there.
    pub(super) fn required<'k>(&'k self, key: &'k str, remedy: impl Display) -> Result<Field<'k>> {
        self.get(key).ok_or_else(|| self.error(format!("the key `{key}` is missing in {}", self.owner), remedy))
    }

    /// An error of the table as a whole.
    pub(super) fn error(&self, problem: impl Display, remedy: impl Display) -> Error {
        Error::input(self.source.place(self.at), problem, remedy)
    }

    /// The tables of an array of tables such as `[[body]]`; none if the key is absent.
    pub(super) fn tables(&self, key: &str) -> Result<Vec<(usize, Value<'_>)>> {
        let Value::Keys(table) = self.table else { return Ok(Vec::new()) };
        let Some(value) = table.get(key) else { return Ok(Vec::new()) };
        let wrong = |at| {
            let remedy = format!("write it as `[[{key}]]`, with two brackets, once for each");
            Err(Error::input(self.source.place(at), format!("`{key}` is not an array of tables"), remedy))
        };
        let DeValue::Array(array) = value.get_ref() else { return wrong(self.source.start(value)) };
        let mut tables = Vec::with_capacity(array.len());
        for item in array.iter() {
            match item.get_ref() {
                DeValue::Table(table) => tables.push((self.source.start(item), Value::Keys(table))),
                _ => return wrong(self.source.start(item)),
            }
        }
        Ok(tables)
    }
}

impl<'k> Field<'k> {
    /// An error of this key.
    pub(super) fn error(&self, problem: impl Display, remedy: impl Display) -> Error {
        let what = if self.keys.source.is_row() { "column" } else { "key" };
        let place = format!("{}, {what} `{}` of {}", self.keys.source.place(self.at), self.key, self.keys.owner);
        Error::input(place, problem, remedy)
    }

    /// Returns its place.
    pub(super) fn origin(&self) -> Origin {
        self.keys.source.origin(self.at)
    }

    /// Returns its place for messages.
    pub(super) fn place(&self) -> String {
        self.keys.source.place(self.at)
    }

    /// The path of the scene.
    pub(super) fn scene(&self) -> &Path {
        self.keys.source.path()
    }

    /// Whether it is a key of this table, and not a default.
    pub(super) fn is_of(&self, keys: &Keys<'_>) -> bool {
        std::ptr::eq(self.keys, keys)
    }

    /// The name of the key.
    pub(super) fn key(&self) -> &'k str {
        self.key
    }

    fn wrong_type(&self, wanted: &str) -> Error {
        self.error(format!("a {} instead of {wanted}", self.value.type_str()), format!("give {wanted}"))
    }

    /// A string that is not empty.
    pub(super) fn text(&self) -> Result<&'k str> {
        match self.value {
            Value::Text("") => Err(self.error("the text is empty", "give a non-empty text")),
            Value::Text(text) if text.len() > MAX_NAME => {
                let problem = format!("the text has {} bytes: `{text}`", text.len());
                Err(self.error(problem, format!("give a text of at most {MAX_NAME} bytes")))
            }
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong_type("a text in quotes")),
        }
    }

    /// `true` or `false`.
    pub(super) fn boolean(&self) -> Result<bool> {
        match self.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// A finite number; integers are numbers.
    pub(super) fn number(&self) -> Result<f64> {
        let number = match self.value {
            Value::Number(number) | Value::Length(number, _) => Some(number),
            Value::Toml(DeValue::Float(float)) => float.as_str().parse::<f64>().ok(),
            Value::Toml(DeValue::Integer(integer)) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|value| value as f64)
            }
            _ => return Err(self.wrong_type("a number")),
        };
        match number {
            Some(number) if number.is_finite() => Ok(number),
            Some(number) => Err(self.error(format!("{number} is not a finite number"), "give a finite number")),
            None => Err(self.error("the number is too large", "give a smaller number")),
        }
    }

    /// A whole number.
    pub(super) fn integer(&self) -> Result<i128> {
        match self.value {
            Value::Integer(integer) => Ok(integer),
            Value::Toml(DeValue::Integer(integer)) => i128::from_str_radix(integer.as_str(), integer.radix())
                .map_err(|_| self.error("the number is too large", "give a smaller number")),
            _ => Err(self.wrong_type("a whole number")),
        }
    }

    /// Returns the items of a list of `count` numbers.
    pub(super) fn numbers(&self, count: usize) -> Result<Vec<f64>> {
        self.items(Some(count), "numbers")?.iter().map(Field::number).collect()
    }

    /// The items of a list, of the given length unless that is `None`, each as a value of this key;
    /// `what` they are.
    pub(super) fn items(&self, count: Option<usize>, what: &str) -> Result<Vec<Field<'k>>> {
        let wanted = match count {
            Some(count) => format!("a list of {count} {what}"),
            None => format!("a list of {what}"),
        };
        let items = self.list().ok_or_else(|| self.wrong_type(&wanted))?;
        if let Some(count) = count.filter(|&count| count != items.len()) {
            let values = if items.len() == 1 { "value" } else { "values" };
            let problem = format!("{} {values} instead of {count}", items.len());
            return Err(self.error(problem, format!("give {wanted}")));
        }
        Ok(items)
    }

    /// The items of a list, each as a value of this key; `None`: it is no list.
    fn list(&self) -> Option<Vec<Field<'k>>> {
        if let Value::Toml(DeValue::Array(array)) = self.value {
            return Some(array.iter().map(|item| self.keys.field(self.key, item)).collect());
        }
        Some(self.value.items()?.into_iter().map(|value| Field { value, ..*self }).collect())
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&self) -> Result<Vec<String>> {
        match (self.list(), self.value) {
            (Some(items), _) => items.iter().map(|item| Ok(item.text()?.to_owned())).collect(),
            (None, Value::Text(_)) => Ok(vec![self.text()?.to_owned()]),
            _ => Err(self.wrong_type("a text, or a list of texts")),
        }
    }

    /// Whether it is a table.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, Value::Keys(_) | Value::Table(_))
    }

    /// A table such as `{ box = [1, 1, 1] }`.
    pub(super) fn table(&self) -> Result<Keys<'k>> {
        if !self.is_table() {
            return Err(self.wrong_type("a table"));
        }
        let owner = match self.keys.owner.as_str() {
            "the scene file" => format!("[{}]", self.key),
            owner => format!("`{}` of {owner}", self.key),
        };
        Ok(Keys::new(self.keys.source, owner, self.value, self.at))
    }

    /// A length unit.
    pub(super) fn unit(&self) -> Result<LengthUnit> {
        let word = self.text()?;
        LengthUnit::parse(word).ok_or_else(|| {
            self.error(format!("`{word}` is no length unit"), format!("use one of {}", LengthUnit::words()))
        })
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        let word = self.text()?;
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == word) {
            return Ok(*value);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let remedy = match nearest(word, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? Known here: {}", names.join(", ")),
            None => format!("use one of {}", names.join(", ")),
        };
        Err(self.error(format!("`{word}` is not known here"), remedy))
    }
}

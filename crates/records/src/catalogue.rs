//! The tables of a result.

use super::body;
use super::column::{Column, Contents, TableSchema};
use super::file::invalid;
use super::record::Record;
use super::{Code, Contact, Distance, Event, Interval, Issue, KnownPair, Pair, Penetration, Recheck, Run};
use clearsweep_base::error::{Error, Result};
use std::path::{Path, PathBuf};

/// A table of a result.
#[derive(Debug, Clone, Copy)]
pub struct TableInfo {
    /// Name.
    pub name: &'static str,
    /// Whether the table is a folder of parts `part-NNNNN.parquet`; otherwise it is one file.
    pub has_parts: bool,
    /// Whether its last pages are encoded at the end of a job, while the disk takes the first
    /// table.
    pub is_deferred: bool,
    /// All columns that the table may have; empty: no record declares them.
    pub columns: &'static [Column],
    sorted_by: &'static [&'static str],
    /// Which jobs write the table; `None`: all.
    presence: Option<Presence>,
}

/// When a table is written.
#[derive(Debug, Clone, Copy)]
struct Presence {
    exists: fn(&Contents) -> bool,
    /// Reason of its absence, and the remedy.
    absence: Option<(&'static str, &'static str)>,
}

impl TableInfo {
    const fn parts<R: Record>() -> Self {
        let columns = R::COLUMNS;
        Self { has_parts: true, columns, sorted_by: R::SORTED_BY, ..Self::undeclared(R::TABLE) }
    }

    const fn file<R: Record>() -> Self {
        Self { has_parts: false, ..Self::parts::<R>() }
    }

    const fn deferred(self) -> Self {
        Self { is_deferred: true, ..self }
    }

    const fn undeclared(name: &'static str) -> Self {
        Self { name, has_parts: false, is_deferred: false, columns: &[], sorted_by: &[], presence: None }
    }

    const fn only_if(self, exists: fn(&Contents) -> bool, absence: Option<(&'static str, &'static str)>) -> Self {
        Self { presence: Some(Presence { exists, absence }), ..self }
    }

    /// Returns the columns of the table in a job.
    pub fn schema(&self, contents: &Contents) -> TableSchema {
        TableSchema::new(self.name, self.columns, self.sorted_by, contents)
    }

    /// Returns all columns that the table may have; `nullable`: in the table of some job.
    pub fn all_columns(&self) -> Vec<Column> {
        self.columns.iter().map(Column::in_any_job).collect()
    }

    /// Names of the columns by which rows are sorted, most significant first.
    pub const fn sorted_by(&self) -> &'static [&'static str] {
        self.sorted_by
    }

    /// Whether a job writes the table.
    pub fn exists(&self, contents: &Contents) -> bool {
        self.presence.is_none_or(|presence| (presence.exists)(contents))
    }

    /// The name of its file, or of its folder of parts.
    pub fn file_name(&self) -> String {
        if self.has_parts { self.name.to_owned() } else { format!("{}.parquet", self.name) }
    }

    /// Whether the result in `dir` has the table; one that every job writes counts as there.
    pub fn is_in(&self, dir: &Path) -> bool {
        let path = dir.join(self.file_name());
        self.presence.is_none() || if self.has_parts { path.is_dir() } else { path.is_file() }
    }

    /// Lists the files of the table in the result `dir`, in the order of their rows.
    ///
    /// # Errors
    /// The table is missing, or its folder cannot be read.
    pub fn files(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        if let Some((reason, remedy)) = self.presence.and_then(|presence| presence.absence)
            && !self.is_in(dir)
        {
            let problem = format!("has no table `{}`: {reason}", self.name);
            return Err(Error::input(dir.display(), problem, remedy));
        }
        let path = dir.join(self.file_name());
        if self.has_parts { parts(&path) } else { Ok(vec![path]) }
    }
}

/// Lists the parts in a folder.
fn parts(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| invalid(folder, format!("cannot be read ({error})")))?;
    let mut parts = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Error::unreadable(folder, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "parquet") {
            parts.push(path);
        }
    }
    // Numbers of more than five digits are longer than the others.
    parts.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    if parts.is_empty() { Err(invalid(folder, "has no part".to_owned())) } else { Ok(parts) }
}

const NO_INTERVALS: (&str, &str) =
    ("its scene does not say how bodies move between frames", "set `between` in [motion], and run again");
const NO_CONTACTS: (&str, &str) =
    ("its scene does not ask for all contacts", "set `contacts = \"all\"` in [query], and run again");
const NOTHING_REQUIRED: (&str, &str) =
    ("its scene requires nothing", "set `require` in [query] or rules, and run again");

const NOTHING_KNOWN: (&str, &str) = (
    "no pair was accepted, and no earlier result was given",
    "give a file of accepted pairs (--accepted) or the earlier result (--previous), and run again",
);

/// All tables, in the order in which a result lists them.
pub const CATALOGUE: [TableInfo; 11] = [
    TableInfo::parts::<Distance<Code>>(),
    TableInfo::parts::<Penetration<Code>>().deferred(),
    TableInfo::parts::<Interval<Code>>().only_if(|job| job.intervals, Some(NO_INTERVALS)),
    TableInfo::parts::<Contact<Code>>().only_if(|job| job.contacts, Some(NO_CONTACTS)),
    TableInfo::file::<Pair<Code>>(),
    TableInfo::file::<Run<Code>>(),
    TableInfo::file::<Event<Code>>().only_if(|job| job.requirements, Some(NOTHING_REQUIRED)),
    TableInfo::file::<Issue<Code>>().only_if(|job| job.requirements, Some(NOTHING_REQUIRED)),
    TableInfo::file::<KnownPair<Code>>().only_if(|job| job.requirements && job.known_pairs, Some(NOTHING_KNOWN)),
    TableInfo { columns: &body::COLUMNS, sorted_by: &["index"], ..TableInfo::undeclared("bodies") },
    TableInfo::undeclared("samples").only_if(|job| job.joints, None),
];

/// The table of `clearsweep recheck`, which is none of a result.
pub const RECHECK: TableInfo = TableInfo::file::<Recheck<Code>>();

/// The names of all tables, in the order of [`CATALOGUE`].
pub const TABLE_NAMES: [&str; CATALOGUE.len()] = {
    let mut names = [""; CATALOGUE.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = CATALOGUE[at].name;
        at += 1;
    }
    names
};

/// Returns the table of this name.
///
/// # Errors
/// No table has it.
pub fn table(name: &str) -> Result<&'static TableInfo> {
    let known = CATALOGUE.iter().find(|table| table.name == name);
    known.ok_or_else(|| Error::internal(name, "no table has this name"))
}

/// Whether the result in `dir` has the table `name`; one that every job writes counts as there.
pub fn has_table(dir: &Path, name: &str) -> bool {
    table(name).is_ok_and(|table| table.is_in(dir))
}

/// For a column of names of bodies, returns the column of their indices.
pub fn index_column(name: &str) -> Option<&'static str> {
    let columns = CATALOGUE.iter().flat_map(|table| table.columns);
    columns.filter(|column| column.name == name).find_map(|column| column.index)
}

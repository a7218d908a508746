//! The tables and the manifest of a result, each declared once.
//!
//! - A file a table (`distance`, `penetration`, `interval`, `contact`, `pair`, `run`, `event`,
//!   `issue`, `known_pair`) declares a struct and its columns by the macro of `record`. Writers
//!   fill columns from it ([`Record`]); readers get rows of the same struct, or of some of its
//!   columns ([`StoredRecord`]).
//! - `column` holds what a declaration says of a column, `cell` how a type is appended and decoded,
//!   `words` the enumerations whose words are texts.
//! - `recheck` is the table that `clearsweep recheck` writes beside a result.
//! - `catalogue` lists all tables; [`Table`] reads one of a finished result, from `file`s.
//! - `manifest` holds the structs that `manifest.json` is written from and read into.

mod body;
mod catalogue;
mod cell;
mod column;
mod contact;
mod distance;
mod event;
pub mod file;
mod interval;
mod issue;
mod known_pair;
pub mod manifest;
mod pair;
mod penetration;
mod recheck;
mod record;
mod run;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use body::Body;
pub use catalogue::{CATALOGUE, RECHECK, TABLE_NAMES, TableInfo, has_table, index_column, table};
pub use cell::{Code, ColumnSink, Text};
pub use column::{Column, ColumnType, Contents, DistanceColumns, TableSchema, Words};
pub use contact::Contact;
pub use distance::{Distance, DistanceBracket, DistanceLine};
pub use event::{Event, LeastOfEvent};
pub use interval::{Interval, IntervalContact, IntervalLine};
pub use issue::Issue;
pub use known_pair::KnownPair;
pub use pair::{LeastOfPair, Pair, PairBetween, PairOfRun, WorstPair};
pub use penetration::Penetration;
pub use recheck::{Recheck, RecheckOutcome, RecheckTable, RecheckWhat};
pub use record::{ColumnFault, Record, StoredRecord};
pub use run::{Run, WorstRun};
pub use table::{OfPair, Rows, RunPair, Table, bodies_of_hulls};
pub use words::{EventKind, Word};

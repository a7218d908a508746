//! Folders that are tables of a format with a log of its own: which of their files count is said
//! there, and some do not.

use clearsweep_base::error::Error;
use clearsweep_base::text::sql_text;
use std::fmt::Display;

/// A format, or a state, in which not all files of a folder are its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Delta Lake: a folder `_delta_log`.
    Delta,
    /// Apache Iceberg: files `metadata/*.metadata.json`.
    Iceberg,
    /// Apache Hudi: a folder `.hoodie`.
    Hudi,
    /// A folder that a job of Spark or Hadoop has not finished: `_temporary`.
    Unfinished,
}

impl TableFormat {
    /// The format of the folder that an entry of it gives away. `name`: of the entry, or
    /// `metadata/FILE`.
    pub fn of_entry(name: &str) -> Option<Self> {
        match name {
            "_delta_log" => Some(Self::Delta),
            ".hoodie" => Some(Self::Hudi),
            "_temporary" => Some(Self::Unfinished),
            name if name.starts_with("metadata/") && name.ends_with(".metadata.json") => Some(Self::Iceberg),
            _ => None,
        }
    }

    /// The error of a folder that is read as plain files.
    pub fn refused(self, folder: impl Display) -> Error {
        let duckdb = |scan: &str| {
            format!(
                "write its rows to a file: duckdb -c \"COPY (FROM {scan}({})) TO 'trajectories.parquet'\"",
                sql_text(&folder.to_string())
            )
        };
        let (problem, remedy) = match self {
            Self::Delta => ("is a table of Delta Lake: its log says which of its files count", duckdb("delta_scan")),
            Self::Iceberg => {
                ("is a table of Iceberg: its metadata say which of its files count", duckdb("iceberg_scan"))
            }
            Self::Hudi => (
                "is a table of Hudi: its timeline says which of its files count",
                "write its rows to plain Parquet files by Spark".to_owned(),
            ),
            Self::Unfinished => (
                "holds `_temporary`: the job that writes it goes on, or has failed",
                "wait until the job has written `_SUCCESS`, or run it again".to_owned(),
            ),
        };
        Error::input(folder, problem, remedy)
    }
}

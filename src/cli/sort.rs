//! `clearsweep sort`: not in this version.

use super::exit::Done;
use clearsweep::{Error, Result};

/// Says so.
pub(crate) fn sort() -> Result<Done> {
    Err(Error::usage(
        "clearsweep sort",
        "is not in this version yet",
        "sort with DuckDB: COPY (FROM 'in.parquet' ORDER BY run, frame) TO 'out.parquet' (COMPRESSION zstd)",
    ))
}

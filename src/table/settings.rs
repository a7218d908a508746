//! What every Parquet file of this program shares.

use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

/// Written by this version of this program.
const CREATED_BY: &str = concat!("clearsweep ", env!("CARGO_PKG_VERSION"));

/// How pages are compressed: the level that keeps what repeats small, and does not try in vain for long.
pub(super) fn compression() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

/// Author and compression.
pub(super) fn every_file() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_created_by(CREATED_BY.to_owned()).set_compression(compression())
}

//! Parquet writer properties that every file of this program shares.

use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

/// Metadata field `created_by`: program and version.
const CREATED_BY: &str = concat!("clearsweep ", env!("CARGO_PKG_VERSION"));

/// Compression of pages: zstd at level 1, the default of the parquet crate. It compresses repetitive data well and
/// spends little time on data that do not shrink.
pub(super) fn compression() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

/// Properties with author and compression set.
pub(super) fn common() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_created_by(CREATED_BY.to_owned()).set_compression(compression())
}

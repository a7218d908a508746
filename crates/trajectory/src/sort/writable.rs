//! Which columns can be sorted and written.

use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

/// Whether a column of this type can be moved about row by row, and written.
pub(super) fn can_hold(name: &str, kind: &DataType) -> bool {
    fn is_plain(kind: &DataType) -> bool {
        match kind {
            DataType::RunEndEncoded(..) | DataType::Union(..) => false,
            DataType::Struct(fields) => fields.iter().all(|field| is_plain(field.data_type())),
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::FixedSizeList(field, _)
            | DataType::Map(field, _) => is_plain(field.data_type()),
            _ => true,
        }
    }
    let schema = Arc::new(Schema::new(vec![Field::new(name, kind.clone(), true)]));
    is_plain(kind) && ArrowWriter::try_new(std::io::sink(), schema, None).is_ok()
}

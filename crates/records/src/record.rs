//! The declaration of a table: a struct and its columns by one macro.

use super::cell::{ColumnSink, StoredCell};
use super::column::{Column, Contents, TableSchema};
use arrow_array::RecordBatch;

/// A row of a table, as it is written.
pub trait Record: Copy {
    /// Name of the table.
    const TABLE: &'static str;
    /// All columns that the table may have, in the order of the file.
    const COLUMNS: &'static [Column];
    /// Names of the columns by which rows are sorted, most significant first.
    const SORTED_BY: &'static [&'static str];

    /// Returns the table of a job.
    fn schema(contents: &Contents) -> TableSchema {
        TableSchema::new(Self::TABLE, Self::COLUMNS, Self::SORTED_BY, contents)
    }

    /// Appends rows to the columns of [`TableSchema::filled`], column by column. `record` returns
    /// the row that a source stands for; of each call one field is used.
    fn extend<S>(
        sources: &[S],
        record: impl Fn(&S) -> Self + Copy,
        contents: &Contents,
        columns: &mut [impl ColumnSink],
    );
}

/// A row of a table, or some of its columns, as they are read.
pub trait StoredRecord: Sized {
    /// Name of the table.
    const TABLE: &'static str;
    /// Names of the columns, and whether some results lack them.
    const COLUMNS: &'static [(&'static str, bool)];

    /// Decodes the rows of a batch.
    ///
    /// # Errors
    /// The name of the column that is missing or of another type.
    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, ColumnFault>;
}

/// The fault of a column of a stored table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnFault {
    /// There is no such column.
    Missing(&'static str),
    /// It has values of another type.
    Type(&'static str),
}

/// Decodes the cells of a column of `batch`.
pub(crate) fn cells<V: StoredCell>(
    batch: &RecordBatch,
    name: &'static str,
) -> Result<std::vec::IntoIter<V>, ColumnFault> {
    let values = match batch.column_by_name(name) {
        Some(array) => V::decode(array).ok_or(ColumnFault::Type(name))?,
        None => {
            let cell = || V::absent().ok_or(ColumnFault::Missing(name));
            (0..batch.num_rows()).map(|_| cell()).collect::<Result<_, _>>()?
        }
    };
    Ok(values.into_iter())
}

/// Returns the declaration of the column `name`.
pub(crate) const fn declared(columns: &'static [Column], name: &str) -> &'static Column {
    let mut at = 0;
    while !is_equal(columns[at].name, name) {
        at += 1;
    }
    &columns[at]
}

const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Declares a table: its name, the order of its rows, and for each column the doc comment (its
/// meaning in the reference), name, type and properties (methods of [`Column`]). A text is of type
/// `T`: a [`Code`](crate::Code) in a row that is written, a [`Text`](crate::Text) in one that is
/// read. `..KEYS` stands for run, frame, time and bodies.
macro_rules! record {
    ($(#[$about:meta])* $record:ident in $table:literal, sorted by [$($sorted:ident),*];
     ..KEYS; $($columns:tt)*) => {
        record! { $(#[$about])* $record in $table, sorted by [$($sorted),*];
            /// Run.
            run: i64 => key, repeats;
            /// Frame.
            frame: i64 => key, repeats;
            /// Time of the frame.
            time_s: Option<f64> => unit("s"), null, repeats;
            /// Index of body A, which comes before B in the order of the scene.
            a_index: i32 => key;
            /// Index of body B.
            b_index: i32 => key;
            /// Name of body A.
            body_a: T => name_of("a_index");
            /// Name of body B.
            body_b: T => name_of("b_index");
            $($columns)*
        }
    };
    ($(#[$about:meta])* $record:ident in $table:literal, sorted by [$($sorted:ident),*];
     $($(#[doc = $doc:literal])+ $column:ident: $type:ty $(=> $($property:ident $(($($value:tt)*))?),+)?;)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $record<T = $crate::Text> {
            $($(#[doc = $doc])+ pub $column: $type,)*
        }

        impl $crate::record::Record for $record<$crate::Code> {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [$crate::Column] = {
                type T = $crate::Code;
                &[$($crate::Column::new(
                    stringify!($column),
                    <$type as $crate::cell::WrittenCell>::KIND,
                    concat!($($doc),+),
                )$($(.$property($($($value)*)?))+)?,)*]
            };
            const SORTED_BY: &'static [&'static str] = &[$(stringify!($sorted)),*];

            fn extend<S>(
                sources: &[S],
                record: impl Fn(&S) -> Self + Copy,
                contents: &$crate::Contents,
                columns: &mut [impl $crate::ColumnSink],
            ) {
                let mut columns = columns.iter_mut();
                $({
                    let column = const { $crate::record::declared(Self::COLUMNS, stringify!($column)) };
                    if column.index.is_none() && column.exists(contents) {
                        let to = columns.next().expect("a buffer for each column");
                        let value = |source: &S| record(source).$column;
                        $crate::cell::extend_column(column, column.is_nullable(contents), sources, value, to);
                    }
                })*
                debug_assert!(columns.next().is_none(), "a column for each buffer");
            }
        }

        impl $crate::record::StoredRecord for $record {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [(&'static str, bool)] = &[$((
                stringify!($column),
                $crate::record::declared(
                    <$record<$crate::Code> as $crate::record::Record>::COLUMNS, stringify!($column)
                ).is_optional(),
            ),)*];

            fn decode(batch: &arrow_array::RecordBatch) -> Result<Vec<Self>, $crate::record::ColumnFault> {
                type T = $crate::Text;
                $(let mut $column = $crate::record::cells::<$type>(batch, stringify!($column))?;)*
                let row = |_| Some(Self { $($column: $column.next()?,)* });
                Ok((0..batch.num_rows()).map_while(row).collect())
            }
        }
    };
}

/// Declares some columns of a table that are read together, with the types that the table has.
macro_rules! columns_of {
    ($table:ident: $(#[$about:meta])* $view:ident { $($column:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $view {
            $(#[doc = concat!("See [`", stringify!($table), "::", stringify!($column), "`].")] pub $column: $type,)*
        }

        impl From<$table> for $view {
            fn from(row: $table) -> Self {
                Self { $($column: row.$column,)* }
            }
        }

        impl $crate::record::StoredRecord for $view {
            const TABLE: &'static str = <$table as $crate::record::StoredRecord>::TABLE;
            const COLUMNS: &'static [(&'static str, bool)] = &[$((
                stringify!($column),
                $crate::record::declared(
                    <$table<$crate::Code> as $crate::record::Record>::COLUMNS, stringify!($column)
                ).is_optional(),
            ),)*];

            fn decode(batch: &arrow_array::RecordBatch) -> Result<Vec<Self>, $crate::record::ColumnFault> {
                $(let mut $column = $crate::record::cells::<$type>(batch, stringify!($column))?;)*
                let row = |_| Some(Self { $($column: $column.next()?,)* });
                Ok((0..batch.num_rows()).map_while(row).collect())
            }
        }
    };
}

pub(crate) use {columns_of, record};

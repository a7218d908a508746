//! What an execution keeps beside its tables, so that another one can go on after it was killed.
//!
//! Of `distances` the whole parts are enough: rows do not depend on what came before them, so the search begins again at a
//! block, and rows that are in whole parts already are left out. The other tables and the summaries depend on all rows.
//! Their full pages are appended to a `journal`, and at the start of a block before a part of `distances` is full, a
//! `checkpoint` takes the rest: the pages that are being filled, and the summaries. It counts once that part is whole.

pub(super) mod checkpoint;
pub(super) mod entries;
pub(super) mod journal;

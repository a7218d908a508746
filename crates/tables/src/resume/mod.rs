//! State that an execution keeps beside its tables, so that another one can continue after the
//! first one was killed.
//!
//! Whole parts of `distances` are enough to continue that table: rows do not depend on the rows
//! before them. The search begins again at a block, and rows that are in whole parts already are
//! left out. The other tables and the summaries depend on all rows. Their full pages are appended
//! to a `journal`. At the start of a block before a part of `distances` is full, a `checkpoint`
//! stores the rest. The rest is the pages that are being filled, and the summaries. The checkpoint
//! counts once that part is whole.
//!
//! A slow job would wait hours for a whole part. The pages of a part of `distances` that is filled
//! slowly go to a journal too (`part_journal`), and a checkpoint is taken from time to time.

pub(super) mod checkpoint;
pub(super) mod entries;
pub(super) mod journal;
pub(super) mod part_journal;

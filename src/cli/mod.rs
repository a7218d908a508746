//! The command line: a file per subcommand, and what they share.
//!
//! *Architecture invariant*: the only place that prints, exits or asks the machine and the environment. Raw flags
//! are lowered once (`args` to options of the library); nothing below sees a flag.

pub(crate) mod args;
pub(crate) mod check;
pub(crate) mod color;
pub(crate) mod doctor;
pub(crate) mod exit;
pub(crate) mod generate;
pub(crate) mod help;
pub(crate) mod machine;
pub(crate) mod progress;
pub(crate) mod query;
pub(crate) mod run;
pub(crate) mod shell;
pub(crate) mod sort;
pub(crate) mod stdout;
pub(crate) mod summary;
pub(crate) mod text;
pub(crate) mod values;

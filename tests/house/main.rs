//! The sources, the documentation and the listing of public items, read as texts.

mod columns;
mod docs;
#[cfg(feature = "cli")]
mod documented;
mod pages;
mod public_api;

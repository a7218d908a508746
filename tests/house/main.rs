//! The sources, the documentation and the listing of public items, read as texts.

mod columns;
mod docs;
#[cfg(feature = "cli")]
mod documented;
#[cfg(feature = "cli")]
#[path = "../support/fenced.rs"]
mod fenced;
mod pages;
mod public_api;

//! The sources, the documentation and the listing of public items, read as texts.

#[cfg(feature = "cli")]
#[path = "../support/clone.rs"]
mod clone;
#[cfg(feature = "cli")]
#[path = "../trajectory_support/mod.rs"]
mod trajectory_support;

mod docs;
#[cfg(feature = "cli")]
mod documented;
mod public_api;

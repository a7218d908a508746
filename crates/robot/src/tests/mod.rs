//! Tests of the readers: each check, each feature, real files, hostile files.

mod collada;
mod mjcf;
mod neighbours;
mod real_files;
mod resolving;
mod srdf;
mod urdf;

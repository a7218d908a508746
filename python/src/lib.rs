//! The Python module `clearsweep._clearsweep`: what `clearsweep`, the package around it, is made
//! of.
//!
//! *Architecture invariant*: a front end as the program is. It lowers arguments, hands data over without copies, and answers
//! signals; everything that is computed is the library's.

mod arrow;
mod background;
mod buffer;
mod commands;
mod divided;
mod error;
mod job;
mod pair;
mod poses;
mod remote;
mod scene;
mod table;

#[pyo3::pymodule(gil_used = false)]
mod _clearsweep {
    #[pymodule_export]
    use crate::arrow::Batch;
    #[pymodule_export]
    use crate::commands::{check, command, main};
    #[pymodule_export]
    use crate::divided::{merge_shards, plan, run_shard};
    #[pymodule_export]
    use crate::job::{RowStream, run_tables, stream_rows};
    #[pymodule_export]
    use crate::pair::{ShapePair, shape_pair};
    #[pymodule_export]
    use crate::remote::{create_object, fetch_result, object_names, remove_objects};
    #[pymodule_export]
    use crate::scene::{LoadedScene, build_scene, document_text, load_scene};
    #[pymodule_export]
    use crate::table::{TableFiles, open_tables};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        clearsweep_object_stores::install();
        if let Some(level) = std::env::var_os("CLEARSWEEP_SIMD") {
            clearsweep_engine::limit_simd(&level.to_string_lossy())
                .map_err(|error| crate::error::raised(module.py(), error))?;
        }
        Ok(())
    }

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

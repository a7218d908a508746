//! The tables as other programs see them.

use clearsweep as lib;
#[path = "../src/table/tests/fixture.rs"]
mod fixture;

use clearsweep::table::{Columns, TableOptions, TableWriter};
use fixture::{Plan, options, results, scene};
use std::time::Instant;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool")
}

#[test]
fn speed_is_reported() {
    let s = scene(1000, true);
    let blocks = results(&s, Plan { blocks: 8, run_length: 100, pairs: 6500, gap: 20, seed: 7 });
    let rows: usize = blocks.iter().map(|b| b.rows.len()).sum();
    for columns in [Columns::All, Columns::Distance] {
        let dir = tempfile::tempdir().expect("dir");
        let o = TableOptions { columns, ..options(&dir.path().join("out")) };
        let calls: Vec<_> = blocks.iter().map(|b| b.rows.clone()).collect();
        let start = Instant::now();
        let mut writer = TableWriter::create(&s, &o).expect("create");
        pool(2).install(|| {
            for (b, rows) in blocks.iter().zip(calls) {
                writer.write(&b.block, &b.candidates, rows).expect("write");
            }
        });
        let written = start.elapsed().as_secs_f64();
        let done = pool(2).install(|| writer.finish()).expect("finish");
        let seconds = start.elapsed().as_secs_f64();
        let per_row = done.totals.bytes as f64 / rows as f64;
        eprintln!(
            "{columns:?}: {rows} rows, {:.2} M rows/s ({written:.3} s of {seconds:.3} s in write), {per_row:.1} bytes a row",
            rows as f64 / seconds / 1e6
        );
    }
}

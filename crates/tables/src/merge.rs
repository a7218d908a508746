//! The tables of a job whose input was divided among shards, put together from theirs.
//!
//! Rows are encoded again, so that every byte is that of an execution that was not divided.
//! Summaries go on from what each shard accumulated (`shard_state`). Memory depends on neither rows
//! nor shards.

use super::checksums::FileChecksums;
use super::finished_tables::PendingTables;
use super::options::TableOptions;
use super::rows_digest::TableDigest;
use super::shard_state::{RUN_AGAIN, ShardState};
use super::stored_rows::StoredRows;
use super::verify::digest_of;
use super::writer::TableWriter;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{BaselineAt, BaselinePair, PoseSteps, Scene};
use clearsweep_records::{CATALOGUE, Pair, Run, StoredRecord, has_table};
use std::path::{Path, PathBuf};

/// A shard that stands: its tables and its state.
pub struct StoredShard {
    dir: PathBuf,
    /// The job, in words that are equal for equal jobs.
    pub job: String,
    /// (run, frame) of its first and of its last sample; `None`: it has none.
    pub ends: Option<[(i64, i64); 2]>,
    /// Samples.
    pub samples: u64,
    /// Rounding steps of the poses of moving bodies.
    pub pose_steps: Option<PoseSteps>,
    /// The pairs of each moment that is a baseline, in the runs of the shard.
    pub baselines: Vec<(BaselineAt, Vec<BaselinePair>)>,
    /// Digests of the rows of its tables, by name, as its manifest has them.
    digests: Vec<(String, TableDigest)>,
    /// Checksums of its files, as its manifest has them.
    files: FileChecksums,
}

impl StoredShard {
    /// Opens the directory of a shard. `digests`, `files`: those of its manifest.
    ///
    /// # Errors
    /// The state is missing or damaged.
    pub fn open(dir: &Path, digests: Vec<(String, TableDigest)>, files: FileChecksums) -> Result<Self> {
        let (state, _) = ShardState::read(dir)?;
        Ok(Self {
            dir: dir.to_owned(),
            ends: state.ends,
            samples: state.summary.samples(),
            pose_steps: state.pose_steps(),
            baselines: state.baselines().collect(),
            job: state.job,
            digests,
            files,
        })
    }

    /// Fails if the rows of a table are not those that the shard wrote.
    fn check_rows(&self, table: &str) -> Result<()> {
        if !has_table(&self.dir, table) {
            return Ok(());
        }
        let found = digest_of(&self.dir, table)?;
        let Some([first, last]) = self.digest(table)?.difference(&found) else { return Ok(()) };
        let problem = format!("the rows of runs {first} to {last} are not those that were written: a file is damaged");
        Err(Error::input(self.dir.join(table).display(), problem, RUN_AGAIN))
    }

    fn digest(&self, table: &str) -> Result<&TableDigest> {
        let found = self.digests.iter().find(|(name, _)| name == table);
        let problem = || format!("its manifest has no digest of `{table}`");
        found.map(|(_, digest)| digest).ok_or_else(|| Error::input(self.dir.display(), problem(), RUN_AGAIN))
    }
}

/// Puts shards together, one after the other.
pub struct TableMerger {
    writer: TableWriter,
    /// Samples of the shards so far.
    samples: u64,
    last: Option<(i64, i64)>,
    /// Whether parts are linked or copied as they are.
    fast: bool,
    /// Digests of the tables of parts over the shards so far.
    sums: Vec<(&'static str, TableDigest)>,
}

impl TableMerger {
    /// Claims the output directory. `scene`: that of the job, with its baselines. `fast`: parts are
    /// linked or copied.
    ///
    /// # Errors
    /// Those of [`TableWriter::create`].
    pub fn create(scene: &Scene, options: &TableOptions, fast: bool) -> Result<Self> {
        let sums = CATALOGUE
            .iter()
            .filter(|table| table.has_parts)
            .map(|table| (table.name, TableDigest::default()))
            .collect();
        Ok(Self { writer: TableWriter::create(scene, options)?, samples: 0, last: None, fast, sums })
    }

    /// Adds the next shard. Columns are encoded in rayon's current pool.
    ///
    /// # Errors
    /// It does not come after those before, cannot be read, or a write failed.
    pub fn append(&mut self, shard: &StoredShard) -> Result<()> {
        let dir = &shard.dir;
        let (state, mut lists) = ShardState::read(dir)?;
        if let (Some(last), Some([first, _])) = (self.last, state.ends)
            && first <= last
        {
            let problem = format!("begins with run {}, frame {}, which a shard before it has", first.0, first.1);
            return Err(Error::input(dir.display(), problem, "run all shards of one plan"));
        }
        for (table, sum) in &mut self.sums {
            if !has_table(dir, table) {
                continue;
            }
            let rows = state.rows.iter().find(|(name, _)| name == table).map_or(0, |(_, rows)| *rows);
            let digest = shard.digest(table)?;
            if digest.rows() != rows {
                let problem = format!("its manifest has {} rows of `{table}`, and its state {rows}", digest.rows());
                return Err(Error::input(dir.display(), problem, RUN_AGAIN));
            }
            digest.groups.iter().for_each(|group| sum.push(*group));
            match self.fast {
                true => self.writer.link(dir, table, rows, &shard.files)?,
                false => {
                    let stored = StoredRows::open(dir, table)?;
                    if stored.rows != rows {
                        let problem = format!("has {} rows instead of {rows}", stored.rows);
                        return Err(Error::input(stored.path().display(), problem, RUN_AGAIN));
                    }
                    self.writer.append_rows(table, stored, rows)?;
                }
            }
        }
        // Their rows are taken as they are, but for those of a run that is cut.
        [<Pair>::TABLE, <Run>::TABLE].into_iter().try_for_each(|table| shard.check_rows(table))?;
        self.writer.append_samples(dir)?;
        let samples = state.summary.samples();
        self.writer.append_summary(state.summary, &mut lists, dir, self.samples)?;
        self.samples += samples;
        self.last = state.ends.map(|[_, last]| last).or(self.last);
        Ok(())
    }

    /// Encodes the rest of all tables. `shard`: the shards that were added, by number, to find the
    /// one that is not as it was written.
    ///
    /// # Errors
    /// The rows of a table are not those that the shards wrote, or a write failed.
    pub fn finish(self, shard: &dyn Fn(usize) -> Option<Result<StoredShard>>) -> Result<PendingTables> {
        let Self { writer, sums, fast, .. } = self;
        if fast {
            return writer.end_with(Some(sums));
        }
        let ended = writer.end_with(None)?;
        for (table, sum) in &sums {
            if ended.digest(table).is_none_or(|own| own.sum() == sum.sum()) {
                continue;
            }
            for shard in (0..).map_while(shard) {
                shard?.check_rows(table)?;
            }
            return Err(Error::internal(*table, "the rows that were merged are not those of the shards"));
        }
        Ok(ended)
    }
}

//! Progress on stderr: a bar for a person, lines for a log.

use super::args_input::ProgressArg;
use super::diagnostics;
use super::text::{count, rate};
use clearsweep_engine::{Advance, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two lines.
const EVERY: Duration = Duration::from_secs(5);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// Shows how far something is; what it showed is gone when it is dropped.
pub(crate) trait Meter: Sync + Send {
    /// A new count from nothing begins.
    fn begin(&self);
    /// So much is done, from 0 to 1; with words for it.
    fn show(&self, share: f64, state: &dyn Fn() -> String);
}

/// Returns the meter that shows the progress.
pub(crate) fn meter(how: ProgressArg) -> Box<dyn Meter> {
    match how {
        ProgressArg::None => Box::new(Nothing),
        _ if diagnostics::are_json() => Box::new(Lines { last: Mutex::new(Instant::now()) }),
        ProgressArg::Bar => Box::new(Bar::new()),
        ProgressArg::Auto if std::io::stderr().is_terminal() => Box::new(Bar::new()),
        ProgressArg::Plain | ProgressArg::Auto => Box::new(Lines { last: Mutex::new(Instant::now()) }),
    }
}

/// Returns the display of the progress of a run.
pub(crate) fn shown(how: ProgressArg) -> impl Progress {
    Run { meter: meter(how), begun: Instant::now() }
}

/// A bar over the share that is done, with the time left.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  {elapsed} ({eta} left)") {
            bar.set_style(style);
        }
        // The bar starts a thread, and panics where the system gives none.
        if std::thread::Builder::new().spawn(|| ()).is_ok() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Self(bar)
    }
}

impl Meter for Bar {
    fn begin(&self) {
        self.0.set_position(0);
        self.0.reset_eta();
    }

    fn show(&self, share: f64, state: &dyn Fn() -> String) {
        self.0.set_position((share * STEPS as f64) as u64);
        self.0.set_message(state());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A line every few seconds; none at all for a job shorter than that.
struct Lines {
    last: Mutex<Instant>,
}

impl Meter for Lines {
    fn begin(&self) {}

    fn show(&self, share: f64, state: &dyn Fn() -> String) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < EVERY {
            return;
        }
        *last = Instant::now();
        if diagnostics::are_json() {
            return diagnostics::progress(share, &state());
        }
        let line = format!("{:5.1} %  {}\n", share * 100.0, state());
        // A closed stderr is no reason to stop computing.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}

struct Nothing;

impl Meter for Nothing {
    fn begin(&self) {}
    fn show(&self, _: f64, _: &dyn Fn() -> String) {}
}

struct Run {
    meter: Box<dyn Meter>,
    begun: Instant,
}

impl Progress for Run {
    fn advance(&self, advance: &Advance) {
        self.meter.show(advance.read, &|| state(advance, self.begun.elapsed()));
    }
}

/// `1,200 frames  34,000 rows  5.6 k rows/s`; the rate of frames where there are hardly any rows.
fn state(advance: &Advance, elapsed: Duration) -> String {
    let (what, n) = if advance.rows >= advance.samples { ("rows", advance.rows) } else { ("frames", advance.samples) };
    let speed = rate(n as f64 / elapsed.as_secs_f64().max(1e-3), what);
    format!("{} frames  {} rows  {speed}", count(advance.samples), count(advance.rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_of_what_there_is_more_of() {
        let state = |samples, rows| state(&Advance { samples, rows, read: 0.5 }, Duration::from_secs(2));
        assert_eq!(state(1000, 50_000), "1,000 frames  50,000 rows  25.0 k rows/s");
        assert_eq!(state(1000, 3), "1,000 frames  3 rows  500.0 frames/s");
    }
}

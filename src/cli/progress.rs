//! Progress on stderr: a bar for a person, lines for a log.

use super::args::ProgressArg;
use super::text::{count, rate};
use clearsweep::engine::{Advance, Progress, Silent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two lines.
const EVERY: Duration = Duration::from_secs(5);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// What shows the progress.
pub(crate) fn shown(how: ProgressArg) -> Box<dyn Progress> {
    match how {
        ProgressArg::Bar => Box::new(Bar::new()),
        ProgressArg::Auto if std::io::stderr().is_terminal() => Box::new(Bar::new()),
        ProgressArg::Plain | ProgressArg::Auto => Box::new(Lines::new()),
        ProgressArg::None => Box::new(Silent),
    }
}

/// A bar over the share of the input read, with the time left; removed when dropped.
struct Bar {
    bar: ProgressBar,
    begun: Instant,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  {elapsed} ({eta} left)") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar, begun: Instant::now() }
    }
}

impl Progress for Bar {
    fn advance(&self, advance: &Advance) {
        self.bar.set_position((advance.read * STEPS as f64) as u64);
        self.bar.set_message(state(advance, self.begun.elapsed()));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A line every few seconds; none at all for a job shorter than that.
struct Lines {
    begun: Instant,
    last: Mutex<Instant>,
}

impl Lines {
    fn new() -> Self {
        let now = Instant::now();
        Self { begun: now, last: Mutex::new(now) }
    }
}

impl Progress for Lines {
    fn advance(&self, advance: &Advance) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < EVERY {
            return;
        }
        *last = Instant::now();
        let line = format!("{:5.1} %  {}\n", advance.read * 100.0, state(advance, self.begun.elapsed()));
        // A closed stderr is no reason to stop computing.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
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

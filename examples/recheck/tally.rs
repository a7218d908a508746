//! What a family came to, as rows of tables in Markdown.

use clearsweep::bench_support::narrow::{Method, Routes, Status};

use crate::verify::By;
use crate::ways::Ways;

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) queries: u64,
    pub(crate) rows: u64,
    /// Beyond the cut-off: without a row, and verified to be.
    pub(crate) absent: u64,
    pub(crate) statuses: [u64; 4],
    pub(crate) methods: [u64; 6],
    pub(crate) lower: [u64; 6],
    pub(crate) upper: [u64; 6],
    pub(crate) routes: Routes,
    pub(crate) widest: f64,
    pub(crate) worst: f64,
    pub(crate) known: u64,
    pub(crate) misses: u64,
    pub(crate) uncertified: u64,
    /// Ends of brackets made false on purpose, and those that were taken for proven.
    pub(crate) false_ends: u64,
    pub(crate) deceived: u64,
    pub(crate) ways: Ways,
    pub(crate) seconds: f64,
}

impl Tally {
    pub(crate) fn add(&mut self, o: &Self) {
        let sum = |mine: &mut [u64], theirs: &[u64]| mine.iter_mut().zip(theirs).for_each(|(m, t)| *m += t);
        sum(&mut self.statuses, &o.statuses);
        sum(&mut self.methods, &o.methods);
        sum(&mut self.lower, &o.lower);
        sum(&mut self.upper, &o.upper);
        self.routes.add(&o.routes);
        self.queries += o.queries;
        self.rows += o.rows;
        self.absent += o.absent;
        self.widest = self.widest.max(o.widest);
        self.worst = self.worst.max(o.worst);
        self.known += o.known;
        self.misses += o.misses;
        self.uncertified += o.uncertified;
        self.false_ends += o.false_ends;
        self.deceived += o.deceived;
        self.ways.queries += o.ways.queries;
        self.ways.rows += o.ways.rows;
        self.ways.different += o.ways.different;
        self.ways.same_counts += o.ways.same_counts;
        self.seconds += o.seconds;
    }

    pub(crate) fn failed(&self) -> bool {
        self.misses + self.uncertified + self.deceived + self.ways.different > 0
    }
}

fn shares(counts: &[u64]) -> String {
    let all = counts.iter().sum::<u64>().max(1) as f64;
    let share = |&c: &u64| match 100.0 * c as f64 / all {
        s if c > 0 && s < 0.095 => format!("{s:.3}"),
        s => format!("{s:.1}"),
    };
    counts.iter().map(share).collect::<Vec<_>>().join(" / ")
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|c| std::str::from_utf8(c).expect("digits")).collect();
    parts.join(",")
}

/// The tables of all families.
pub(crate) fn print(families: &[(&str, Tally)]) {
    let mut all = Tally::default();
    families.iter().for_each(|(_, t)| all.add(t));
    let lines = || families.iter().map(|(n, t)| (*n, t)).chain([("all", &all)]);
    println!(
        "| family | queries | rows | {} / {} / {} | widest bracket / S | rows against references | worst error / S | misses | uncertified |",
        Status::NAMES[0],
        Status::NAMES[1],
        Status::NAMES[2]
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, t) in lines() {
        println!(
            "| {name} | {} | {} | {} % | {:.1e} | {} | {:.1e} | {} | {} |",
            grouped(t.queries),
            grouped(t.rows),
            shares(&t.statuses[..3]),
            t.widest,
            grouped(t.known),
            t.worst,
            t.misses,
            t.uncertified,
        );
    }
    println!("\n| family | {} / {} / {} | decided by |", Method::NAMES[0], Method::NAMES[1], Method::NAMES[2]);
    println!("| --- | --- | --- |");
    for (name, t) in lines() {
        println!("| {name} | {} % | {} |", shares(&t.methods[..3]), routes(&t.routes));
    }
    let names = By::NAMES.join(" / ");
    println!(
        "\n| family | lower end by {names} | upper end by {names} | false ends shown to the verifier | believed |"
    );
    println!("| --- | --- | --- | --- | --- |");
    for (name, t) in lines() {
        println!(
            "| {name} | {} % | {} % | {} | {} |",
            shares(&t.lower),
            shares(&t.upper),
            grouped(t.false_ends),
            t.deceived
        );
    }
    println!(
        "\n| family | queries asked in every way | rows compared | different | with a memory of like bodies | s |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, t) in lines() {
        let w = &t.ways;
        println!(
            "| {name} | {} | {} | {} | {} | {:.0} |",
            grouped(w.queries),
            grouped(w.rows),
            w.different,
            grouped(w.same_counts),
            t.seconds
        );
    }
}

/// Where samples ended, in shares of them all; iterations and steps are no ends.
fn routes(routes: &Routes) -> String {
    let entries = routes.entries();
    let count = |name: &str| entries.iter().find(|(n, _)| *n == name).map_or(0, |(_, c)| *c);
    let all = (count("queries") + count("skipped")).max(1) as f64;
    let left_out = ["queries", "search_iterations", "vclip_steps", "cycles"];
    let share = |(name, c): &(&str, u64)| match 100.0 * *c as f64 / all {
        s if s < 0.095 => format!("{name} {s:.3} %"),
        s => format!("{name} {s:.1} %"),
    };
    let ends: Vec<String> = entries.iter().filter(|(n, c)| *c > 0 && !left_out.contains(n)).map(share).collect();
    ends.join(", ")
}

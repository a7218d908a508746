//! Results of a family, as rows of tables in Markdown.

use clearsweep_narrow::{Method, SolverStats, Status};

use crate::recheck::verify::By;
use crate::recheck::ways::Ways;

#[derive(Default)]
pub struct Tally {
    pub queries: u64,
    pub rows: u64,
    /// Beyond the cut-off: without a row, and verified to be.
    pub absent: u64,
    pub statuses: [u64; 4],
    pub methods: [u64; 6],
    pub lower: [u64; 5],
    pub upper: [u64; 5],
    pub stats: SolverStats,
    /// The widest bracket, in sizes of its pair.
    pub widest: f64,
    /// The widest bracket, metres.
    pub widest_m: f64,
    pub worst: f64,
    pub known: u64,
    pub misses: u64,
    pub uncertified: u64,
    /// Ends of brackets made false on purpose, and those that were taken for proven.
    pub false_ends: u64,
    pub deceived: u64,
    pub ways: Ways,
    pub seconds: f64,
}

impl Tally {
    pub fn add(&mut self, o: &Self) {
        let sum = |mine: &mut [u64], theirs: &[u64]| mine.iter_mut().zip(theirs).for_each(|(m, t)| *m += t);
        sum(&mut self.statuses, &o.statuses);
        sum(&mut self.methods, &o.methods);
        sum(&mut self.lower, &o.lower);
        sum(&mut self.upper, &o.upper);
        self.stats.add(&o.stats);
        self.queries += o.queries;
        self.rows += o.rows;
        self.absent += o.absent;
        self.widest = self.widest.max(o.widest);
        self.widest_m = self.widest_m.max(o.widest_m);
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

    /// The shares of rows apart, touching, overlapping, percent.
    pub fn shares(&self) -> [f64; 3] {
        let rows = self.rows.max(1) as f64;
        [0, 1, 2].map(|status: usize| 100.0 * self.statuses[status] as f64 / rows)
    }

    /// Whether each of these shares is reached.
    pub fn representative(&self, least: [f64; 3]) -> bool {
        self.shares().iter().zip(least).all(|(share, least)| *share >= least)
    }

    pub fn failed(&self) -> bool {
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

/// The tables of all families; `routes`: the table of the routes, too.
pub fn print(families: &[(&str, Tally)], stats: bool) {
    let mut all = Tally::default();
    families.iter().for_each(|(_, t)| all.add(t));
    let lines: Vec<_> = families.iter().map(|(n, t)| (*n, t)).chain([("all", &all)]).collect();
    print_results(&lines);
    if stats {
        print_routes(&lines);
    }
    print_proofs(&lines);
    print_ways(&lines);
}

fn print_results(lines: &[(&str, &Tally)]) {
    let statuses = Status::NAMES[..3].join(" / ");
    println!(
        "| family | queries | rows | {statuses} | widest bracket / S | widest bracket, m | rows against references | worst error / S | misses | uncertified |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, t) in lines {
        println!(
            "| {name} | {} | {} | {} % | {:.1e} | {:.1e} | {} | {:.1e} | {} | {} |",
            grouped(t.queries),
            grouped(t.rows),
            shares(&t.statuses[..3]),
            t.widest,
            t.widest_m,
            grouped(t.known),
            t.worst,
            t.misses,
            t.uncertified,
        );
    }
}

fn print_routes(lines: &[(&str, &Tally)]) {
    println!("\n| family | {} / {} / {} | decided by |", Method::NAMES[0], Method::NAMES[1], Method::NAMES[2]);
    println!("| --- | --- | --- |");
    for (name, t) in lines {
        println!("| {name} | {} % | {} |", shares(&t.methods[..3]), stats(&t.stats));
    }
}

fn print_proofs(lines: &[(&str, &Tally)]) {
    let names = By::NAMES.join(" / ");
    println!(
        "\n| family | lower end by {names} | upper end by {names} | false ends shown to the verifier | believed |"
    );
    println!("| --- | --- | --- | --- | --- |");
    for (name, t) in lines {
        let (lower, upper) = (shares(&t.lower), shares(&t.upper));
        println!("| {name} | {lower} % | {upper} % | {} | {} |", grouped(t.false_ends), t.deceived);
    }
}

fn print_ways(lines: &[(&str, &Tally)]) {
    println!(
        "\n| family | queries asked in every way | rows compared | different | with a memory of like bodies | s |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, t) in lines {
        let w = &t.ways;
        let [queries, rows, alike] = [w.queries, w.rows, w.same_counts].map(grouped);
        println!("| {name} | {queries} | {rows} | {} | {alike} | {:.0} |", w.different, t.seconds);
    }
}

/// Returns the ends of samples, in shares of them all; iterations and steps are no ends.
fn stats(stats: &SolverStats) -> String {
    let entries = stats.entries();
    let count = |name: &str| entries.iter().find(|(n, _)| *n == name).map_or(0, |(_, c)| *c);
    let all = (count("queries") + count("skipped")).max(1) as f64;
    let left_out = [
        "queries",
        "search_iterations",
        "vclip_steps",
        "lin_canny_steps",
        "duality_faces_a",
        "duality_faces_b",
        "duality_arcs",
        "cycles",
    ];
    let share = |(name, c): &(&str, u64)| match 100.0 * *c as f64 / all {
        s if s < 0.095 => format!("{name} {s:.3} %"),
        s => format!("{name} {s:.1} %"),
    };
    let ends: Vec<String> = entries.iter().filter(|(n, c)| *c > 0 && !left_out.contains(n)).map(share).collect();
    ends.join(", ")
}

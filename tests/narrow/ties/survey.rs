//! All random cases, asked once for all tests.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use clearsweep_narrow::{Method, Status};

use super::cases::{self, Kind, Regime};
use super::checks::{Aspect, Outcome, outcome};

/// The seed of all cases.
const SEED: u64 = 20;

/// Cases where nothing else is said.
const CASES: usize = 4_000;

/// Outcomes of all cases.
pub struct Survey {
    outcomes: Vec<Outcome>,
}

/// How many random ties are asked.
fn count() -> usize {
    std::env::var("CLEARSWEEP_TIES").map_or(CASES, |n| n.parse().expect("CLEARSWEEP_TIES is a number"))
}

/// The outcomes, computed by the first test that asks.
pub fn survey() -> &'static Survey {
    static SURVEY: OnceLock<Survey> = OnceLock::new();
    SURVEY.get_or_init(|| {
        let survey = Survey { outcomes: all(count()) };
        survey.print();
        survey
    })
}

fn all(count: usize) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push(outcome(&cases::case(SEED, number), number));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut outcomes = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|w| w.join().expect("no check panics")).collect::<Vec<_>>()
    });
    outcomes.sort_by_key(|o| o.number);
    outcomes
}

/// Fails if this is wrong anywhere, with the first few cases in full.
#[track_caller]
pub fn none_wrong(aspect: Aspect) {
    let wrong: Vec<(usize, &String)> = survey().wrong(aspect).collect();
    if wrong.is_empty() {
        return;
    }
    let describe = |&(number, what): &(usize, &String)| {
        format!("seed {SEED}, case {number}: {what}\n{}", cases::case(SEED, number).recipe())
    };
    let first: Vec<String> = wrong.iter().take(3).map(describe).collect();
    panic!("{aspect:?} is wrong in {} of {} ties:\n{}", wrong.len(), survey().outcomes.len(), first.join("\n"));
}

impl Survey {
    fn wrong(&self, aspect: Aspect) -> impl Iterator<Item = (usize, &String)> {
        let wrong = self.outcomes.iter().flat_map(|o| o.wrong.iter().map(move |w| (o.number, w)));
        wrong.filter(move |(_, (a, _))| *a == aspect).map(|(number, (_, what))| (number, what))
    }

    fn share(&self, is: impl Fn(&Outcome) -> bool) -> f64 {
        self.outcomes.iter().filter(|o| is(o)).count() as f64 / self.outcomes.len().max(1) as f64
    }

    /// Every kind, every regime, and both exact ties and nearly exact ones are there in numbers.
    pub fn assert_representative(&self) {
        for kind in [Kind::FaceFace, Kind::FaceEdge, Kind::EdgeFace, Kind::EdgeEdge] {
            let share = self.share(|o| o.kind == kind);
            assert!(share > 0.15, "not representative: {kind:?} {share}");
            for regime in [Regime::Apart, Regime::Touching, Regime::Overlapping] {
                let share = self.share(|o| o.kind == kind && o.regime == regime);
                let none = kind == Kind::EdgeEdge && regime == Regime::Overlapping;
                assert!(none || share > 0.04, "not representative: {kind:?} {regime:?} {share}");
            }
        }
        let exact = self.share(|o| o.exact);
        assert!((0.4..0.85).contains(&exact), "not representative: {exact} are exact");
        for status in [Status::Separated, Status::Touching, Status::Penetrating] {
            let share = self.share(|o| o.row.status == status);
            assert!(share > 0.08, "not representative: {status:?} {share}");
        }
    }

    fn print(&self) {
        let percent = |is: &dyn Fn(&Outcome) -> bool| format!("{:.1} %", 100.0 * self.share(is));
        eprintln!("{} ties, {} exactly parallel", self.outcomes.len(), percent(&|o| o.exact));
        for kind in [Kind::FaceFace, Kind::FaceEdge, Kind::EdgeFace, Kind::EdgeEdge] {
            let part = |regime| percent(&|o| o.kind == kind && o.regime == regime);
            let [apart, touching, deep] = [Regime::Apart, Regime::Touching, Regime::Overlapping].map(part);
            eprintln!("  {kind:?}: apart {apart}, touching {touching}, overlapping {deep}");
        }
        let methods = [Method::Strict, Method::Tie, Method::Exact, Method::None];
        let methods = methods.map(|m| format!("{} {}", Method::NAMES[m as usize], percent(&|o| o.row.method == m)));
        eprintln!("  methods: {}", methods.join(", "));
        for regime in [Regime::Apart, Regime::Touching, Regime::Overlapping] {
            let other = |o: &Outcome| o.regime == regime && o.row.method != Method::Tie;
            eprintln!(
                "  {regime:?}, not by tie: {}, of which exactly parallel {}",
                percent(&other),
                percent(&|o| other(o) && o.exact)
            );
        }
        let wrong = Aspect::ALL.map(|a| format!("{a:?} {}", self.wrong(a).count()));
        eprintln!("  wrong: {}", wrong.join(", "));
        let worst = self.outcomes.iter().max_by(|a, b| a.error.total_cmp(&b.error));
        if let Some(worst) = worst {
            eprintln!("  worst witness: {:.3e} of what is allowed, case {}", worst.error, worst.number);
        }
    }
}

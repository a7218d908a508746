//! Warnings of a check and of a run.

/// Something that is allowed but looks wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Subject of the warning, in a word that does not change: `rule`, `size`, `motionless`,
    /// `jump`, `turn`, `quaternions`, `joint`, `time`, `tipped`, `absent`, `far`, `open`,
    /// `unclear`, `empty`, `unchecked`, `contact`, `threads`, `coarse`, `hidden`, `scene`,
    /// `extension`, `unturned`, `numbered`, `baseline`.
    pub kind: &'static str,
    /// The bodies (indices) it is about; none where it is about the whole.
    pub bodies: Vec<u32>,
    /// The problem that was seen.
    pub problem: String,
    /// The action that the user can take.
    pub remedy: String,
}

impl Warning {
    /// The kind of [`Self::of_empty`].
    pub(crate) const EMPTY: &'static str = "empty";

    pub(crate) fn new(
        kind: &'static str,
        bodies: impl Into<Vec<u32>>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { kind, bodies: bodies.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// More threads asked for than were started.
    pub fn of_threads(asked: Option<usize>, started: usize) -> Option<Self> {
        let asked = asked.filter(|&asked| asked > started)?;
        let problem = format!("{asked} threads were asked for, and {started} did the work");
        Some(Self::new("threads", [], problem, "more than four threads a core only wait for each other: ask for fewer"))
    }

    /// Trajectories without an orientation.
    pub(crate) fn of_unturned() -> Self {
        let remedy = "if they turn, write the columns qw, qx, qy, qz, or name other ones in [columns] of the scene (or `yaw`, or `roll`, \
            `pitch`, `yaw`); if they do not, write `orientation = \"none\"` there";
        Self::new("unturned", [], "the trajectories have no orientation: no moving body turns", remedy)
    }

    /// Values of joints without a column of frames.
    pub(crate) fn of_numbered() -> Self {
        let problem =
            "the values of joints have no column `frame`: rows are numbered from 0 in each run, by their times";
        Self::new(
            "numbered",
            [],
            problem,
            "if they have other numbers, add the column, or name it in [columns] of the scene",
        )
    }

    /// Trajectories without a row: a run of them finds nothing, which says nothing.
    pub(crate) fn of_empty(samples: u64) -> Option<Self> {
        (samples == 0).then(|| {
            Self::new(
                Self::EMPTY,
                [],
                "the trajectories hold no row: a run would look at no frame",
                "check what wrote them, and `trajectories` in [scene]",
            )
        })
    }
}

//! How the searches of a job go about their work: options that no row depends on.

/// The distance sub-algorithm of GJK: how the point of a simplex nearest to the origin is found.
///
/// The names in brackets are those of Montanari, Petrinic, Barbieri 2017, section 5.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SubAlgorithm {
    /// Signed volumes (SV).
    #[default]
    SignedVolumes,
    /// Johnson's cofactors alone (JH): it may find nothing in rounding, which ends the search.
    Johnson,
    /// Johnson's cofactors, and the Backup procedure where they find nothing (JB).
    JohnsonWithBackup,
    /// The Backup procedure alone (BK).
    Backup,
}

impl SubAlgorithm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::SignedVolumes, Self::Johnson, Self::JohnsonWithBackup, Self::Backup];

    /// Its name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SignedVolumes => "signed-volumes",
            Self::Johnson => "johnson",
            Self::JohnsonWithBackup => "johnson-backup",
            Self::Backup => "backup",
        }
    }

    /// Its abbreviation in the paper.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::SignedVolumes => "SV",
            Self::Johnson => "JH",
            Self::JohnsonWithBackup => "JB",
            Self::Backup => "BK",
        }
    }
}

/// Search for the vertices farthest along a direction. It decides the time of a search, and no row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SupportSearch {
    /// A scan of small polyhedra; of larger ones a climb that the table of start vertices helps.
    #[default]
    BySize,
    /// A scan over all vertices.
    Scan,
    /// Hill climbing along edges, from the vertices that the search names (Cameron 1997, "Enhancing
    /// GJK").
    Climb,
}

impl SupportSearch {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::BySize, Self::Scan, Self::Climb];

    /// Its name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BySize => "by-size",
            Self::Scan => "scan",
            Self::Climb => "climb",
        }
    }
}

/// Options of a GJK search. No choice changes a row: the search proposes a simplex, and the
/// certificate decides.
///
/// The default is the fastest. A warm start is the simplex of the last query at the new pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GjkOptions {
    /// The distance sub-algorithm.
    pub sub_algorithm: SubAlgorithm,
    /// The search for vertices of support.
    pub supports: SupportSearch,
    /// Whether a remembered simplex is the start; else every search starts from the support along
    /// the line between the origins.
    pub warm: bool,
    /// The tolerance of the paper's exit tests, a ratio of lengths: equation 10 ends a search where
    /// `|v|^2 - v . w <= tolerance^2 |v|^2`, and equation 9 calls the cores in contact where
    /// `|v| <= tolerance max |y|`. `None`: both end at the bound of rounding.
    pub tolerance: Option<f64>,
}

impl GjkOptions {
    /// Signed volumes, supports by size, from the remembered simplex, to rounding.
    pub const DEFAULT: Self = Self {
        sub_algorithm: SubAlgorithm::SignedVolumes,
        supports: SupportSearch::BySize,
        warm: true,
        tolerance: None,
    };

    /// Names in scene files of the starts, and whether each is warm.
    pub const STARTS: [(&'static str, bool); 2] = [("remembered", true), ("line", false)];

    /// The name of its start in scene files.
    pub fn start_name(&self) -> &'static str {
        let [warm, cold] = Self::STARTS;
        if self.warm { warm.0 } else { cold.0 }
    }

    /// Enhanced GJK (Cameron 1997): supports by climbing from remembered vertices, and Johnson's
    /// cofactors with the Backup procedure.
    pub const ENHANCED: Self =
        Self { sub_algorithm: SubAlgorithm::JohnsonWithBackup, supports: SupportSearch::Climb, ..Self::DEFAULT };
}

impl Default for GjkOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The sizes of boxes that one level of a hierarchical hash table holds (Mirtich 1997, section 2.1):
/// a box is stored at the one level whose cells have the side rho with
/// `alpha <= longest side / rho < beta`.
///
/// Cells are powers of two, so beta and the ratio of both are, too. A beta above 1 would put a box
/// into more than two cells along an axis, which no table here holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellSizes {
    /// beta is `2^-spare`.
    spare: u32,
    /// alpha is `beta / 2^steps`: cells of adjacent levels differ by `2^steps`. From 1 on.
    steps: u32,
}

impl CellSizes {
    /// The least beta is `2^-LEAST`, and the largest ratio of cells `2^LEAST`.
    const LEAST: u32 = 4;

    /// alpha 1/4 and beta 1/2.
    pub const WIDE: Self = Self { spare: 1, steps: 1 };

    /// alpha 1/2 and beta 1.
    pub const CLOSE: Self = Self { spare: 0, steps: 1 };

    /// The sizes of these bounds; `None` unless beta is 1, 1/2, 1/4, 1/8 or 1/16, and alpha a 2nd,
    /// 4th, 8th or 16th of it.
    pub fn new(alpha: f64, beta: f64) -> Option<Self> {
        let power = |value: f64| (0..=Self::LEAST).find(|&power| value == (-f64::from(power)).exp2());
        Some(Self { spare: power(beta)?, steps: power(alpha / beta).filter(|&steps| steps > 0)? })
    }

    /// Mirtich's alpha.
    pub fn alpha(self) -> f64 {
        self.beta() * (-f64::from(self.steps)).exp2()
    }

    /// Mirtich's beta.
    pub fn beta(self) -> f64 {
        (-f64::from(self.spare)).exp2()
    }

    /// The level of boxes whose longest side has this number of binary digits, where cells of level
    /// `l` have the side `2^l`: the lowest multiple of the steps between levels at which the side is
    /// below beta.
    #[inline]
    pub const fn level(self, digits: u32) -> u32 {
        (digits + self.spare).next_multiple_of(self.steps)
    }
}

/// How the searches of a job go about their work.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SearchOptions {
    /// `gjk` of `[query]`: how the method `gjk` searches.
    pub gjk: Option<GjkOptions>,
    /// `hash` of `[query]`: the cells of the methods `hash` and `coherent-hash`.
    pub hash: Option<CellSizes>,
}

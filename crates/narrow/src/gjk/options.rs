//! Options of a GJK search.

use crate::pair::SupportSearch;

/// The distance sub-algorithm: how the point of a simplex nearest to the origin is found.
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

/// Options of a GJK search. No choice changes a row: the search proposes a simplex, and the
/// certificate decides.
///
/// The default is the fastest. [`SupportSearch::SolveState`] is Cameron's enhanced GJK. A warm
/// start is the simplex of the last query at the new pose.
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
    /// `|v|^2 - v . w <= tolerance^2
    /// |v|^2`, and equation 9 calls the cores in contact where `|v| <= tolerance max |y|`. `None`: both end at the bound of rounding.
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
}

impl Default for GjkOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

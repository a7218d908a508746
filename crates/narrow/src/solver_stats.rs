//! Counts of the ways in which queries are answered: statistics for the manifest.

macro_rules! solver_stats {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// How often each way was taken. The counts depend on the order of queries, so they go to
        /// the manifest and never to a table.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct SolverStats {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl SolverStats {
            /// Adds the counts of another worker.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }

            /// Names and counts, in a fixed order.
            pub fn entries(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }
    };
}

impl SolverStats {
    /// Counts queries answered by remembered features, of which `deep` with the remembered
    /// polytope.
    #[inline(always)]
    pub(super) fn count_verified(&mut self, queries: u64, deep: u64) {
        self.queries += queries;
        self.surface_verified += deep;
        self.verified += queries - deep;
    }

    /// Counts queries answered by a search.
    #[inline(always)]
    pub(super) fn count_searched(&mut self, queries: u64) {
        self.queries += queries;
        self.searched += queries;
    }

    /// Counts the end of a search from feature to feature, whether at the features that it started
    /// from or at others.
    #[inline(always)]
    pub(super) fn count_found(&mut self, held: bool) {
        self.verified += u64::from(held);
        self.searched += u64::from(!held);
    }
}

solver_stats! {
    /// Queries computed: samples of pairs of pieces.
    queries,
    /// Samples culled without a query: a gap proven in an earlier sample of the block exceeds the
    /// motion since. (Where it does not, the direction of that gap is tested again, which counts as
    /// a query that ended beyond.)
    skipped,
    /// Samples of bodies at rest: the answer is that of the sample before.
    repeated,
    /// Queries that ended without a distance: a direction showed a gap above `within`.
    beyond,
    /// The remembered feature pair was still strictly optimal.
    verified,
    /// The search from the remembered simplex ended strictly, apart or in contact.
    searched,
    /// The remembered polytope proved the depth.
    surface_verified,
    /// Expanding the remembered polytope ended strictly.
    surface_grown,
    /// Expanding a polytope from the search's simplex, or from supports, ended strictly.
    expanded,
    /// Handed to the cold resolver.
    cold,
    /// Cold queries decided in `f64` as a tie.
    ties,
    /// Cold queries handed to extended precision.
    extended,
    /// Cold queries handed to exact arithmetic.
    exact,
    /// Cold queries left without a proof.
    uncertified,
    /// Pairs of pieces that queries of bodies of several pieces compared.
    piece_pairs,
    /// Pairs of nodes of their trees that they compared.
    node_pairs,
    /// Queries of bodies of which one is a triangle mesh.
    meshes,
    /// Pairs of triangles that they compared.
    triangle_pairs,
    /// Mesh queries of bodies that touch or overlap.
    mesh_depths,
    /// Iterations of GJK.
    search_iterations,
    /// States visited by V-Clip.
    vclip_steps,
    /// Pairs of features visited by Lin-Canny.
    lin_canny_steps,
    /// Faces of A that CD-Dual rated.
    duality_faces_a,
    /// Faces of B that it rated.
    duality_faces_b,
    /// Pairs of arcs that it tested.
    duality_arcs,
    /// Searches from feature to feature that ended in a cycle and were handed to the next rung.
    cycles,
    /// Intervals between frames that were asked about.
    intervals,
    /// Intervals decided by the direction of the row at one of their ends, eight at a time.
    intervals_by_row,
    /// Intervals ruled out by a direction that holds for several intervals of a block.
    intervals_by_block,
    /// Intervals ruled out alone by directions that separate the bodies.
    intervals_beyond,
}

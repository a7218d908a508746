//! How often each route was taken.

macro_rules! routes {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Counts of routes; sums go to the manifest. They depend on the order of queries, so never to a table.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Routes {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Routes {
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

routes! {
    /// Queries asked: samples of pairs of pieces.
    queries,
    /// Not asked: a gap proven in an earlier sample of the block outlasts the motion since. (Where it does not, the direction
    /// that showed it is looked along again, which is counted as a query that ended beyond.)
    skipped,
    /// Ended without a distance: a direction showed a gap above `within`.
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
    /// Of those, decided in `f64` as a tie.
    ties,
    /// Of those, handed to extended precision.
    extended,
    /// Of those, handed to exact arithmetic.
    exact,
    /// Of those, left without a proof.
    uncertified,
    /// Iterations of searches by simplices.
    search_iterations,
    /// States visited by V-Clip.
    vclip_steps,
    /// Searches by V-Clip in which a state came back: handed to the next rung.
    cycles,
}

//! Pairs of nodes in the order of a search: the nearest boxes first.

use clearsweep_geometry::mesh::NodeId;

/// Two nodes whose triangles are to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenPair {
    /// Their boxes are at least this far apart, squared, square metres.
    pub(super) bound2: f64,
    pub(super) nodes: [NodeId; 2],
}

impl PartialEq for OpenPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OpenPair {}

impl PartialOrd for OpenPair {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OpenPair {
    /// Nearer boxes are greater.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.bound2.total_cmp(&self.bound2).then(self.nodes.cmp(&other.nodes))
    }
}

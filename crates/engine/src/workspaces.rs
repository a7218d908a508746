//! Working memory of the narrow phase, lent to tasks: clearing it anew for each would cost more
//! than a query.

use clearsweep_narrow::Workspace;
use std::sync::Mutex;

/// Workspaces that no task uses at present: in the end as many as there are threads.
#[derive(Debug, Default)]
pub(super) struct Workspaces(Mutex<Vec<Box<Workspace>>>);

/// A workspace, given back when it is dropped.
pub(super) struct Borrowed<'a> {
    from: &'a Workspaces,
    workspace: Option<Box<Workspace>>,
}

impl Workspaces {
    /// Lends a workspace.
    pub(super) fn borrow(&self) -> Borrowed<'_> {
        // A task that panicked leaves the list as it was.
        let mut free = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Borrowed { from: self, workspace: Some(free.pop().unwrap_or_default()) }
    }
}

impl<'a> Borrowed<'a> {
    /// Lends another one.
    pub(super) fn another(&self) -> Borrowed<'a> {
        self.from.borrow()
    }

    pub(super) fn get(&mut self) -> &mut Workspace {
        self.workspace.get_or_insert_default()
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut free = self.from.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        free.extend(self.workspace.take());
    }
}

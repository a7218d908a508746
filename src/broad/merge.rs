//! Candidates in their final order.

use crate::scene::Candidate;
use rayon::prelude::*;

/// With no more candidates than this, sorting runs on one thread.
const PARALLEL_SORT_THRESHOLD: usize = 1 << 14;

/// Sorts candidates by (a, b) and joins the masks of equal pairs. `bodies` is the number of bodies of the scene.
pub(super) fn sort_and_merge(mut candidates: Vec<Candidate>, bodies: usize) -> Vec<Candidate> {
    if candidates.len() > bodies / 2 && candidates.len() > 256 {
        candidates = by_first(&candidates, bodies);
    } else {
        candidates.sort_unstable();
    }
    candidates.dedup_by(|next, kept| {
        let same = (next.a, next.b) == (kept.a, kept.b);
        if same {
            kept.samples |= next.samples;
        }
        same
    });
    candidates
}

/// Sorted: counted by the first body, then each body's few by the second.
fn by_first(candidates: &[Candidate], bodies: usize) -> Vec<Candidate> {
    let mut ends = vec![0_usize; bodies + 1];
    for c in candidates {
        ends[c.a as usize + 1] += 1;
    }
    for body in 0..bodies {
        ends[body + 1] += ends[body];
    }
    let mut sorted = vec![Candidate { a: 0, b: 0, samples: 0 }; candidates.len()];
    for c in candidates {
        let at = &mut ends[c.a as usize];
        sorted[*at] = *c;
        *at += 1;
    }
    if candidates.len() > PARALLEL_SORT_THRESHOLD && rayon::current_num_threads() > 1 {
        // Cut where bodies change: such stretches are sorted on their own.
        let mut stretches = Vec::new();
        let mut rest = sorted.as_mut_slice();
        while rest.len() > PARALLEL_SORT_THRESHOLD / 4 {
            let mut at = PARALLEL_SORT_THRESHOLD / 4;
            while at < rest.len() && rest[at - 1].a == rest[at].a {
                at += 1;
            }
            let (head, tail) = rest.split_at_mut(at);
            stretches.push(head);
            rest = tail;
        }
        stretches.push(rest);
        stretches.into_par_iter().for_each(sort_bodies);
    } else {
        sort_bodies(&mut sorted);
    }
    sorted
}

/// Sorts the candidates of each first body by the second.
fn sort_bodies(candidates: &mut [Candidate]) {
    for same in candidates.chunk_by_mut(|x, y| x.a == y.a) {
        same.sort_unstable_by_key(|c| (c.b, c.samples));
    }
}

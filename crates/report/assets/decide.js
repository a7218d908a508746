'use strict';
// Decisions about issues: from them a file of accepted pairs, as `clearsweep accept` writes it.
(() => {
  const form = document.querySelector('.decisions');
  if (!form) return;
  const data = JSON.parse(document.getElementById('decide-data').textContent);
  const chosen = new Map(); // id: { state, reason }
  let isSaved = true;

  const marked = text => (/^[=+\-@\t\r\n']/.test(text) ? `'${text}` : text);
  const quoted = text => (/[,"\n\r]/.test(text) || text.trim() !== text ? `"${text.replaceAll('"', '""')}"` : text);
  const cell = text => quoted(marked(text));
  const why = entry => (typeof entry === 'string' ? entry : null);
  /** Whether a distance is proven of all pairs of an issue: without one they can be known, but not accepted. */
  const isProven = entry => entry.every(pair => pair[3] !== null);

  function told(text) { form.querySelector('output').textContent = text; }
  function count() {
    const states = [...chosen.values()].map(of => of.state), number = state => states.filter(is => is === state).length;
    told(chosen.size ? `${number('accept')} accepted, ${number('known')} known` : 'nothing is decided yet');
    form.querySelector('[data-do="save"]').disabled = !chosen.size;
  }

  function decide(id, state) {
    if (state) chosen.set(id, { ...chosen.get(id), state }); else chosen.delete(id);
    isSaved = false;
    count();
  }

  function controls(id, entry) {
    const place = document.createElement('span'), select = document.createElement('select'), reason = document.createElement('input');
    place.className = 'decide';
    if (why(entry)) {
      place.className += ' quiet';
      place.textContent = `No decision here (${why(entry)}): clearsweep accept --issue ${id}`;
      return place;
    }
    select.setAttribute('aria-label', `Decision about issue ${id}`);
    for (const [value, text] of [['', 'no decision'], ['accept', 'accept'], ['known', 'known, not accepted']]) {
      if (value === 'accept' && !isProven(entry)) continue;
      select.add(new Option(text, value));
    }
    reason.placeholder = 'reason, if its own';
    reason.setAttribute('aria-label', `Reason for the decision about issue ${id}`);
    reason.hidden = true;
    select.addEventListener('change', () => { decide(id, select.value); reason.hidden = !select.value; });
    reason.addEventListener('input', () => { chosen.get(id).reason = reason.value; isSaved = false; });
    place.append(select, reason);
    place.addEventListener('click', event => event.stopPropagation());
    return place;
  }

  const selects = new Map();
  for (const [id, entry] of Object.entries(data.issues)) {
    const issue = document.getElementById(`issue-${id}`);
    const place = issue?.querySelector('.turn, td.marks');
    if (!place) continue;
    const made = controls(id, entry);
    place.append(made);
    selects.set(id, { issue, select: made.querySelector('select') });
  }

  function decideAll(state) {
    for (const { issue, select } of selects.values()) {
      if (issue.hidden || !select || ![...select.options].some(option => option.value === state)) continue;
      select.value = state;
      select.dispatchEvent(new Event('change'));
    }
  }

  /** The file: earlier rows that are not decided anew, then the new ones. */
  function file() {
    const { by, until, reason } = Object.fromEntries(new FormData(form));
    const rows = [], key = (rule, a, b) => [rule, Math.min(a, b), Math.max(a, b)].join();
    const fresh = new Set();
    for (const [id, { state, reason: own }] of chosen) {
      for (const [rule, a, b, lower] of data.issues[id]) {
        fresh.add(key(rule, a, b));
        const accepted = state === 'accept' ? [lower, until] : ['', ''];
        const [distance, day] = accepted; // a depth begins with a minus, which is no formula
        rows.push([data.cells[rule], data.cells[a], data.cells[b], distance, ...[day, by, own || reason].map(cell)].join(','));
      }
    }
    const kept = data.earlier.filter(([rule, a, b]) => !fresh.has(key(rule, a, b)));
    const old = kept.map(([rule, a, b, rest]) => [data.cells[rule], data.cells[a], data.cells[b], rest].join(','));
    return [data.head, ...old, ...rows].join('\n') + '\n';
  }

  function save() {
    const isMissing = [...chosen.values()].some(of => of.state === 'accept' && !(of.reason || form.reason.value).trim());
    if (isMissing) {
      told('An accepted issue needs a reason.');
      form.reason.focus();
      return;
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([file()], { type: 'text/csv' }));
    link.download = 'accepted.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    isSaved = true;
  }

  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('input', () => { isSaved &&= !chosen.size; });
  form.addEventListener('click', event => {
    const act = event.target.closest('button')?.dataset.do;
    if (act === 'save') save();
    if (act === 'accept' || act === 'known') decideAll(act);
    if (act === 'none') decideAll('');
  });
  addEventListener('beforeunload', event => { if (!isSaved && chosen.size) event.preventDefault(); });
  count();
})();

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

  /** Changes the decision about an issue, and the button or the controls that show it. */
  function decide(id, state) {
    if (state) chosen.set(id, { ...chosen.get(id), state }); else chosen.delete(id);
    isSaved = false;
    const place = places.get(id), select = place.querySelector('select');
    if (select) {
      select.value = state;
      select.nextSibling.hidden = !state;
    } else place.querySelector('button').textContent = { accept: 'Accepted', known: 'Known' }[state] ?? 'Decide';
  }

  /** What may be chosen about an issue. */
  const choices = entry => (why(entry) ? [] : ['', 'known', ...(isProven(entry) ? ['accept'] : [])]);
  const WORDS = { '': 'no decision', accept: 'accept', known: 'known, not accepted' };

  /** Puts the controls in place of the button of an issue: most issues never need them. */
  function open(id, place) {
    const select = document.createElement('select'), reason = document.createElement('input');
    select.setAttribute('aria-label', `Decision about issue ${id}`);
    for (const value of choices(data.issues[id])) select.add(new Option(WORDS[value], value));
    reason.placeholder = 'reason, if its own';
    reason.setAttribute('aria-label', `Reason for the decision about issue ${id}`);
    select.value = chosen.get(id)?.state ?? '';
    reason.hidden = !select.value;
    select.addEventListener('change', () => { decide(id, select.value); count(); });
    reason.addEventListener('input', () => { chosen.get(id).reason = reason.value; isSaved = false; });
    place.replaceChildren(select, reason);
    select.focus();
  }

  const places = new Map();
  for (const [id, entry] of Object.entries(data.issues)) {
    const place = document.createElement('span'), button = document.createElement('button');
    place.className = 'decide';
    if (why(entry)) {
      place.className += ' quiet';
      place.textContent = `No decision here (${why(entry)}): clearsweep accept --issue ${id}`;
    } else {
      button.type = 'button';
      button.textContent = 'Decide';
      button.addEventListener('click', () => open(id, place));
      place.append(button);
      places.set(id, place);
    }
    place.addEventListener('click', event => event.stopPropagation());
    document.getElementById(`issue-${id}`)?.querySelector('.turn, td.marks')?.append(place);
  }

  function decideAll(state) {
    for (const id of places.keys()) {
      if (!document.getElementById(`issue-${id}`).hidden && choices(data.issues[id]).includes(state)) decide(id, state);
    }
    count();
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

'use strict';
// The list of issues: filters, order, deep links; and for the open issue the view, its timeline and its charts.
(() => {
  const find = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const calm = matchMedia('(prefers-reduced-motion: reduce)');

  const word = (selector, element) => find(selector, element)?.textContent ?? '';
  const issues = all('.issue').map((element, order) => ({
    element, order, ...element.dataset,
    rule: word('.rule', element), state: word('.state', element), severity: word('.severity', element),
    text: all('.marks, h3, td, .bracket, .where, .note, .id', element).map(e => e.textContent).join(' ').toLowerCase(),
  }));
  const controls = find('.controls');

  // Filters and order
  const SEVERITIES = ['critical', 'major', 'minor', 'info'];
  const number = text => (text === '' || text === undefined ? Infinity : Number(text));
  const rank = issue => (SEVERITIES.indexOf(issue.severity) + SEVERITIES.length) % SEVERITIES.length;
  const ORDERS = {
    order: () => 0,
    severity: (a, b) => rank(a) - rank(b),
    distance: (a, b) => number(a.distance) - number(b.distance) || 0,
    time: (a, b) => number(a.time) - number(b.time) || 0,
  };

  function filter() {
    const asked = Object.fromEntries(new FormData(controls));
    const words = asked.search.toLowerCase().split(/\s+/).filter(Boolean);
    const group = asked.group.toLowerCase();
    let count = 0;
    for (const issue of issues) {
      const fits = ['rule', 'state', 'severity'].every(key => !asked[key] || asked[key] === issue[key])
        && (!asked.between || (issue.between ?? '').split(' ').includes(asked.between))
        && (!asked.level || (issue.level ?? '').split(', ').includes(asked.level))
        && (!group || issue.group.toLowerCase().includes(group)) && words.every(word => issue.text.includes(word));
      issue.element.hidden = !fits;
      Overview?.show(issue.element.id, fits);
      count += fits;
    }
    find('.count').textContent = count === issues.length ? `${count} shown` : `${count} of ${issues.length} shown`;
    find('.none-left').hidden = count > 0;
  }

  function sort() {
    const sorted = [...issues].sort((a, b) => ORDERS[controls.sort.value](a, b) || a.order - b.order);
    const places = new Set(issues.map(issue => issue.element.parentElement));
    for (const place of places) place.append(...sorted.map(issue => issue.element).filter(e => e.parentElement === place));
  }

  // The view and its timeline
  let stage = null, panel = null, view = null, playing = 0;
  const slider = () => find('.timeline input', panel);
  const date = time => new Date(Math.round(time * 1000)).toISOString().replace('T', ' ').replace(/\.?0*Z$/, ' UTC');
  const clock = time => (Viewer.hasDates && Math.abs(time) < 8e12 ? date(time) : `${+time.toFixed(3)} s`);

  /** Values of the joints of a sweep, or the frame and its time. */
  function moment(frame, time) {
    const joints = view.joints.map(([name, zero, step, unit]) => `${name} at ${+(zero + step * frame).toFixed(4)} ${unit}`);
    if (joints.length) return `${joints.join(', ')} (frame ${+frame.toFixed(2)})`;
    return `frame ${+frame.toFixed(2)}${time === null ? '' : `, ${clock(time)}`}`;
  }

  function seek(place) {
    const last = view.track.length - 1;
    place = place === null ? null : Math.min(Math.max(place, 0), last);
    if (place !== null && Math.abs(place - Math.round(place)) < 1e-4) place = Math.round(place);
    if (place === view.least) place = null;
    const shownAt = place ?? view.least ?? 0;
    Viewer.seek(place);
    slider().value = shownAt;
    const from = view.track[Math.floor(shownAt)], to = view.track[Math.ceil(shownAt)];
    if (!from) return;
    const u = shownAt - Math.floor(shownAt);
    const time = from.time === null ? null : from.time + u * (to.time - from.time);
    const frame = from.frame + u * (to.frame - from.frame);
    const text = place === null ? leastText(from)
      : moment(frame, time) + (u === 0 ? '' : ', between frames: poses interpolated for display only');
    find('.moment', panel).textContent = text;
    slider().setAttribute('aria-valuetext', text);
    for (const chart of all('.charts:not([hidden]) .curve', stage.closest('.issue'))) moveCursor(chart, frame, time);
  }

  function leastText(sample) {
    if (view.least === null) return 'Least distance';
    const after = view.between ? ' and the next frame' : '';
    return `Least distance: ${after ? 'between ' : ''}${moment(sample.frame, sample.time)}${after}`;
  }

  const scaleOf = ({ dataset }) => ['from', 'to', 'left', 'right'].map(key => Number(dataset[key]));
  /** The place of a time or frame on the axis of a chart. */
  const valueOf = ({ dataset }, at) => Number(dataset.zero ?? 0) + Number(dataset.step ?? 1) * at;
  function moveCursor(chart, frame, time) {
    const at = chart.dataset.axis === 's' ? time : frame, [from, to, left, right] = scaleOf(chart);
    if (at === null) return;
    const value = valueOf(chart, at);
    const x = Math.min(Math.max(left + (value - from) / (to - from) * (right - left), left), right);
    for (const end of ['x1', 'x2']) find('.cursor', chart).setAttribute(end, x.toFixed(1));
  }

  /** The place of the track nearest to where a chart was clicked. */
  function placeAt(chart, event) {
    const box = chart.getBoundingClientRect(), [from, to, left, right] = scaleOf(chart);
    const value = from + ((event.clientX - box.left) / box.width * 640 - left) / (right - left) * (to - from);
    const key = chart.dataset.axis === 's' ? 'time' : 'frame';
    const next = view.track.findIndex(sample => valueOf(chart, sample[key]) >= value);
    if (next < 0) return view.track.length - 1;
    const [a, b] = [view.track[Math.max(next - 1, 0)], view.track[next]].map(sample => valueOf(chart, sample[key]));
    return next === 0 ? 0 : next - 1 + (value - a) / (b - a || 1);
  }

  function stop() {
    cancelAnimationFrame(playing);
    playing = 0;
    const button = find('[data-do="play"]', panel);
    button.textContent = '\u25b6\ufe0e';
    button.setAttribute('aria-label', 'Play');
  }

  function play() {
    if (playing) return stop();
    const last = view.track.length - 1, pace = last / Math.min(Math.max(last / 12, 3), 12); // samples a second
    const start = Number(slider().value) >= last ? 0 : Number(slider().value);
    const button = find('[data-do="play"]', panel);
    button.textContent = '\u275a\u275a';
    button.setAttribute('aria-label', 'Pause');
    let begin = null;
    const step = now => {
      begin ??= now;
      const place = start + (now - begin) / 1000 * (calm.matches ? Math.min(pace, 2) : pace);
      seek(calm.matches ? Math.floor(place) : place);
      if (place >= last) stop(); else playing = requestAnimationFrame(step);
    };
    playing = requestAnimationFrame(step);
  }

  function makePanel() {
    if (panel) return;
    panel = Viewer.make();
    if (!panel) return;
    panel.addEventListener('click', event => {
      const act = event.target.closest('button')?.dataset.do;
      if (act === 'reset') Viewer.reset();
      if (act === 'play') play();
      if (act === 'least') { stop(); seek(null); }
    });
    panel.addEventListener('change', event => {
      if (event.target.type === 'checkbox') Viewer.set(event.target.name, event.target.checked);
    });
    slider().addEventListener('input', () => { stop(); seek(Number(slider().value)); });
    slider().addEventListener('keydown', event => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (!by) return;
      event.preventDefault();
      stop();
      const place = Number(slider().value);
      seek((by > 0 ? Math.floor(place + 1e-6) : Math.ceil(place - 1e-6)) + by);
    });
  }

  function leave() {
    if (!stage) return;
    stop();
    stage.classList.remove('live');
    stage.closest('.issue').classList.remove('live');
    panel.remove();
    stage = view = null;
  }

  /** Shows a finding of an open issue: its view in place of the picture, and its charts. */
  async function show(card, finding = '0') {
    const row = find(`.pairs tr[data-finding="${finding}"]`, card);
    const charts = all('.charts', card);
    for (const chart of charts) chart.hidden = chart.dataset.finding !== finding;
    find('.no-chart', card).hidden = !charts.length || charts.some(chart => !chart.hidden);
    for (const other of all('.pairs tr', card)) other.classList.toggle('current', other === row);
    const shown = row ? row.dataset.view : card.dataset.view;
    if (shown === undefined) return;
    makePanel();
    if (!panel) { find('.no-3d').hidden = false; return; }
    const target = find('.stage', card);
    if (stage !== target) leave();
    stage = target;
    try {
      const next = await Viewer.show(Number(shown));
      if (stage !== target) return;
      view = next;
    } catch (error) {
      stage = null;
      find('.no-3d').hidden = false;
      return;
    }
    stop();
    target.prepend(panel);
    target.classList.add('live');
    card.classList.add('live');
    describe(card);
    seek(null);
  }

  /** A name, with the GUID of IFC at its end as small print. */
  function writeName(element, name) {
    const [, text, guid] = /^(.+)\/([0-3][\w$]{21})$/.exec(name) ?? [name, name];
    element.textContent = text;
    if (!guid) return;
    const small = document.createElement('small');
    small.className = 'guid';
    small.textContent = guid;
    element.after(' ', small);
  }

  /** Names, switches and the timeline that fit the view. */
  function describe(card) {
    const { parts, track, overlap, normal, witness } = view, caption = find('.stage figcaption', card);
    const names = all('bdi', caption), ghosts = parts.slice(2);
    if (caption) for (const small of all('.guid', caption)) small.remove();
    [0, 1].forEach(i => { if (names[i] && parts[i]) writeName(names[i], parts[i].name); });
    find('.ghosts', caption)?.remove();
    if (ghosts.length && caption) {
      const list = document.createElement('span');
      list.className = 'key ghosts quiet';
      list.title = ghosts.map(part => part.name).join('\n').slice(0, 2000);
      list.innerHTML = '<span class="swatch ghost"></span>';
      list.append(`${ghosts.length} neighbour${ghosts.length > 1 ? 's' : ''}`);
      caption.append(list);
    }
    find('[name="ghosts"]', panel).closest('label').hidden = !ghosts.length;
    find('.for-plane', panel).hidden = !overlap && !(normal && witness);
    find('.for-plane span', panel).textContent = overlap ? 'overlap' : 'separating plane';
    find('.timeline', panel).hidden = find('.moment', panel).hidden = track.length < 2;
    slider().max = Math.max(track.length - 1, 0);
  }

  // Issues: open, close, go to
  function open(card, isOpen = true) {
    card.classList.toggle('open', isOpen);
    find('h3 a', card).setAttribute('aria-expanded', isOpen);
    if (!isOpen) {
      if (stage && card.contains(stage)) leave();
      return;
    }
    for (const row of all('.pairs tr[data-finding]', card)) {
      if (find('button', row) || !(row.dataset.view || find(`.charts[data-finding="${row.dataset.finding}"]`, card))) continue;
      const cell = row.cells[0], button = document.createElement('button');
      button.type = 'button';
      button.textContent = cell.textContent;
      button.setAttribute('aria-label', `Show pair ${cell.textContent}`);
      cell.replaceChildren(button);
    }
    show(card);
  }

  function remember(card) {
    try { history.replaceState(null, '', `#${card.id}`); } catch { /* some browsers refuse that of files */ }
  }

  function goTo(element) {
    if (element.hidden) { controls.reset(); filter(); }
    for (const row of all('tr.target')) row.classList.remove('target');
    if (element.matches('article')) open(element); else element.classList.add('target');
    remember(element);
    element.scrollIntoView({ block: 'start' });
    find('h3 a', element)?.focus({ preventScroll: true });
  }

  function followLink() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* as it stands */ }
    const element = document.getElementById(id);
    if (element && id.startsWith('issue-')) goTo(element);
    if (element && id.startsWith('proof-')) {
      element.closest('details').open = true;
      element.scrollIntoView({ block: 'center' });
    }
  }

  function turn(card, by) {
    const cards = all('article.issue:not([hidden])'), next = cards[cards.indexOf(card) + by];
    if (!next) return;
    open(card, false);
    goTo(next);
  }

  async function copy(text, told) {
    try {
      await navigator.clipboard.writeText(text);
      told.textContent = 'copied';
    } catch {
      told.textContent = text;
      getSelection().selectAllChildren(told);
    }
  }

  const linkTo = card => `${location.href.split('#')[0]}#${card.id}`;

  function clicked(event, card) {
    const button = event.target.closest('button'), act = button?.dataset.do;
    const row = event.target.closest('.pairs tr[data-finding]');
    const curve = event.target.closest('.curve');
    if (act === 'previous') turn(card, -1);
    else if (act === 'next') turn(card, 1);
    else if (act === 'copy') copy(linkTo(card), find('.told', card));
    else if (act === 'copy-command') copy(find('.command', card).textContent, find('.told', card));
    else if (button?.matches('.worst') || event.target.closest('.histogram')) {
      const finding = event.target.closest('.charts').dataset.finding;
      show(card, finding).then(() => find('.stage', card).scrollIntoView({ block: 'nearest' }));
    } else if (curve && stage && card.contains(stage) && view?.track.length > 1) { stop(); seek(placeAt(curve, event)); }
    else if (row && find('button', row)) show(card, row.dataset.finding);
    else if (event.target.closest('.stage img')) { if (card.classList.contains('open')) show(card); else { open(card); remember(card); } }
    else if (event.target.closest('header') || !card.classList.contains('open')) {
      if (event.target.closest('a') && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
      if (getSelection().type === 'Range' && !event.target.closest('a')) return; // somebody selects a name
      event.preventDefault();
      const isOpen = card.classList.contains('open');
      open(card, !isOpen);
      if (!isOpen) remember(card);
    }
  }

  if (controls) {
    controls.addEventListener('submit', event => event.preventDefault());
    controls.addEventListener('input', event => (event.target.name === 'sort' ? sort() : filter()));
    controls.addEventListener('reset', () => setTimeout(() => { filter(); sort(); }));
    for (const card of all('article.issue')) {
      card.addEventListener('click', event => clicked(event, card));
      find('h3 a', card).setAttribute('aria-expanded', 'false');
    }
    for (const link of all('.matrix [data-between]')) {
      link.addEventListener('click', () => { controls.between.value = link.dataset.between; filter(); });
    }
    filter();
    addEventListener('hashchange', followLink);
    followLink();
  }
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    for (const element of closed) element.open = true;
  });
  addEventListener('afterprint', () => closed.forEach(element => { element.open = false; }));
})();

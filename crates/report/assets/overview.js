'use strict';
// The overview: once somebody turns it, a canvas takes the place of the drawing, with the same boxes and marks.
const Overview = (() => {
  const map = document.querySelector('.map');
  if (!map) return null;
  const { view, size, margin, large, boxes, marks } = JSON.parse(document.getElementById('overview-data').textContent);
  const svg = map.querySelector('svg'), canvas = map.querySelector('canvas'), pen = canvas.getContext('2d');
  const spots = [...svg.querySelectorAll('circle')], drawn = svg.querySelector('.boxes');
  const START = { turn: view[0], tilt: view[1], zoom: 1, x: 0, y: 0 };
  let state = { ...START }, waiting = 0, fit = null;

  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const axesOf = q => {
    if (!q.length) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const n = Math.hypot(...q), [w, x, y, z] = q.map(c => c / n);
    return [
      [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
      [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ];
  };
  const items = boxes.map(n => ({
    middle: n.slice(0, 3), half: n.slice(3, 6), hit: n[6], axes: axesOf(n.slice(7)), large: Math.max(...n.slice(3, 6)) > large,
  }));

  /** Right, up and into the drawing, in the world. */
  function camera() {
    const [s, c, st, ct] = [Math.sin(state.turn), Math.cos(state.turn), Math.sin(state.tilt), Math.cos(state.tilt)];
    return [[c, -s, 0], [st * s, st * c, ct], [ct * s, ct * c, -st]];
  }

  function project([right, up, into]) {
    for (const item of items) {
      item.depth = dot(item.middle, into);
      item.at = [dot(item.middle, right), dot(item.middle, up)];
      item.ways = item.axes.map((axis, k) => {
        const side = dot(axis, into) > 0 ? -item.half[k] : item.half[k];
        return [side * dot(axis, right), side * dot(axis, up)];
      });
    }
    items.sort((a, b) => b.large - a.large || b.depth - a.depth);
  }

  /** The scale at which the first view fills the drawing, and its middle there. */
  function fitted(spread) {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    const take = (p, reach) => [0, 1].forEach(k => { low[k] = Math.min(low[k], p[k] - reach[k]); high[k] = Math.max(high[k], p[k] + reach[k]); });
    for (const item of items) if (!item.large) take(item.at, [0, 1].map(k => item.ways.reduce((sum, way) => sum + Math.abs(way[k]), 0)));
    spread.forEach(p => take(p, [0, 0]));
    const scale = Math.min(...[0, 1].map(k => (size[k] - 2 * margin) / Math.max(high[k] - low[k], 1e-9)));
    return { scale, middle: [0, 1].map(k => (low[k] + high[k]) / 2) };
  }

  const CORNERS = [[1, 1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1], [-1, 1, 1], [-1, 1, -1]];
  function draw() {
    waiting = 0;
    const frame = camera(), ratio = canvas.width / size[0], styles = getComputedStyle(map);
    const colour = name => styles.getPropertyValue(name).trim();
    const [plain, hit, line] = ['--box', '--box-hit', '--box-line'].map(colour);
    project(frame);
    const spread = marks.map(p => [dot(p, frame[0]), dot(p, frame[1])]);
    const scale = fit.scale * state.zoom;
    const at = p => [size[0] / 2 + scale * (p[0] - fit.middle[0]) + state.x, size[1] / 2 - scale * (p[1] - fit.middle[1]) + state.y];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, ...size);
    pen.strokeStyle = line;
    pen.lineJoin = 'round';
    pen.lineWidth = 0.6;
    for (const { at: place, ways, large: isLarge, hit: isHit } of items) {
      const [x, y] = at(place);
      const corner = signs => [x, y].map((c, k) => c + (k ? -1 : 1) * scale * signs.reduce((sum, sign, way) => sum + sign * ways[way][k], 0));
      const outline = CORNERS.map(corner), xs = outline.map(p => p[0]);
      if (Math.min(...xs) > size[0] || Math.max(...xs) < 0) continue;
      pen.beginPath();
      outline.forEach((p, i) => (i ? pen.lineTo(...p) : pen.moveTo(...p)));
      pen.closePath();
      if (!isLarge) { pen.fillStyle = isHit ? hit : plain; pen.fill(); }
      if (Math.max(...xs) - Math.min(...xs) > 4) for (const i of [0, 2, 4]) { pen.moveTo(...corner([1, 1, 1])); pen.lineTo(...outline[i]); }
      pen.stroke();
    }
    spots.forEach((spot, i) => {
      const [x, y] = at(spread[i]);
      spot.setAttribute('cx', (10 * x).toFixed(0));
      spot.setAttribute('cy', (10 * y).toFixed(0));
    });
  }

  function redraw() {
    if (canvas.hidden) { // the first time
      canvas.hidden = false;
      drawn.style.display = 'none';
      const frame = camera();
      project(frame);
      fit = fitted(marks.map(p => [dot(p, frame[0]), dot(p, frame[1])]));
      const ratio = Math.min(devicePixelRatio || 1, 2);
      [canvas.width, canvas.height] = size.map(side => side * ratio);
      map.classList.add('turned');
    }
    waiting ||= requestAnimationFrame(draw);
  }

  function turn(dx, dy) {
    if (canvas.hidden) redraw();
    state.turn += dx;
    state.tilt = Math.min(Math.max(state.tilt + dy, -1.57), 1.57);
    redraw();
  }
  function zoom(factor) {
    if (canvas.hidden) redraw();
    const to = Math.min(Math.max(state.zoom * factor, 0.3), 60), by = to / state.zoom;
    Object.assign(state, { zoom: to, x: state.x * by, y: state.y * by });
    redraw();
  }
  function move(dx, dy) {
    if (canvas.hidden) redraw();
    state.x += dx;
    state.y += dy;
    redraw();
  }
  const reset = () => { state = { ...START }; redraw(); };

  addEventListener('beforeprint', () => { // paper shows the drawing
    if (canvas.hidden) return;
    state = { ...START };
    draw();
  });

  map.tabIndex = 0;
  map.setAttribute('role', 'application');
  map.setAttribute('aria-label', 'Overview. Arrow keys turn it, with Shift move it, plus and minus zoom, 0 resets. The list below names all issues.');
  let last = null, moved = 0;
  map.addEventListener('pointerdown', event => { last = [event.clientX, event.clientY]; moved = 0; });
  map.addEventListener('pointermove', event => {
    if (!last || !event.buttons) return;
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]], pixel = size[0] / map.clientWidth;
    moved += Math.hypot(dx, dy);
    if (moved < 4) return;
    if (!map.hasPointerCapture(event.pointerId)) map.setPointerCapture(event.pointerId);
    last = [event.clientX, event.clientY];
    if (event.shiftKey || event.buttons > 1) move(dx * pixel, dy * pixel); else turn(-dx * 0.008, dy * 0.008);
  });
  for (const end of ['pointerup', 'pointercancel']) map.addEventListener(end, () => { last = null; });
  map.addEventListener('click', event => { // a drag is no click on a mark
    if (moved >= 4) event.preventDefault();
    moved = 0;
  }, true);
  map.addEventListener('contextmenu', event => event.preventDefault());
  map.addEventListener('dragstart', event => event.preventDefault());
  map.addEventListener('wheel', event => {
    if (document.activeElement !== map && !event.ctrlKey) return; // the page scrolls on
    event.preventDefault();
    zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) * (event.deltaMode ? 0.05 : 0.003)));
  }, { passive: false });
  map.addEventListener('keydown', event => {
    const by = event.shiftKey ? (x, y) => move(200 * x, 200 * y) : turn;
    const act = {
      ArrowLeft: () => by(-0.1, 0), ArrowRight: () => by(0.1, 0), ArrowUp: () => by(0, -0.1), ArrowDown: () => by(0, 0.1),
      '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8), 0: reset,
    }[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); act(); }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (!canvas.hidden) redraw(); });
  const links = new Map(spots.map(spot => [spot.parentElement.getAttribute('href').slice(1), spot.parentElement]));
  return {
    /** Shows or hides the mark of an issue. */
    show(id, on) { const link = links.get(id); if (link) link.style.display = on ? '' : 'none'; },
  };
})();

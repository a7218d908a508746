'use strict';
// The 3D view: reads the data of the page and draws two bodies, their neighbours, and what is proven between them.
// There is one view on the page; it moves to the issue that is looked at.
const Viewer = (() => {
  const data = JSON.parse(document.getElementById('report-data').textContent);
  const HALF_VIEW = 0.2679491924311227; // tangent of half the vertical field of view
  const STEPS = { reach: 32768, rotation: 1048576, direction: 1e5, second: 1e6 };
  const COLOURS = { a: [0.184, 0.435, 0.816], b: [0.878, 0.482, 0.102], ghost: [0.5, 0.54, 0.58], plane: [0.42, 0.2, 0.65] };
  const CSS = { a: '#2f6fd0', b: '#e07b1a', overlap: '#d3271d', plane: '#7a4bb5' };

  // Vectors and quaternions (w, x, y, z)
  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const length = a => Math.hypot(...a);
  const unit = a => times(a, 1 / (length(a) || 1));
  const turned = (v, axis, angle) => {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return add(add(times(v, c), cross(axis, v), s), axis, dot(axis, v) * (1 - c));
  };
  const normalised = q => { const n = Math.hypot(...q); return n > 0 ? q.map(x => x / n) : [1, 0, 0, 0]; };
  const columns = ([w, x, y, z]) => [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
  const slerp = (a, b, u) => {
    let c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    if (c < 0) [b, c] = [b.map(x => -x), -c];
    const angle = Math.acos(Math.min(c, 1)), s = Math.sin(angle);
    const [f, g] = s < 1e-6 ? [1 - u, u] : [Math.sin((1 - u) * angle) / s, Math.sin(u * angle) / s];
    return normalised(a.map((x, i) => f * x + g * b[i]));
  };

  // The stream of crates/report/src/html/payload.rs
  class Stream {
    constructor(bytes) { this.bytes = bytes; this.view = new DataView(bytes.buffer); this.at = 0; }
    unsigned() {
      let value = 0, factor = 1, byte;
      do { byte = this.bytes[this.at++]; value += (byte & 127) * factor; factor *= 128; } while (byte > 127);
      return value;
    }
    signed() { const n = this.unsigned(); return n % 2 ? -(n + 1) / 2 : n / 2; }
    number() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
    differences(last) { for (let i = 0; i < last.length; i++) last[i] += this.signed(); return last; }
  }

  function readMesh(stream) {
    const corners = stream.unsigned(), triangles = stream.unsigned();
    const low = [stream.number(), stream.number(), stream.number()], step = stream.number();
    const positions = new Float32Array(3 * corners), indices = new Uint32Array(3 * triangles);
    let size = 0;
    for (let i = 0, last = [0, 0, 0]; i < corners; i++) {
      positions.set(stream.differences(last), 3 * i);
      size = Math.max(size, ...last);
    }
    for (let i = 0, last = [0]; i < indices.length; i++) indices[i] = stream.differences(last)[0];
    return { low, step, positions, indices, size: size * step };
  }

  const placement = (n, reach) => ({ position: times(n, reach / STEPS.reach), q: normalised(n.slice(3)) });

  function readView(stream, view) {
    const lengths = n => n && [0, 3].filter(i => i < n.length).map(i => times(n.slice(i, i + 3), view.r / STEPS.reach));
    const directions = (n, i) => unit(n.slice(i, i + 3));
    const parts = view.p.map(([name, mesh, moves]) => ({
      name: data.names[name], mesh, moves, placement: placement(stream.differences(Array(7).fill(0)), view.r),
    }));
    const timed = stream.unsigned(), moment = [0, 0], last = parts.filter(part => part.moves).map(() => Array(7).fill(0));
    const track = Array.from({ length: view.s }, () => {
      const [frame, time] = stream.differences(moment);
      const places = last.map(steps => (stream.unsigned() ? placement(stream.differences(steps), view.r) : null));
      return { frame, time: timed ? time / STEPS.second : null, places };
    });
    const camera = { eye: lengths(view.c.slice(0, 3))[0], forward: directions(view.c, 3), up: directions(view.c, 6) };
    return {
      reach: view.r, parts, track, least: view.l, between: view.b, camera, joints: view.j,
      witness: lengths(view.w), overlap: lengths(view.x), normal: view.n && directions(view.n, 0),
    };
  }

  let reading = null;
  function read() {
    reading ??= (async () => {
      const text = atob(document.getElementById('report-geometry').textContent.trim());
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
      const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
      const stream = new Stream(new Uint8Array(await new Response(inflated).arrayBuffer()));
      const meshes = Array.from({ length: data.meshes }, () => readMesh(stream));
      return { meshes, views: data.views.map(view => readView(stream, view)) };
    })();
    return reading;
  }

  // WebGL: one program draws bodies and the plane, shaded flat by the derivatives of the position on the screen.
  const VERTEX = `#version 300 es
    in vec3 corner; uniform mat4 place; uniform vec4 lens; out vec3 seen;
    void main() {
      seen = (place * vec4(corner, 1.0)).xyz;
      gl_Position = vec4(seen.xy * lens.xy, lens.z * seen.z + lens.w, -seen.z);
    }`;
  const FRAGMENT = `#version 300 es
    precision highp float; in vec3 seen; uniform vec4 colour; uniform float ghost; out vec4 drawn;
    void main() {
      vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
      float facing = abs(dot(n, normalize(seen)));
      float light = 0.42 + 0.38 * max(dot(n, normalize(vec3(-0.4, 0.7, 0.6))), 0.0) + 0.28 * facing;
      drawn = vec4(colour.rgb * mix(light, 1.0, ghost), colour.a * mix(1.0, 1.6 - 1.2 * facing, ghost));
    }`;
  let gl = null, uniforms = null, uploaded = new Map();

  function program() {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.bindAttribLocation(made, 0, 'corner');
    gl.linkProgram(made);
    gl.useProgram(made);
    uniforms = Object.fromEntries(['place', 'lens', 'colour', 'ghost'].map(name => [name, gl.getUniformLocation(made, name)]));
    uploaded = new Map();
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  function upload(key, positions, indices) {
    if (!uploaded.has(key)) {
      const vertices = gl.createVertexArray();
      gl.bindVertexArray(vertices);
      for (const [target, values] of [[gl.ARRAY_BUFFER, positions], [gl.ELEMENT_ARRAY_BUFFER, indices]]) {
        gl.bindBuffer(target, gl.createBuffer());
        gl.bufferData(target, values, gl.STATIC_DRAW);
      }
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      uploaded.set(key, { vertices, count: indices.length });
    }
    const { vertices, count } = uploaded.get(key);
    gl.bindVertexArray(vertices);
    return count;
  }

  // State of the view
  let panel = null, solid, over, pen, view = null, meshes = null, camera = null, at = null, size = [1, 1], drawing = 0;
  const shown = { ghosts: true, plane: true, through: false };

  const firstCamera = () => {
    const { eye, forward, up } = view.camera;
    const distance = Math.max(-dot(eye, forward), 0.05 * view.reach);
    return { target: add(eye, forward, distance), distance, forward, up };
  };
  const eyeOf = () => add(camera.target, camera.forward, -camera.distance);
  const rightOf = () => unit(cross(camera.forward, camera.up));

  /** Placements of all parts: at the least distance, or at a place of the track; null where a body is absent. */
  function placements() {
    if (at === null) return view.parts.map(part => part.placement);
    const i = Math.min(Math.floor(at), view.track.length - 1), u = at - i;
    const [from, to] = [view.track[i], view.track[Math.min(i + 1, view.track.length - 1)]];
    let moving = 0;
    return view.parts.map(part => {
      if (!part.moves) return part.placement;
      const [a, b] = [from.places[moving], to.places[moving++]];
      if (u === 0 || !a || !b) return u < 0.5 ? a : b;
      return { position: add(times(a.position, 1 - u), b.position, u), q: slerp(a.q, b.q, u) };
    });
  }

  /** The matrix of a body in front of the camera, in doubles: what is subtracted may be far larger than the view. */
  function setPlace(origin, axes, scale) {
    const basis = [rightOf(), camera.up, times(camera.forward, -1)];
    const from = add(origin, eyeOf(), -1);
    const rows = basis.map(row => [...axes.map(axis => dot(row, axis) * scale), dot(row, from)]);
    gl.uniformMatrix4fv(uniforms.place, false, [0, 1, 2, 3].flatMap(c => [rows[0][c], rows[1][c], rows[2][c], c === 3 ? 1 : 0]));
  }

  function drawPart(index, place) {
    const mesh = meshes[view.parts[index].mesh];
    if (!place || !mesh) return;
    const axes = columns(place.q);
    const origin = mesh.low.reduce((sum, x, i) => add(sum, axes[i], x), place.position);
    const count = upload(view.parts[index].mesh, mesh.positions, mesh.indices);
    setPlace(origin, axes, mesh.step);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
  }

  /** The square that separates the bodies: its middle and axes, half a side long; null if they overlap. */
  function plane() {
    if (!shown.plane || at !== null || !view.witness || !view.normal || view.overlap) return null;
    const first = unit(cross(view.normal, Math.abs(view.normal[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const axes = [first, cross(view.normal, first)].map(axis => times(axis, 0.3 * view.reach));
    return { middle: times(add(view.witness[0], view.witness[1]), 0.5), axes };
  }

  function drawPlane() {
    const square = plane();
    if (!square) return;
    const count = upload('plane', new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), new Uint32Array([0, 1, 2, 0, 2, 3]));
    gl.uniform4f(uniforms.colour, ...COLOURS.plane, 0.26);
    setPlace(square.middle, [...square.axes, view.normal], 1);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
  }

  function draw() {
    drawing = 0;
    if (!view || !gl || gl.isContextLost()) return;
    const places = placements(), [width, height] = size, aspect = width / height;
    const zoom = 1 / (HALF_VIEW * Math.max(1, 1.333 / aspect));
    const far = Math.max(...view.parts.map((part, i) => places[i] ? length(add(places[i].position, eyeOf(), -1)) + 4 * (meshes[part.mesh]?.size ?? 0) : 0), camera.distance * 2) + view.reach;
    const near = Math.max(0.02 * camera.distance, far * 1e-6);
    const paper = getComputedStyle(panel).getPropertyValue('--stage').trim();
    const [r, g, b] = (paper.match(/[\da-f]{2}/gi) ?? ['f4', 'f6', 'f8']).map(x => parseInt(x, 16) / 255);
    gl.viewport(0, 0, solid.width, solid.height);
    gl.depthMask(true);
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniform4f(uniforms.lens, zoom / aspect, zoom, (far + near) / (near - far), (2 * far * near) / (near - far));
    gl.uniform1f(uniforms.ghost, shown.through ? 0.35 : 0);
    gl[shown.through ? 'enable' : 'disable'](gl.BLEND);
    gl.depthMask(!shown.through);
    for (const [i, colour] of [[0, COLOURS.a], [1, COLOURS.b]]) {
      gl.uniform4f(uniforms.colour, ...colour, shown.through ? 0.5 : 1);
      if (i < places.length) drawPart(i, places[i]);
    }
    gl.uniform1f(uniforms.ghost, 1);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    drawPlane();
    if (shown.ghosts) {
      gl.uniform4f(uniforms.colour, ...COLOURS.ghost, 0.22);
      const ghosts = () => places.forEach((place, i) => { if (i > 1) drawPart(i, place); });
      gl.depthMask(true); // first the depth alone: a ghost tints what is behind it once
      gl.colorMask(false, false, false, false);
      ghosts();
      gl.colorMask(true, true, true, true);
      ghosts();
    }
    drawOver(zoom, aspect);
  }

  /** Lines and points on top of the bodies. */
  function drawOver(zoom, aspect) {
    const [width, height] = size, ratio = over.width / width;
    const [right, eye] = [rightOf(), eyeOf()];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const spot = point => {
      const p = add(point, eye, -1), depth = dot(p, camera.forward);
      if (depth <= 0.01 * camera.distance) return null;
      return [0.5 * width * (1 + (zoom / aspect) * dot(p, right) / depth), 0.5 * height * (1 - zoom * dot(p, camera.up) / depth)];
    };
    const stroke = (a, b, colour, thick) => {
      if (!a || !b) return;
      pen.strokeStyle = colour; pen.lineWidth = thick;
      pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b); pen.stroke();
    };
    if (at === null && shown.plane && view.overlap) {
      const corner = i => spot([0, 1, 2].map(axis => view.overlap[(i >> axis) & 1][axis]));
      for (let i = 0; i < 8; i++) for (const bit of [1, 2, 4]) if (!(i & bit)) stroke(corner(i), corner(i | bit), CSS.overlap, 1.8);
    }
    const square = plane();
    if (square) {
      const corner = i => spot(add(add(square.middle, square.axes[0], i & 2 ? 1 : -1), square.axes[1], (i + 1) & 2 ? 1 : -1));
      for (let i = 0; i < 4; i++) stroke(corner(i), corner(i + 1), CSS.plane, 1.2);
    }
    if (at === null && view.witness) {
      const [a, b] = view.witness.map(spot);
      stroke(a, b, '#fff', 4);
      stroke(a, b, '#111', 1.8);
      for (const [p, colour] of [[a, CSS.a], [b, CSS.b]]) if (p) {
        pen.beginPath(); pen.arc(...p, 4.5, 0, 7); pen.fillStyle = colour; pen.fill();
        pen.lineWidth = 1.8; pen.strokeStyle = '#fff'; pen.stroke();
      }
    }
    drawScale(0.5 * height * zoom / camera.distance, stroke);
  }

  /** A bar of a round length at the depth of the target, and the axes of the scene. */
  function drawScale(pixelsOfMetre, stroke) {
    const [width, height] = size, ink = getComputedStyle(panel).color;
    const pixels = pixelsOfMetre / data.perMetre, power = 10 ** Math.floor(Math.log10(0.3 * width / pixels));
    const long = [5, 2, 1].map(f => f * power).find(n => n * pixels <= 0.3 * width) ?? power;
    const y = height - 12;
    stroke([12, y], [12 + long * pixels, y], ink, 2);
    for (const x of [12, 12 + long * pixels]) stroke([x, y - 4], [x, y + 4], ink, 2);
    pen.fillStyle = ink;
    pen.font = '11px system-ui, sans-serif';
    pen.fillText(`${+long.toPrecision(2)} ${data.unit}`, 12, y - 8);
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, i) => {
      const [x, z] = [width - 30 + 18 * dot(axis, rightOf()), height - 30 - 18 * dot(axis, camera.up)];
      stroke([width - 30, height - 30], [x, z], ink, 1);
      pen.fillText('xyz'[i], x + 2, z - 2);
    });
  }

  const redraw = () => { drawing ||= requestAnimationFrame(draw); };

  function fit() {
    const { clientWidth, clientHeight } = over, ratio = Math.min(devicePixelRatio || 1, 2);
    if (!clientWidth || !clientHeight) return;
    size = [clientWidth, clientHeight];
    for (const canvas of [solid, over]) [canvas.width, canvas.height] = size.map(x => Math.round(x * ratio));
    redraw();
  }

  // Orbit, pan, zoom
  function orbit(dx, dy) {
    const right = turned(rightOf(), camera.up, -dx);
    camera.forward = unit(turned(turned(camera.forward, camera.up, -dx), right, -dy));
    camera.up = unit(cross(right, camera.forward));
    redraw();
  }
  function pan(dx, dy) {
    const metres = 2 * HALF_VIEW * camera.distance / size[1];
    camera.target = add(add(camera.target, rightOf(), -dx * metres), camera.up, dy * metres);
    redraw();
  }
  function zoomBy(factor) {
    camera.distance = Math.min(Math.max(camera.distance * factor, 0.02 * view.reach), 500 * view.reach);
    redraw();
  }
  const reset = () => { camera = firstCamera(); redraw(); };

  function listen() {
    const fingers = new Map();
    over.addEventListener('pointerdown', event => {
      over.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    over.addEventListener('pointermove', event => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY], [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      fingers.set(event.pointerId, now);
      if (other) {
        const apart = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        zoomBy(apart(before) / apart(now));
        pan(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons > 1) pan(dx, dy);
      else orbit(dx * 0.008, dy * 0.008);
    });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) over.addEventListener(end, event => fingers.delete(event.pointerId));
    over.addEventListener('contextmenu', event => event.preventDefault());
    over.addEventListener('wheel', event => {
      if (document.activeElement !== over && !event.ctrlKey) return; // the page scrolls on
      event.preventDefault();
      zoomBy(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * (event.deltaMode ? 0.05 : 0.003)));
    }, { passive: false });
    over.addEventListener('keydown', event => {
      const act = {
        ArrowLeft: () => orbit(-0.1, 0), ArrowRight: () => orbit(0.1, 0), ArrowUp: () => orbit(0, -0.1), ArrowDown: () => orbit(0, 0.1),
        '+': () => zoomBy(0.85), '=': () => zoomBy(0.85), '-': () => zoomBy(1.18), 0: reset,
      }[event.key];
      if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); act(); }
    });
    solid.addEventListener('webglcontextlost', event => event.preventDefault());
    solid.addEventListener('webglcontextrestored', () => { program(); redraw(); });
    new ResizeObserver(fit).observe(over);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  }

  /** Makes the view, once. Returns its element, or null if this browser cannot draw it. */
  function make() {
    if (panel) return panel;
    if (!data.views.length || typeof DecompressionStream === 'undefined') return null;
    const made = document.getElementById('viewer').content.firstElementChild.cloneNode(true);
    solid = made.querySelector('.solid');
    over = made.querySelector('.over');
    pen = over.getContext('2d');
    gl = solid.getContext('webgl2', { alpha: false, antialias: true });
    if (!gl || !pen) return null;
    panel = made;
    program();
    listen();
    return panel;
  }

  return {
    make,
    hasViews: data.views.length > 0,
    hasDates: data.dates,
    /** Reads the data and shows a view; resolves to it. */
    async show(number) {
      const all = await read();
      [meshes, view, at] = [all.meshes, all.views[number], null];
      camera = firstCamera();
      fit();
      redraw();
      return view;
    },
    /** Moves the bodies to a place of the track, or to the least distance (null). */
    seek(place) { at = place; redraw(); },
    set(name, on) { shown[name] = on; redraw(); },
    reset,
  };
})();

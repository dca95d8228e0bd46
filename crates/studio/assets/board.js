// Boards that can be clicked, dragged on and walked over with the keyboard.

import { drawing, fill, h, plain, s, say } from './dom.js';

const CELLS = 65536;
const still = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Boards of one position. `choose(move)` is called with the text of a move. */
export class Boards {
  constructor(choose) {
    this.choose = choose;
    this.moves = [];
    this.clicks = [];
    this.boards = h('div', { class: 'boards' });
    this.ask = h('div', { class: 'ask', role: 'group', 'aria-label': 'Which move do you mean?' });
    this.element = h('div', { class: 'board-area' }, this.boards, this.ask);
    this.focused = null;
    this.listen();
  }

  /** Draws a scene. Things that went from one cell to another are seen going there. */
  show(scene, animate) {
    const before = animate && !still() ? this.things() : null;
    const had = this.boards.contains(document.activeElement) ? this.focused : null;
    fill(this.boards, scene.boards.map((board) => h('figure', { class: 'one-board' },
      board.title && scene.boards.length > 1 ? h('figcaption', {}, board.title) : null, sized(drawing(board.svg)),
      board.joins ? h('figcaption', { class: 'note' }, board.joins) : null)));
    this.boards.classList.toggle('several', scene.boards.length > 1);
    this.cells = new Map();
    for (const cell of this.boards.querySelectorAll('.cell')) {
      const spot = Number(cell.closest('svg').dataset.board) * CELLS + Number(cell.dataset.cell);
      this.cells.set(spot, cell);
      cell.dataset.spot = spot;
    }
    this.focused = this.cells.has(had) ? had : this.cells.keys().next().value;
    this.rove(had !== null && had !== undefined);
    if (before) this.animate(before);
    this.offer([]);
  }

  /** Where every thing is. */
  things() {
    const found = new Map();
    for (const thing of this.boards.querySelectorAll('.thing')) {
      const cell = thing.closest('.cell');
      const board = cell.closest('svg').dataset.board;
      const key = `${board}/${thing.dataset.thing}`;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push({ cell: cell.dataset.cell, x: Number(cell.dataset.x), y: Number(cell.dataset.y), thing });
    }
    return found;
  }

  animate(before) {
    for (const [key, now] of this.things()) {
      const was = before.get(key) ?? [];
      const gone = was.filter((old) => !now.some((one) => one.cell === old.cell));
      for (const one of now.filter((one) => !was.some((old) => old.cell === one.cell))) {
        const from = gone.shift();
        if (from) {
          one.thing.animate(
            [{ transform: `translate(${from.x - one.x}px, ${from.y - one.y}px)` }, { transform: 'none' }],
            { duration: 240, easing: 'cubic-bezier(.2,.7,.3,1)' });
        } else {
          one.thing.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 200 });
        }
      }
    }
  }

  /** The moves that can be made now. */
  offer(moves) {
    this.moves = moves;
    this.clicks = [];
    this.mark();
  }

  meant(clicks) {
    return this.moves.filter(({ way }) => way.length >= clicks.length && clicks.every((spot, at) => way[at].includes(spot)));
  }

  /** Shows where the next click may be, and asks where several moves are meant. */
  mark() {
    const fits = this.meant(this.clicks);
    const next = new Set(fits.flatMap(({ way }) => way[this.clicks.length] ?? []));
    for (const [spot, cell] of this.cells ?? []) {
      cell.classList.toggle('next', next.has(spot));
      cell.classList.toggle('picked', this.clicks.includes(spot));
      if (next.has(spot)) cell.setAttribute('aria-selected', this.clicks.includes(spot));
      else cell.removeAttribute('aria-selected');
    }
    const exact = this.clicks.length ? fits.filter(({ way }) => way.length === this.clicks.length) : [];
    fill(this.ask, exact.length ? [
      exact.map(({ move }) => h('button', { type: 'button', class: 'choice', onclick: () => this.play(move) }, this.short(move, exact))),
      h('button', { type: 'button', class: 'quiet', onclick: () => this.offer(this.moves) }, 'Cancel'),
    ] : []);
    if (exact.length) this.ask.querySelector('button').focus({ preventScroll: true });
  }

  /** A move by the words in which it differs from the others. */
  short(move, others) {
    const parts = others.map((other) => plain(other.move).split(' '));
    const own = plain(move).split(' ');
    const same = parts.every((part) => part.length === own.length);
    const different = own.filter((_, at) => parts.some((part) => part[at] !== own[at]));
    return same && different.length ? different.join(' ') : plain(move);
  }

  play(move) {
    this.offer([]);
    this.choose(move);
  }

  press(spot) {
    if (this.pressed) { this.pressed(spot); return; }
    if (!this.moves.length) return;
    let clicks = [...this.clicks, spot];
    if (!this.meant(clicks).length) clicks = this.clicks.at(-1) === spot ? [] : [spot];
    if (clicks.length && !this.meant(clicks).length) clicks = [];
    this.clicks = clicks;
    const fits = clicks.length ? this.meant(clicks) : [];
    if (fits.length === 1 && fits[0].way.length === clicks.length) {
      this.play(fits[0].move);
      return;
    }
    this.mark();
    if (clicks.length) {
      const more = fits.filter(({ way }) => way.length > clicks.length).length;
      const exact = fits.length - more;
      say(`${this.cells.get(spot)?.getAttribute('aria-label') ?? ''} chosen. ${more ? `${more} ways to go on. ` : ''}${exact ? `${exact} moves to choose from.` : ''}`);
    }
  }

  spotAt(target) {
    const cell = target?.closest?.('.cell');
    return cell && this.boards.contains(cell) ? Number(cell.dataset.spot) : null;
  }

  listen() {
    let down = null;
    this.boards.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      const spot = this.spotAt(event.target);
      if (spot === null) return;
      down = { spot, x: event.clientX, y: event.clientY, ghost: null };
      this.focused = spot;
      this.rove(false);
    });
    window.addEventListener('pointermove', (event) => {
      if (!down || !this.element.isConnected) return;
      const far = Math.hypot(event.clientX - down.x, event.clientY - down.y) > 8;
      const starts = this.meant([down.spot]).some(({ way }) => way.length > 1);
      if (far && starts && !down.ghost) {
        if (this.clicks.length !== 1 || this.clicks[0] !== down.spot) { this.clicks = [down.spot]; this.mark(); }
        down.ghost = this.cells.get(down.spot)?.querySelector('.thing') ?? null;
        down.ghost?.classList.add('dragged');
      }
      if (down.ghost) {
        const scale = down.ghost.closest('svg').getScreenCTM().a || 1;
        down.ghost.style.transform = `translate(${(event.clientX - down.x) / scale}px, ${(event.clientY - down.y) / scale}px)`;
      }
    });
    window.addEventListener('pointerup', (event) => {
      if (!down || !this.element.isConnected) { down = null; return; }
      const { spot, ghost } = down;
      down = null;
      if (ghost) { ghost.classList.remove('dragged'); ghost.style.transform = ''; ghost.style.pointerEvents = 'none'; }
      const target = this.spotAt(document.elementFromPoint(event.clientX, event.clientY));
      if (ghost) ghost.style.pointerEvents = '';
      if (target === spot) this.press(spot);
      else if (target !== null && (ghost || this.meant([spot, target]).length)) {
        this.clicks = [spot];
        this.press(target);
      } else if (ghost) this.offer(this.moves);
    });
    window.addEventListener('pointercancel', () => {
      if (down?.ghost) { down.ghost.classList.remove('dragged'); down.ghost.style.transform = ''; }
      down = null;
    });
    // Those who press cells without a pointer.
    this.boards.addEventListener('click', (event) => {
      const spot = this.spotAt(event.target);
      if (event.detail === 0 && spot !== null) this.press(spot);
    });
    this.boards.addEventListener('focusin', (event) => {
      const spot = this.spotAt(event.target);
      if (spot !== null && spot !== this.focused) { this.focused = spot; this.rove(false); }
    });
    this.boards.addEventListener('keydown', (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) this.walk(way);
    else if (event.key === 'Enter' || event.key === ' ') this.press(this.focused);
    else if (event.key === 'Escape') this.offer(this.moves);
    else if (event.key === 'Home') this.jump([...this.cells.keys()][0]);
    else if (event.key === 'End') this.jump([...this.cells.keys()].at(-1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  jump(spot) {
    this.focused = spot;
    this.rove(true);
  }

  /** To the nearest cell in a direction; from the edge of a board to the next board. */
  walk([dx, dy]) {
    const from = this.cells.get(this.focused);
    if (!from) return;
    const middle = (cell) => { const box = cell.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(from);
    let best = null;
    for (const [spot, cell] of this.cells) {
      if (spot === this.focused) continue;
      const [cx, cy] = middle(cell);
      const along = (cx - x) * dx + (cy - y) * dy;
      const aside = Math.abs((cx - x) * dy) + Math.abs((cy - y) * dx);
      if (along < 2 || aside > along * 2.2) continue;
      const far = along + 2.5 * aside;
      if (!best || far < best.far) best = { spot, far };
    }
    if (best) this.jump(best.spot);
  }

  /** One cell can be reached by the tabulator, the others by arrows. */
  rove(focus) {
    for (const [spot, cell] of this.cells ?? []) cell.setAttribute('tabindex', spot === this.focused ? '0' : '-1');
    if (focus) this.cells?.get(this.focused)?.focus({ preventScroll: true });
  }

  /** How much each move was tried, on the cells that it goes to. */
  heat(thoughts, moves) {
    this.boards.querySelectorAll('.heat').forEach((old) => old.remove());
    if (!thoughts?.moves?.length) return;
    const all = thoughts.moves.reduce((sum, one) => sum + one.visits, 0) || 1;
    const ways = new Map(moves.map(({ move, way }) => [move, way]));
    const shares = new Map();
    for (const one of thoughts.moves) {
      const way = ways.get(one.move);
      const step = way?.at(-1);
      if (!step?.length) continue;
      const known = shares.get(step[0]) ?? { share: 0, value: 0 };
      shares.set(step[0], { share: known.share + one.visits / all, value: Math.max(known.value, one.value) });
    }
    for (const [spot, { share, value }] of shares) {
      const cell = this.cells.get(spot);
      if (!cell || share < 0.005) continue;
      const [x, y] = [Number(cell.dataset.x), Number(cell.dataset.y)];
      // Not in the cell: its name says what is in it, and this is not.
      cell.closest('svg').append(s('g', { class: 'heat', 'aria-hidden': 'true' },
        s('circle', { cx: x, cy: y, r: 5 + 13 * Math.sqrt(share), opacity: 0.25 + 0.5 * Math.sqrt(share) }),
        s('text', { x, y, dy: '.35em' }, String(Math.round(value)))));
    }
  }

  /** Marks the cells of a move, as a hint. */
  hint(move, moves) {
    this.boards.querySelectorAll('.hinted').forEach((old) => old.classList.remove('hinted'));
    for (const step of moves.find((one) => one.move === move)?.way ?? []) {
      for (const spot of step) this.cells.get(spot)?.classList.add('hinted');
    }
  }

  /** Colours of moves by what tables say. */
  verdicts(table, moves) {
    const ways = new Map(moves.map(({ move, way }) => [move, way]));
    for (const cell of this.cells?.values() ?? []) cell.classList.remove('win', 'draw', 'loss');
    if (!table) return;
    for (const one of [...table.moves].reverse()) {
      const step = ways.get(one.move)?.[this.clicks.length];
      for (const spot of step ?? []) {
        const cell = this.cells.get(spot);
        cell?.classList.remove('win', 'draw', 'loss');
        if (one.class !== 'unknown') cell?.classList.add(one.class);
      }
    }
  }
}

/** A board of few cells does not fill the page. */
function sized(svg) {
  svg.style.maxWidth = `${svg.viewBox.baseVal.width * 2.1}px`;
  return svg;
}

/** Facts that are on no board. */
export function facts(groups, roles) {
  if (!groups.length) return null;
  return h('dl', { class: 'facts' }, groups.map(({ name, rows }) => h('div', {},
    h('dt', {}, name),
    h('dd', {}, rows.every((row) => !row.length) ? 'yes' : rows.map((row) => {
      const at = roles.indexOf(row[0]);
      return h('span', { class: at >= 0 ? `chip side${at % 6}` : 'chip' }, row.map(plain).join(' '));
    })))));
}

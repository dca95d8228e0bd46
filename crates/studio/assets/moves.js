// The moves of a match, with the branches that were taken back, and the graph of what was expected.

import { fill, h, plain, s } from './dom.js';

/** The way from the beginning to a position. */
export function path(nodes, at) {
  const way = [];
  for (let node = at; node !== null && node !== undefined; node = nodes[node].parent) way.unshift(node);
  return way;
}

/** A whole line through a position: on to its newest end. */
export function line(nodes, at, keep) {
  const way = path(nodes, at);
  for (;;) {
    const last = way.at(-1);
    const next = nodes.filter((node) => node.parent === last).map((node) => node.id);
    if (!next.length) return way;
    way.push(next.find((id) => keep.includes(id)) ?? next.at(-1));
  }
}

/** What was done in a step: those who had a choice, or all if nobody had. */
export function words(node, roles) {
  if (node.parent === null) return 'start';
  const chose = node.moves.map((move, at) => ({ move, at })).filter(({ at }) => node.chose[at]);
  const shown = chose.length ? chose : node.moves.map((move, at) => ({ move, at })).filter(({ move }) => move.startsWith('('));
  if (!shown.length) return plain(node.moves[0] ?? '');
  return shown.map(({ move, at }) => (shown.length > 1 ? `${roles[at]}: ${plain(move)}` : plain(move))).join(', ');
}

export class MoveList {
  constructor(go) {
    this.go = go;
    this.list = h('ol', { class: 'moves', 'aria-label': 'Moves' });
    this.graph = h('div', { class: 'graph' });
    this.element = h('div', {}, this.graph, this.list);
  }

  draw(nodes, roles, view, current) {
    const way = line(nodes, view, path(nodes, current));
    const item = (id, extra) => {
      const node = nodes[id];
      const mover = node.chose.findIndex(Boolean);
      return h('button', {
        type: 'button', class: `move side${mover >= 0 ? mover % 6 : 'n'} ${extra}`, 'aria-current': id === view ? 'step' : undefined,
        title: node.mark?.words, onclick: () => this.go(id),
      }, words(node, roles), node.mark ? h('strong', { class: 'sign' }, ` ${node.mark.sign}`) : null, id === current && id !== view ? h('span', { class: 'now' }, ' ●') : null);
    };
    fill(this.list, way.map((id, step) => {
      const others = nodes.filter((node) => node.parent === nodes[id].parent && node.id !== id && node.parent !== null);
      const mark = nodes[id].mark;
      return h('li', { value: step }, item(id, ''),
        mark && id === view ? h('span', { class: 'marked' }, mark.words) : null,
        others.length ? h('span', { class: 'branches' }, 'or ', others.map((node) => item(node.id, 'other'))) : null);
    }));
    const shown = this.list.querySelector('[aria-current]');
    if (shown) this.list.scrollTop = shown.closest('li').offsetTop - this.list.clientHeight / 2;
    this.plot(nodes, roles, way, view);
  }

  /** What each role expected, step by step. */
  plot(nodes, roles, way, view) {
    const known = way.map((id, step) => ({ step, id, thought: nodes[id].thought })).filter(({ thought }) => thought);
    if (known.length < 2) { fill(this.graph); return; }
    const [width, height] = [320, 90];
    const x = (step) => 6 + (width - 12) * step / Math.max(1, way.length - 1);
    const y = (value) => 6 + (height - 12) * (1 - value / 100);
    const lines = roles.map((_, role) => {
      const points = known.filter(({ thought }) => thought.role === role);
      const shape = ['', '5 3', '2 3', '8 3 2 3', '1 3', '6 2'][role % 6];
      return s('g', { class: `side${role % 6}` },
        s('polyline', { points: points.map(({ step, thought }) => `${x(step)},${y(thought.value)}`).join(' '), fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-dasharray': shape }),
        points.map(({ step, thought }) => s('circle', { cx: x(step), cy: y(thought.value), r: thought.proven ? 4 : 2.5, fill: 'currentColor' })));
    });
    const at = way.indexOf(view);
    const picture = s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'What each side expected, move by move' },
      s('line', { x1: 6, x2: width - 6, y1: y(50), y2: y(50), class: 'axis' }), lines,
      at >= 0 ? s('line', { x1: x(at), x2: x(at), y1: 4, y2: height - 4, class: 'cursor' }) : null);
    picture.addEventListener('click', (event) => {
      const box = picture.getBoundingClientRect();
      const step = Math.round(((event.clientX - box.x) / box.width * width - 6) / (width - 12) * (way.length - 1));
      if (way[step] !== undefined) this.go(way[step]);
    });
    fill(this.graph, picture);
  }
}

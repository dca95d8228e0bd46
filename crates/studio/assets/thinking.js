// What is thought about a position, while it is thought.

import { fill, h, plain } from './dom.js';

const number = new Intl.NumberFormat('en');

export class Thinking {
  constructor(hover) {
    this.hover = hover;
    this.element = h('div', { class: 'thinking' });
    this.clear();
  }

  clear(words = '') {
    fill(this.element, words ? h('p', { class: 'note' }, words) : null);
  }

  show({ thoughts, seconds, final, about }, roles, role) {
    const { value, proven, depth, nodes, playouts, line, moves } = thoughts;
    const speed = seconds > 0.05 ? Math.round((nodes + playouts) / seconds) : 0;
    const all = moves.reduce((sum, one) => sum + one.visits, 0) || 1;
    const facts = [
      depth ? `depth ${depth}` : null, nodes ? `${number.format(nodes)} states` : null, playouts ? `${number.format(playouts)} random games` : null,
      speed ? `${number.format(speed)} a second` : null, `${seconds.toFixed(1)} s`,
    ].filter(Boolean).join(' · ');
    fill(this.element,
      h('p', { class: 'verdict' }, h('strong', {}, thoughts.move ? plain(thoughts.move) : 'no move'),
        ` is worth ${value.toFixed(1)} to ${roles[role]}`, proven ? h('span', { class: 'badge' }, 'proven') : null,
        final ? null : h('span', { class: 'busy', 'aria-hidden': 'true' })),
      about ? h('p', { class: 'note chosen' }, h('strong', {}, 'Found by '), about, '.') : null,
      h('p', { class: 'note' }, facts),
      h('table', { class: 'choices' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'move'), h('th', { scope: 'col' }, 'worth'), h('th', { scope: 'col' }, 'tried'))),
        h('tbody', {}, moves.slice(0, 8).map((one) => h('tr', { onpointerenter: () => this.hover(one.move), onpointerleave: () => this.hover(null) },
          h('td', {}, plain(one.move)),
          h('td', {}, one.value.toFixed(1), one.proven ? h('span', { class: 'proven', title: 'proven' }, ' ✓') : null),
          h('td', {}, bar(one.visits / all)))))),
      line.length ? h('p', { class: 'note' }, 'expects ', line.slice(0, 8).map((joint) => joint.filter((move) => move.startsWith('(')).map(plain).join(' / ') || plain(joint[0] ?? '')).join(', ')) : null);
  }
}

function bar(share) {
  const inner = h('span', { class: 'bar-inner' });
  inner.style.width = `${Math.max(1, 100 * share).toFixed(1)}%`;
  return h('span', { class: 'bar', role: 'img', 'aria-label': `${Math.round(100 * share)} per cent` }, inner);
}

/** How many moves win, draw and lose. */
function counts(moves) {
  const words = ['win', 'draw', 'loss'].map((kind) => [kind, moves.filter((one) => one.class === kind).length]).filter(([, many]) => many).map(([kind, many]) => `${many} ${kind === 'loss' ? 'lose' : kind}`);
  return words.length ? `; of the moves ${words.join(', ')}` : '';
}

/** Best play of both sides to the end, asked for when somebody wants it. */
function whole(line) {
  const list = h('p', { class: 'line-moves' });
  const details = h('details', { ontoggle: async () => {
    if (!details.open || list.childElementCount) return;
    const steps = await line();
    fill(list, steps.length ? steps.map((joint, at) => h('span', { class: 'chip' }, `${at + 1}. ${joint.filter((move) => move.startsWith('(')).map(plain).join(' / ') || plain(joint[0])}`)) : h('span', { class: 'note' }, 'the tables know no further move'));
  } }, h('summary', {}, 'Best play to the end'), list);
  return details;
}

/** What tables say, move by move. */
export function tablePanel(table, choose, hover, line) {
  if (!table) return null;
  const sign = { win: '+', draw: '=', loss: '−', unknown: '?' };
  return h('section', { class: 'table-panel', 'aria-label': 'What the tables say' },
    h('h3', {}, table.words), h('p', { class: 'note' }, table.what, counts(table.moves)),
    h('ul', { class: 'verdicts' }, table.moves.map((one) => h('li', {},
      h('button', { type: 'button', class: `verdict-move ${one.class}${one.best ? ' best' : ''}`, onclick: () => choose(one.move),
        onpointerenter: () => hover(one.move), onpointerleave: () => hover(null) },
      h('span', { class: 'sign', 'aria-hidden': 'true' }, sign[one.class]), h('span', {}, plain(one.move)), h('span', { class: 'note' }, one.words))))), whole(line));
}

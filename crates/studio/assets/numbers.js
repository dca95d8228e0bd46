// Tables in numbers: how many positions are won, drawn and lost, and how far the ends are.

import { h, s } from './dom.js';

const number = new Intl.NumberFormat('en');

/** Bars: `points` are pairs of where and how many. */
function plot(title, points, kind, unit) {
  const shown = points.filter(([, many]) => many > 0);
  if (!shown.length) return null;
  const [wide, tall, left, low] = [480, 170, 62, 28];
  const first = Math.min(...shown.map(([at]) => at));
  const last = Math.max(...shown.map(([at]) => at));
  const most = Math.max(...shown.map(([, many]) => many));
  const one = (wide - left - 4) / (last - first + 1);
  const base = tall - low;
  const far = shown.find(([, many]) => many === most)[0];
  return h('figure', {}, h('figcaption', {}, title),
    s('svg', { viewBox: `0 0 ${wide} ${tall}`, role: 'img', 'aria-label': `${title}: from ${first} to ${last} ${unit}, most at ${far} (${number.format(most)})` },
      shown.map(([at, many]) => {
        const high = Math.max(1, (base - 14) * many / most);
        return s('rect', { class: kind, x: (left + (at - first) * one).toFixed(1), y: (base - high).toFixed(1), width: Math.max(1, one * 0.86).toFixed(1), height: high.toFixed(1) },
          s('title', {}, `${at} ${unit}: ${number.format(many)}`));
      }),
      s('path', { class: 'axis', d: `M${left - 2} 8V${base}H${wide}` }),
      s('text', { x: left - 6, y: 18, 'text-anchor': 'end' }, number.format(most)),
      s('text', { x: left, y: base + 16 }, number.format(first)),
      s('text', { x: wide / 2 + left / 2, y: base + 16, 'text-anchor': 'middle' }, unit),
      s('text', { x: wide - 4, y: base + 16, 'text-anchor': 'end' }, number.format(last))));
}

function shares(rows) {
  const share = (many, all) => `${number.format(many)} (${(100 * many / (all || 1)).toFixed(1)} %)`;
  return h('table', { class: 'shares' }, h('thead', {}, h('tr', {}, ['', 'won', 'drawn', 'lost'].map((words) => h('th', { scope: 'col' }, words || 'positions')))),
    h('tbody', {}, rows.map(([name, ...counts]) => { const all = counts.reduce((sum, one) => sum + one, 0); return h('tr', {}, h('th', { scope: 'row' }, name), counts.map((one) => h('td', {}, share(one, all)))); })));
}

/** A chess table: an odd number of plies is a win of the side to move, an even one its loss, unless losses are counted apart. */
function chess(counts) {
  const sides = ['white to move', 'black to move'].filter((side) => counts[side]);
  const plots = sides.flatMap((side) => {
    const { plies, 'lost by plies': losses } = counts[side];
    const all = plies.map((many, at) => [at, many]);
    const won = losses ? all : all.filter(([at]) => at % 2 === 1);
    const lost = losses ? losses.map((many, at) => [at, many]) : all.filter(([at]) => at % 2 === 0);
    return [plot(`${side}, won`, won, 'won', 'plies'), plot(`${side}, lost`, lost, 'lost', 'plies')];
  });
  const longest = Object.entries(counts['longest wins'] ?? {}).filter(([, one]) => one).map(([winner, { plies, fen }]) => h('p', {}, `Longest win of ${winner}: ${plies} plies, `, h('code', {}, fen)));
  return [shares(sides.map((side) => [side, counts[side].won, counts[side].drawn, counts[side].lost])), longest, h('div', { class: 'plots' }, plots)];
}

/** A solved game: values from the first role's view, distances in moves. */
function solved(counts) {
  const values = Object.entries(counts.values ?? {});
  const name = (value) => (value === 'null' || value === '' ? 'not known' : `value ${value}`);
  return [h('p', {}, `${number.format(counts.states)} states, ${number.format(counts.edges)} moves between them, ${number.format(counts.terminal)} ends; at most ${counts.depth} moves from the start.`),
    values.length ? h('p', {}, 'For the first role: ', values.map(([value, many]) => `${name(value)}: ${number.format(many)}`).join(', '), '.') : null,
    h('div', { class: 'plots' }, plot('states by moves from the start', (counts.layers ?? []).map((many, at) => [at, many]), 'all', 'moves'),
      Object.entries(counts.distances ?? {}).map(([value, list]) => plot(`value ${value}: states by moves to the end`, list.map((many, at) => [at, many]), Number(value) > 0 ? 'won' : 'lost', 'moves')))];
}

/** Any other: its lists are plotted, its numbers listed. */
function other(counts) {
  const entries = Object.entries(counts ?? {});
  const lists = entries.filter(([, value]) => Array.isArray(value) && value.length > 1 && value.every((one) => typeof one === 'number'));
  const plain = entries.filter(([, value]) => typeof value === 'number' || typeof value === 'string').map(([name, value]) => `${name}: ${typeof value === 'number' ? number.format(value) : value}`);
  return [h('p', {}, plain.join(' · ')), h('div', { class: 'plots' }, lists.map(([name, list]) => plot(name, list.map((many, at) => [at, many]), 'all', 'moves')))];
}

export function tableNumbers({ file, kind, entries, counts }, open) {
  const inside = counts?.['white to move'] ? chess(counts) : counts?.layers ? solved(counts) : other(counts);
  return h('details', { class: 'panel numbers', open }, h('summary', {}, `${file.replace(/\.table$/, '')} (${kind}, ${number.format(entries)} entries)`), inside);
}

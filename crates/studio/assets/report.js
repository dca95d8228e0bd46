// A game in numbers, for those who design games: it is played by players that think, and counted.

import { fill, go, h } from './dom.js';
import { get } from './api.js';

export async function reportPage(name) {
  const params = new URLSearchParams(location.search);
  const [game, games] = await Promise.all([get(`/api/game/${encodeURIComponent(name)}`), get('/api/games')]);
  const other = h('select', { 'aria-label': 'Beside it' }, h('option', { value: '' }, 'nothing else'), games.filter((one) => one.name !== name).map((one) => h('option', { value: one.name }, one.title)));
  other.value = params.get('other') ?? '';
  const many = h('select', { 'aria-label': 'Games' }, [10, 20, 50, 100].map((count) => h('option', { value: count }, `${count} games`)));
  many.value = params.get('games') ?? '20';
  const deep = h('select', { 'aria-label': 'How long players think' }, [30, 100, 400, 1000].map((count) => h('option', { value: count }, `${count} random games a move`)));
  deep.value = params.get('playouts') ?? '100';
  const result = h('div', {});
  const run = () => {
    const query = new URLSearchParams({ games: many.value, playouts: deep.value });
    if (other.value) query.set('other', other.value);
    history.replaceState(null, '', `/report/${encodeURIComponent(name)}?${query}`);
    const address = `/document/report/${encodeURIComponent(name)}?${query}`;
    const frame = h('iframe', { class: 'document', title: `${game.title} in numbers`, sandbox: '', src: address });
    const wait = h('p', { class: 'status', role: 'status' }, 'Players meet; this may take a while …');
    frame.addEventListener('load', () => wait.replaceWith(h('p', { class: 'links' }, h('a', { href: address, target: '_blank', rel: 'noopener' }, 'As a page of its own, to print or to keep'))));
    fill(result, wait, frame);
  };
  const element = h('div', { class: 'page' }, h('h1', {}, `${game.title} in numbers`),
    h('p', {}, 'Who wins under competent play, with intervals, draws, length, choices, changes of the lead, what thinking longer is worth, and moves that nobody makes. ',
      h('code', {}, `ludens report ${name}`), ' tells the same in the terminal.'),
    h('div', { class: 'buttons' }, many, deep, h('label', { class: 'line' }, 'beside ', other), h('button', { type: 'button', class: 'main', onclick: run }, 'Count'),
      h('button', { type: 'button', class: 'quiet', onclick: () => go(`/game/${name}`) }, 'Back to the game')), result);
  return { element, title: `${game.title} in numbers`, shown: () => { if (params.has('games')) run(); } };
}

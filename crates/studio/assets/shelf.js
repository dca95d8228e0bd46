// Matches that are played, with live boards; tables and plans that are there.

import { go, h, trouble } from './dom.js';
import { get, listen, post } from './api.js';
import { Boards } from './board.js';
import { tableNumbers } from './numbers.js';

const MOST = 20;

export async function watchPage() {
  const matches = await get('/api/matches');
  const shown = matches.slice(0, MOST);
  const grid = h('div', { class: 'cards live' });
  const tiles = new Map();
  for (const match of shown) {
    const boards = new Boards(() => {});
    const status = h('span', { class: 'card-tags' });
    tiles.set(match.id, { boards, status, match, state: null, drawn: null, busy: false });
    grid.append(h('a', { class: 'card', href: `/match/${match.id}`, 'data-link': true },
      h('span', { class: 'thumb', inert: true }, boards.element, h('img', { class: 'instead', src: `/picture/${match.game}.svg`, alt: '', hidden: true })), h('span', { class: 'card-title' }, match.title),
      h('span', { class: 'card-about' }, match.roles.map((role, at) => `${role}: ${match.players[at]}`).join(', ')), status));
  }
  const draw = async (tile) => {
    if (tile.busy || tile.drawn === tile.state.current) return;
    tile.busy = true;
    const node = tile.state.current;
    try {
      const scene = await get(`/api/match/${tile.match.id}/node/${node}`);
      tile.boards.show(scene, tile.drawn !== null);
      // Where there is no board, the sign of the game stands for it.
      const none = !scene.boards.length;
      tile.boards.element.hidden = none;
      tile.boards.element.nextElementSibling.hidden = !none;
      tile.drawn = node;
      tile.status.textContent = scene.goals ? `over: ${tile.match.roles.map((role, at) => `${role} ${scene.goals[at] ?? '–'}`).join(', ')}`
        : tile.state.paused ? 'paused' : tile.state.thinking !== null ? `${tile.match.roles[tile.state.thinking]} is thinking` : 'waiting';
    } catch { tile.status.textContent = 'cannot be shown'; }
    tile.busy = false;
    if (tile.drawn !== tile.state.current && tile.drawn === node) draw(tile);
  };
  const stop = shown.length ? listen(shown.map(({ id }) => id), (news) => {
    const tile = tiles.get(news.match);
    if (!tile || !(news.type === 'whole' || news.type === 'state')) return;
    tile.state = news.type === 'whole' ? news.whole.state : news.state;
    draw(tile);
  }) : () => {};
  const file = h('input', { type: 'file', class: 'unseen', id: 'record-file', accept: '.json', onchange: async () => {
    try { go(`/match/${(await post('/api/records', { text: await file.files[0].text() })).id}`); } catch (error) { trouble(error); }
  } });
  const element = h('div', { class: 'page' }, h('h1', {}, 'Matches'),
    h('div', { class: 'buttons' }, h('label', { class: 'button', for: 'record-file' }, 'Open a match record'), file),
    shown.length ? grid : h('p', {}, 'There are no matches yet. ', h('a', { href: '/', 'data-link': true }, 'Pick a game'), '.'));
  return { element, title: 'Matches', leave: stop };
}

export async function shelfPage() {
  const [{ plans, tables, folder }, files] = await Promise.all([get('/api/shelf'), get('/api/tables')]);
  const explore = async (game) => {
    const { roles } = await get(`/api/game/${game}`);
    try { go(`/match/${(await post('/api/matches', { game, seats: roles.map(() => ({ kind: 'person' })) })).id}`); } catch (error) { trouble(error); }
  };
  const element = h('div', { class: 'page' }, h('h1', {}, 'Tables and plans'),
    h('section', {}, h('h2', {}, 'Tables'), h('p', {}, 'Every move of a position with its value and its distance: exact, from the ends of the game backwards.'),
      tables.length ? h('ul', { class: 'rows' }, tables.map(({ game, what }) => h('li', {}, h('button', { type: 'button', 'data-game': game, onclick: () => explore(game) }, `Explore ${game}`), ' ', h('span', { class: 'note' }, what))))
        : h('p', { class: 'note' }, 'There are none yet: ', h('code', {}, 'ludens solve tic-tac-toe'), ' solves a game, ', h('code', {}, 'ludens table build chess KQKR'), ' builds the tables of an ending.')),
    files.length ? h('section', { 'aria-label': 'Tables in numbers' }, h('h2', {}, 'Tables in numbers'), files.map((file, at) => tableNumbers(file, at === 0))) : null,
    h('section', {}, h('h2', {}, 'Plans'), h('p', {}, 'Sentences that a person can follow, with what following them reaches.'),
      plans.length ? h('ul', { class: 'rows' }, plans.map(({ name, title }) => h('li', {}, h('a', { class: 'button', href: `/plan/${name}`, 'data-link': true }, 'Read and practise'), ' ', title)))
        : h('p', { class: 'note' }, 'There are none yet: ', h('code', {}, 'ludens plan build nim'), ' finds one.')),
    folder ? h('p', { class: 'note' }, `Tables and plans are kept in ${folder}.`) : null);
  return { element, title: 'Tables and plans' };
}

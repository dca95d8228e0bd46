// The first page: all games, with pictures.

import { fill, h } from './dom.js';
import { get } from './api.js';

const GROUPS = ['one player', 'two players', 'three players', 'four players', 'six players', 'simultaneous'];

/** What somebody who comes for the first time may know; the others follow by name. */
const KNOWN = ['connect-four', 'chess', 'othello', 'checkers', 'tic-tac-toe', 'hex', 'breakthrough', 'nine-mens-morris', 'kalah', 'sokoban'];
const rank = ({ name }) => (KNOWN.includes(name) ? KNOWN.indexOf(name) : KNOWN.length);

export async function gamesPage() {
  const [all, matches] = await Promise.all([get('/api/games'), get('/api/matches').catch(() => [])]);
  const games = [...all].sort((one, other) => rank(one) - rank(other));
  const list = h('div', { class: 'cards' });
  const params = new URLSearchParams(location.search);
  const search = h('input', { type: 'search', placeholder: 'Find a game', 'aria-label': 'Find a game', value: params.get('find') ?? '' });
  let group = params.get('kind');
  const chips = h('div', { class: 'chips', role: 'group', 'aria-label': 'Kinds of games' });
  const count = h('p', { class: 'note', role: 'status' });

  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = games.filter((game) => (!group || game.tags.includes(group))
      && words.every((word) => `${game.name} ${game.title} ${game.about} ${game.tags.join(' ')}`.toLowerCase().includes(word)));
    fill(list, fits.map(card));
    count.textContent = fits.length === games.length ? `${games.length} games` : `${fits.length} of ${games.length} games`;
    fill(chips, GROUPS.map((name) => h('button', {
      type: 'button', class: 'chip-button', 'aria-pressed': String(group === name),
      onclick: () => { group = group === name ? null : name; draw(); },
    }, name)));
    const query = new URLSearchParams();
    if (search.value) query.set('find', search.value);
    if (group) query.set('kind', group);
    history.replaceState(null, '', query.size ? `/?${query}` : '/');
  };
  search.addEventListener('input', draw);
  draw();
  // One in which nothing has happened yet is begun again as quickly.
  const open = matches.filter((match) => !match.over && match.resigned === null && match.steps > 0).slice(0, 3);
  const element = h('div', { class: 'page' },
    h('section', { class: 'hero' },
      h('h1', {}, 'Pick a game and play'),
      h('p', {}, 'Ludens reads the rules of any game, draws its board, and plays it: against you, or against itself while you watch it think. ',
        h('a', { href: '/rules', 'data-link': true }, 'Write rules of your own'), ' and play them at once.')),
    open.length ? h('section', { 'aria-label': 'Matches that are not over' }, h('h2', {}, 'Go on'),
      h('ul', { class: 'rows' }, open.map((match) => h('li', {},
        h('a', { href: `/match/${match.id}`, 'data-link': true }, match.title), ' ',
        h('span', { class: 'note' }, `${match.players.map((player, at) => `${match.roles[at]}: ${player}`).join(', ')} · ${match.steps === 1 ? 'one step' : `${match.steps} steps`}`))))) : null,
    h('section', { class: 'finder', 'aria-label': 'Games' }, h('h2', { class: 'unseen' }, 'Games'), search, chips, count), list);
  return { element, title: null };
}

function card(game) {
  return h('a', { class: 'card', href: `/game/${game.name}`, 'data-link': true },
    h('span', { class: 'thumb' }, h('img', { src: `/picture/${game.name}.svg`, alt: '', loading: 'lazy', decoding: 'async' })),
    h('span', { class: 'card-title' }, game.title),
    h('span', { class: 'card-about' }, game.about.replaceAll('`', '')),
    h('span', { class: 'card-tags' }, game.tags.join(' · ')));
}

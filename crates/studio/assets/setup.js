// A game before it is played: what it is about, who sits where, where it begins.

import { fill, go, h, tint, trouble } from './dom.js';
import { get, post } from './api.js';
import { Boards, facts } from './board.js';
import { Place } from './place.js';
import { marked } from './marked.js';

const LEVELS = [
  '1: sees 10 random games', '2: 60 random games', '3: 300 random games', '4: 2,000 random games', '5: thinks for a second',
  '6: 2 seconds', '7: 4 seconds', '8: 8 seconds', '9: 15 seconds', '10: 30 seconds',
];

/** Chooses who sits in a seat; `seat()` answers with it. */
export function seatChooser(role, initial) {
  const custom = h('input', { type: 'text', class: 'custom', placeholder: 'uct:playouts=1000', 'aria-label': `Player of ${role}`,
    value: initial.kind === 'player' ? initial.player : '' });
  const select = h('select', { 'aria-label': `Who plays ${role}` },
    h('option', { value: 'person' }, 'You'),
    LEVELS.map((words, at) => h('option', { value: `level${at + 1}` }, `Level ${words}`)),
    h('option', { value: 'random' }, 'Random moves'),
    h('option', { value: 'custom' }, 'Another player …'));
  select.value = initial.kind === 'person' ? 'person' : initial.kind === 'level' ? `level${initial.level}` : initial.player === 'random' ? 'random' : 'custom';
  const update = () => { custom.hidden = select.value !== 'custom'; };
  select.addEventListener('change', update);
  update();
  const seat = () => {
    if (select.value === 'person') return { kind: 'person' };
    if (select.value === 'random') return { kind: 'player', player: 'random' };
    if (select.value === 'custom') return { kind: 'player', player: custom.value.trim() || 'portfolio' };
    return { kind: 'level', level: Number(select.value.slice(5)) };
  };
  return { element: h('span', { class: 'seat-choice' }, select, custom), seat, select };
}

export async function setupPage(name) {
  const game = await get(`/api/game/${encodeURIComponent(name)}`);
  const boards = new Boards(() => {});
  boards.show(game.scene, false);
  const seats = game.roles.map((role, at) => seatChooser(role, at === 0 ? { kind: 'person' } : { kind: 'level', level: 5 }));
  const start = h('select', { 'aria-label': 'Where it begins' }, h('option', { value: 'start' }, 'the beginning'),
    h('option', { value: 'moves' }, 'after some moves'), h('option', { value: 'place' }, 'a position set up on the board'), h('option', { value: 'facts' }, 'a position in facts'),
    game.fen ? h('option', { value: 'fen' }, 'a FEN') : null);
  const text = h('textarea', { rows: 4, class: 'code', 'aria-label': 'The position or the moves', spellcheck: 'false', hidden: true });
  let place = null;
  const stage = h('section', { class: 'stage', 'aria-label': 'The board at the beginning' }, boards.element, facts(game.scene.rest, game.roles));
  start.addEventListener('change', async () => {
    text.hidden = start.value === 'start' || start.value === 'place';
    if (start.value === 'place') {
      place = new Place(game);
      try { await place.open(); fill(stage, place.element); } catch (error) { trouble(error); }
    } else if (place) { place = null; fill(stage, boards.element, facts(game.scene.rest, game.roles)); }
    text.value = start.value === 'facts' ? game.scene.facts.join('\n') : '';
    text.placeholder = start.value === 'moves' ? 'one move a line, as in the list of moves' : '';
  });

  const begin = async (chosen, delay, paused) => {
    const body = { game: game.name, seats: chosen, delay, paused };
    if (place) body.facts = place.facts.join('\n');
    else if (start.value !== 'start' && text.value.trim()) body[start.value] = text.value;
    try { go(`/match/${(await post('/api/matches', body)).id}`); } catch (error) { trouble(error); }
  };
  const play = (event) => {
    event.preventDefault();
    const chosen = seats.map((one) => one.seat());
    const watched = chosen.every((seat) => seat.kind !== 'person');
    begin(chosen, watched ? 0.7 : 0, false);
  };
  const watch = () => begin(seats.map((one) => { const seat = one.seat(); return seat.kind === 'person' ? { kind: 'level', level: 4 } : seat; }), 0.7, false);

  const form = h('form', { class: 'setup', onsubmit: play },
    h('h2', { class: 'unseen' }, 'Who plays'),
    game.roles.map((role, at) => h('div', { class: 'seat-row roomy' }, h('span', { class: `seat-name side${at % 6}` }, role), seats[at].element)),
    h('details', {}, h('summary', {}, 'Begin elsewhere'), h('p', { class: 'line' }, 'Begin at ', start), text),
    h('div', { class: 'buttons' },
      h('button', { type: 'submit', class: 'main' }, 'Play'),
      h('button', { type: 'button', onclick: watch }, 'Watch it play itself')));
  const element = h('div', { class: 'page before' },
    h('div', { class: 'split' },
      stage,
      h('section', { class: 'side' }, h('h1', {}, game.title), form,
        h('div', { class: 'about' }, marked(game.about.replace(/^#[^\n]*\n/, ''), () => null)),
        h('p', { class: 'links' }, h('a', { href: `/study/${game.name}`, 'data-link': true }, 'What the rules reveal'),
          h('a', { href: `/report/${game.name}`, 'data-link': true }, 'The game in numbers'),
          h('a', { href: `/rules/${game.name}`, 'data-link': true }, 'The rules'),
          game.scene.table ? h('span', { class: 'badge' }, `Solved: ${game.scene.table.words}`) : null))));
  tint(element, game.roles);
  return { element, title: game.title };
}

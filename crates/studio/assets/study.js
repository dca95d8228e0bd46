// What the rules of a game reveal, on its board.

import { fill, h } from './dom.js';
import { get } from './api.js';
import { Boards } from './board.js';
import { netPicture } from './net.js';

function evidence({ proved, rules, states, moves, ends }) {
  if (proved) return h('span', { class: 'badge proved' }, 'proved');
  if (rules) return h('span', { class: 'badge found' }, 'found in the rules');
  const [count, what] = states !== undefined ? [states, 'states'] : moves !== undefined ? [moves, 'moves'] : [ends ?? 0, 'ends'];
  return h('span', { class: 'badge seen' }, `seen in ${count.toLocaleString('en')} ${what}`);
}

export async function studyPage(name) {
  const { title, findings, scene, cells } = await get(`/api/game/${encodeURIComponent(name)}/study`);
  const boards = new Boards(() => {});
  boards.show(scene, false);
  const overlay = h('select', { 'aria-label': 'What is shown on the board' }, h('option', { value: '' }, 'nothing'));
  const views = [];
  findings.boards.forEach((board, number) => {
    // The cell of the picture for each cell of the board.
    const drawn = cells.findIndex((all) => all.some((cell) => cell.length === board.axes.length));
    const spotOf = board.cells.map(({ coordinates }) => {
      const words = coordinates.map((at, axis) => board.axes[axis][at]).join(' ');
      const at = drawn >= 0 ? cells[drawn].findIndex((cell) => cell.join(' ') === words) : -1;
      return at >= 0 ? drawn * 65536 + at : null;
    });
    if (board.cells.some(({ neighbours }) => neighbours.length)) {
      views.push({ words: `neighbours on ${board.fluent}`, kind: 'neighbours', board, spotOf, number });
    }
    const sizes = [...new Set(board.cells.map(({ neighbours }) => neighbours.length))].filter((size) => size > 0).sort((one, other) => one - other);
    // Corners, edges and the middle are told apart by how many neighbours a cell has.
    if (sizes.length > 1) sizes.forEach((size) => views.push({ words: `region: cells with ${size} neighbours`, kind: 'cells', spotOf, number, own: (at) => board.cells[at].neighbours.length === size }));
    board.pieces.forEach(({ name: piece }) => views.push({ words: `piece: ${piece} at the start`, kind: 'cells', spotOf, number,
      own: (at) => [...(boards.cells.get(spotOf[at])?.querySelectorAll('.thing') ?? [])].some((thing) => thing.dataset.thing === piece) }));
    board.symmetries.forEach((map) => views.push({ words: map.what, kind: 'map', map, spotOf, number }));
  });
  views.forEach((view, at) => overlay.append(h('option', { value: at }, view.words)));
  const words = h('p', { class: 'note', role: 'status' });

  const clear = () => boards.cells?.forEach((cell) => cell.classList.remove('hinted', 'picked', 'next'));
  const show = (spot) => {
    clear();
    const view = views[Number(overlay.value)];
    if (overlay.value === '' || !view) { words.textContent = ''; return; }
    if (view.kind === 'cells') {
      const own = view.spotOf.map((_, number) => number).filter((number) => view.spotOf[number] !== null && view.own(number));
      own.forEach((number) => boards.cells.get(view.spotOf[number])?.classList.add('hinted'));
      words.textContent = `${own.length} ${own.length === 1 ? 'cell' : 'cells'}`;
      return;
    }
    const at = view.spotOf.indexOf(spot);
    const mark = (number, kind) => boards.cells.get(view.spotOf[number])?.classList.add(kind);
    if (at < 0) { words.textContent = 'Point at a cell.'; return; }
    mark(at, 'picked');
    if (view.kind === 'neighbours') {
      view.board.cells[at].neighbours.forEach((other) => mark(other, 'hinted'));
      words.textContent = `${view.board.cells[at].neighbours.length} neighbours`;
    } else if (view.map.cells[at] !== null) {
      mark(view.map.cells[at], 'hinted');
      words.textContent = `${view.words}${view.map.exchanges_roles ? ', and the roles change places' : ''}`;
    }
  };
  overlay.addEventListener('change', () => show(boards.focused));
  for (const event of ['pointerover', 'focusin']) {
    boards.boards.addEventListener(event, ({ target }) => {
      const cell = target.closest?.('.cell');
      if (cell && overlay.value !== '') show(Number(cell.dataset.spot));
    });
  }
  const row = (what, ...rest) => h('div', { class: 'finding' }, h('dt', {}, what), h('dd', {}, rest));
  const { games } = findings;
  const net = h('details', { class: 'panel', ontoggle: async () => {
    if (!net.open || net.childElementCount > 1) return;
    try { net.append(await netPicture(name)); } catch (error) { net.append(h('p', { class: 'note' }, error.message)); }
  } }, h('summary', {}, 'The rules as a net of gates'));
  const element = h('div', { class: 'page' }, h('h1', {}, `${title}: what the rules reveal`),
    h('div', { class: 'split' },
      h('section', { class: 'stage', 'aria-label': 'Board' }, boards.element, views.length ? h('label', { class: 'line' }, 'Show on the board: ', overlay) : null, words),
      h('section', { class: 'side', 'aria-label': 'Findings' },
        h('dl', { class: 'findings' },
          row('turns', findings.turns.what, evidence(findings.turns.evidence)),
          findings.teams.map((team) => row('team', team.roles.join(' and '), evidence(team.evidence))),
          findings.sum ? row('goals', findings.sum.what, evidence(findings.sum.evidence)) : null,
          findings.boards.map((board) => [
            row('board', `${board.fluent}, ${board.axes.map((axis) => axis.length).join(' × ')}, ${board.places_seen} places seen`),
            board.pieces.map((piece) => row('piece', piece.name, evidence(piece.evidence))),
            board.markers.length ? row('markers', board.markers.map((marker) => `${marker.name} (up to ${marker.most})`).join(', ')) : null,
            board.steps ? row('steps', board.steps.what, evidence(board.steps.evidence)) : null,
            board.symmetries.map((map) => row('symmetry', map.what, evidence(map.evidence))),
          ]),
          findings.counters.map((counter) => row('counter', counter.fluent)),
          findings.findings.map((one) => row('also', one.what, evidence(one.evidence))),
          row('random games', `${games.games.toLocaleString('en')} with ${games.length.toFixed(1)} moves each; mean goals ${games.goals.map((goal, at) => `${findings.roles[at]} ${goal.toFixed(1)}`).join(', ')}`),
          row('choices', findings.roles.map((role, at) => `${role} ${games.choices[at].mean.toFixed(1)} on average, at most ${games.choices[at].most}`).join('; ')),
          findings.learned ? row('what counts', h('ul', {}, findings.learned.weights.slice(0, 8).map(({ feature, weight }) => h('li', {}, `${feature}: ${(100 * weight).toFixed(1)}`)))) : null),
        h('p', { class: 'links' }, h('a', { href: `/game/${name}`, 'data-link': true }, 'Play'), h('a', { href: `/rules/${name}`, 'data-link': true }, 'The rules')))), net);
  fill(words);
  return { element, title: `${title}: study` };
}

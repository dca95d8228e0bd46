// The laboratory: tournaments that run and those that were played, with their standings; the experiments, ours beside the published.

import { fill, go, h, s, trouble } from './dom.js';
import { get, post } from './api.js';
import { marked } from './marked.js';

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const EVERY = 2000;

/** Asks again as long as the page is shown; answers with a function that ends it. */
function repeat(ask) {
  let timer = setTimeout(async function again() { try { await ask(); } catch { /* The next time, perhaps. */ } if (timer !== null) timer = setTimeout(again, EVERY); }, EVERY);
  return () => { clearTimeout(timer); timer = null; };
}

function progress(line) {
  const { going, games } = line;
  if (going && !going.ended) return going.of ? `running: ${going.done} of ${going.of} games` : 'getting ready';
  return `${games} ${games === 1 ? 'game' : 'games'} played${going?.trouble ? `; ${going.trouble}` : ''}`;
}

export async function labPage() {
  const [first, games] = await Promise.all([get('/api/lab'), get('/api/games')]);
  const rows = h('div', {});
  const draw = ({ tournaments }) => fill(rows, tournaments.length ? h('ul', { class: 'rows' }, tournaments.map((line) => h('li', { class: 'lab-row' },
    h('a', { href: `/lab/tournament/${line.name}`, 'data-link': true }, line.name), ' ',
    h('span', { class: line.going && !line.going.ended ? 'badge found' : 'badge' }, progress(line)),
    h('span', { class: 'note' }, ` ${line.of.join(', ')}: ${line.players.join(' · ')}`))))
    : h('p', { class: 'note' }, 'There are none yet. Begin one here, or with ', h('code', {}, 'ludens tournament … --out FOLDER'), ' and ', h('code', {}, 'ludens studio --results FOLDER'), '.'));
  draw(first);
  const name = h('input', { type: 'text', 'aria-label': 'Name', value: `tournament-${first.tournaments.length + 1}` });
  const game = h('select', { 'aria-label': 'Game' }, games.map((one) => h('option', { value: one.name }, one.title)));
  game.value = 'breakthrough-small';
  const players = h('textarea', { rows: 3, class: 'code', 'aria-label': 'Players, one a line', spellcheck: 'false', value: 'uct:playouts=100\nuct:playouts=400\nrandom' });
  const rounds = h('input', { type: 'number', min: 1, max: 500, value: 10, 'aria-label': 'Rounds' });
  const begin = async (event) => {
    event.preventDefault();
    const body = { name: name.value.trim(), games: [game.value], players: players.value.split('\n').map((line) => line.trim()).filter(Boolean), rounds: Number(rounds.value), seconds: 1 };
    try { await post('/api/lab', body); go(`/lab/tournament/${body.name}`); } catch (error) { trouble(error); }
  };
  const found = first.papers.filter((paper) => paper.found);
  const open = first.papers.filter((paper) => !paper.found);
  const link = (paper) => h('li', {}, h('a', { href: `/lab/paper/${paper.name}`, 'data-link': true }, paper.title), ' ', h('span', { class: 'note' }, paper.name));
  const element = h('div', { class: 'page' }, h('h1', {}, 'Laboratory'),
    h('div', { class: 'split' },
      h('section', {}, h('h2', {}, 'Tournaments'), rows,
        h('h2', {}, 'Experiments: ours beside the published'), h('ul', { class: 'rows' }, found.map(link)),
        open.length ? h('details', { class: 'panel' }, h('summary', {}, 'Questions whose results are not kept here'), h('ul', { class: 'rows' }, open.map(link))) : null),
      h('section', { class: 'side' }, h('h2', {}, 'Begin a tournament'),
        h('form', { class: 'compete', onsubmit: begin },
          h('label', {}, 'name ', name), h('label', {}, 'game ', game), h('label', {}, 'players, one a line ', players), h('label', {}, 'rounds for every two ', rounds),
          h('button', { type: 'submit', class: 'main' }, 'Begin'),
          h('p', { class: 'note' }, 'Players are written as in ', h('code', {}, 'ludens players'), '. Every finished game is kept; a tournament that ended early goes on.')))));
  return { element, title: 'Laboratory', leave: repeat(async () => draw(await get('/api/lab'))) };
}

/** Points with their interval, drawn from 0 to 1. */
function interval([rate, low, high], words) {
  const x = (share) => 4 + 152 * share;
  return s('svg', { viewBox: '0 0 160 20', width: 160, height: 20, role: 'img', 'aria-label': words, class: 'interval' },
    s('line', { x1: x(0), x2: x(1), y1: 10, y2: 10, class: 'axis' }), s('line', { x1: x(0.5), x2: x(0.5), y1: 3, y2: 17, class: 'axis' }),
    s('line', { x1: x(low), x2: x(high), y1: 10, y2: 10, class: 'reach' }), s('circle', { cx: x(rate), cy: 10, r: 4.5, class: 'point' }));
}

function standings(rows, withGame) {
  const head = [withGame ? 'game' : null, 'player', withGame ? 'against' : null, 'games', 'won', 'drawn', 'lost', 'points', '95 % interval', ''].filter((word) => word !== null);
  return h('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Standings' }, h('table', { class: 'report' },
    h('thead', {}, h('tr', {}, head.map((word) => (word ? h('th', { scope: 'col' }, word) : h('td', {}))))),
    h('tbody', {}, rows.map((row) => h('tr', {},
      withGame ? h('td', {}, row.game) : null, h('th', { scope: 'row' }, row.player), withGame ? h('td', {}, row.other) : null,
      row.counts.map((count) => h('td', {}, String(count))), h('td', {}, percent(row.points[0])), h('td', {}, `${percent(row.points[1])} to ${percent(row.points[2])}`),
      h('td', {}, interval(row.points, `${percent(row.points[0])}, between ${percent(row.points[1])} and ${percent(row.points[2])}`)))))));
}

export async function tournamentPage(name) {
  const address = `/api/lab/tournament/${encodeURIComponent(name)}`;
  const status = h('p', { class: 'status', role: 'status' });
  const buttons = h('div', { class: 'buttons' });
  const body = h('div', {});
  let shown = '';
  const draw = ({ line, groups }) => {
    const text = JSON.stringify([line, groups]);
    if (text === shown) return;
    shown = text;
    status.textContent = progress(line);
    const running = line.going && !line.going.ended;
    status.classList.toggle('yours', Boolean(running));
    fill(buttons, running ? h('button', { type: 'button', onclick: () => post(address).catch(trouble) }, 'End it here')
      : line.asked ? h('button', { type: 'button', onclick: () => post('/api/lab', { name, ...line.asked }).then(ask).catch(trouble) }, 'Go on') : null,
    // Where it lies is news only for those that were found elsewhere.
    line.asked ? null : h('span', { class: 'note' }, line.folder));
    fill(body, groups.map((group) => h('section', {}, h('h2', {}, `Standings: ${line.of.join(', ')}`), standings(group.players, false),
      h('p', { class: 'note' }, `${group.steps.toFixed(1)} steps and ${group.seconds.toFixed(2)} s a game; played with ${group.settings}`),
      h('details', { class: 'panel' }, h('summary', {}, 'Who against whom'), standings(group.pairs, true)))),
    groups.length ? null : h('p', { class: 'note' }, 'No game is finished yet.'));
  };
  const ask = async () => draw(await get(address));
  await ask();
  const element = h('div', { class: 'page' }, h('p', {}, h('a', { href: '/lab', 'data-link': true }, 'Laboratory')), h('h1', {}, name), status, buttons, body);
  return { element, title: name, leave: repeat(ask) };
}

export async function paperPage(name) {
  const paper = await get(`/api/lab/paper/${encodeURIComponent(name)}`);
  const figure = (file) => `/lab/figure/${paper.name}/${file}`;
  const link = (address) => (paper.figures.includes(address) ? figure(address) : null);
  const used = new Set(paper.figures.filter((file) => paper.reports.some(({ text }) => text.includes(`![`) && text.includes(`](${file})`) && new RegExp(`!\\[[^\\]]*\\]\\(${file.replaceAll('.', '\\.')}\\)`).test(text))));
  const others = paper.figures.filter((file) => !used.has(file));
  const strip = (text) => text.replace(/^# .*\n/, '');
  const element = h('div', { class: 'page document-page' }, h('p', {}, h('a', { href: '/lab', 'data-link': true }, 'Laboratory')), h('h1', {}, paper.title),
    h('details', { class: 'panel', open: !paper.reports.length }, h('summary', {}, 'The question, and how to repeat it'), marked(strip(paper.question), link)),
    [...paper.reports].sort((a, b) => (b.name === 'README.md') - (a.name === 'README.md')).map(({ name: file, text }) => h('section', { 'aria-label': file },
      h('h2', {}, text.match(/^# (.*)/)?.[1] ?? file), marked(strip(text), link, 2))),
    others.length ? h('section', {}, h('h2', {}, 'Figures'), h('div', { class: 'figures' }, others.map((file) => h('figure', {},
      h('img', { src: figure(file), alt: file.replace('.svg', '').replaceAll('-', ' '), class: 'figure', loading: 'lazy' }), h('figcaption', {}, file.replace('.svg', '').replaceAll('-', ' ')))))) : null);
  return { element, title: paper.title };
}

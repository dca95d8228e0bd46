// A match: the board, who plays, the moves, and what is thought.

import { fill, go, h, icon, plain, say, tint, trouble } from './dom.js';
import { get, listen, post } from './api.js';
import { Boards, facts } from './board.js';
import { MoveList, path, words } from './moves.js';
import { Thinking, tablePanel } from './thinking.js';
import { seatChooser } from './setup.js';

export async function matchPage(id, at) {
  const page = new MatchPage(id, at);
  await page.open();
  return { element: page.element, title: page.whole.title, match: id, at: (node) => page.look(node), leave: () => page.close(), shown: () => {} };
}

class MatchPage {
  constructor(id, at) {
    this.id = id;
    this.view = at;
    this.scenes = new Map();
    this.boards = new Boards((move) => this.choose(move));
    this.list = new MoveList((node) => this.visit(node));
    this.thinking = new Thinking((move) => this.boards.hint(move, this.allMoves()));
    this.status = h('p', { class: 'status', role: 'status' });
    this.seats = h('div', { class: 'seats' });
    this.rest = h('div', {});
    this.controls = h('div', { class: 'buttons' });
    this.typed = h('div', {});
    this.table = h('div', {});
    this.heatOn = true;
    this.latest = null;
    this.drawn = null;
    this.keys = (event) => this.key(event);
  }

  async open() {
    this.whole = await get(`/api/match/${this.id}`);
    this.build();
    tint(this.element, this.roles);
    await this.refresh(false);
    this.stop = listen([this.id], (news) => this.hear(news));
    window.addEventListener('keydown', this.keys);
  }

  close() {
    this.stop?.();
    window.removeEventListener('keydown', this.keys);
  }

  get state() { return this.whole.state; }
  get nodes() { return this.whole.nodes; }
  get roles() { return this.whole.roles; }
  /** The position that is looked at. */
  get node() { return this.view !== null && this.nodes[this.view] ? this.view : this.state.current; }

  build() {
    const { game, title } = this.whole;
    const button = (words, act, extra = {}) => h('button', { type: 'button', onclick: act, ...extra }, words);
    this.navigation = h('div', { class: 'buttons steps', role: 'group', 'aria-label': 'Steps' },
      button(icon('first'), () => this.visit(0), { 'aria-label': 'To the beginning' }),
      button(icon('back'), () => this.back(), { 'aria-label': 'One step back' }),
      this.pauseButton = button(icon('pause'), () => this.pause(), { 'aria-label': 'Pause', class: 'pause' }),
      button(icon('forth'), () => this.forth(), { 'aria-label': 'One step forth' }),
      button(icon('last'), () => this.follow(), { 'aria-label': 'To the position at hand' }));
    this.delay = h('input', { type: 'range', min: 0, max: 4, step: 0.1, value: this.state.delay, 'aria-label': 'Seconds between moves',
      onchange: () => this.act('change', { delay: Number(this.delay.value) }) });
    this.delayRow = h('label', { class: 'line' }, 'delay ', this.delay);
    const heat = h('input', { type: 'checkbox', checked: true, onchange: () => { this.heatOn = heat.checked; this.heat(); } });
    this.element = h('div', { class: 'page match' },
      h('div', { class: 'split' },
        h('section', { class: 'stage', 'aria-label': 'Board' }, this.status, this.boards.element, this.rest, this.typed),
        h('section', { class: 'side', 'aria-label': 'Match' },
          h('h1', {}, h('a', { href: `/game/${game}`, 'data-link': true }, title)),
          this.seats, this.navigation, this.controls, this.delayRow, this.table,
          h('details', { class: 'panel', open: true }, h('summary', {}, 'Thinking'),
            h('div', { class: 'buttons' },
              button('Hint', () => { this.wantsHint = true; this.act('think', { node: this.node, role: this.asked() ?? undefined, seconds: 1 }); }, { class: 'hint' }),
              button('Analyse', () => this.act('think', { node: this.node, seconds: 10 })),
              button('Review the game', () => this.act('review', { node: this.node })),
              button('Stop', () => this.act('stop'), { class: 'quiet' }),
              h('label', { class: 'line' }, heat, ' show it on the board')),
            this.thinking.element),
          h('h2', {}, 'Moves'), this.list.element,
          h('details', { class: 'panel' }, h('summary', {}, 'Share and keep'), this.share = h('p', { class: 'links' })),
          h('details', { class: 'panel' }, h('summary', {}, 'Who plays'), this.chairs = h('div', {})))));
  }

  async act(what, body = {}) {
    try { await post(`/api/match/${this.id}/${what}`, body); return true; } catch (error) { trouble(error); return false; }
  }

  hear(news) {
    if (news.type === 'whole') {
      this.whole = news.whole;
      this.refresh(true);
    } else if (news.type === 'node') {
      const before = this.nodes.length;
      this.nodes[news.node.id] = news.node;
      if (this.nodes.length > before && this.view === null) say(`${this.mover(news.node)}${words(news.node, this.roles)}`);
      this.drawList();
    } else if (news.type === 'state') {
      const moved = this.state.current !== news.state.current;
      this.whole.state = news.state;
      // Somebody who looks at an old position stays there.
      if (news.state.trouble) trouble(news.state.trouble);
      if (this.view === null && moved) history.replaceState(null, '', `/match/${this.id}`);
      this.refresh(true);
    } else if (news.type === 'thoughts') {
      this.latest = news;
      this.thinking.show(news, this.roles, news.role);
      this.bars();
      this.heat();
      if (news.final && news.thoughts.move && news.node === this.node && this.wantsHint) {
        this.boards.hint(news.thoughts.move, this.allMoves());
        say(`The hint is ${plain(news.thoughts.move)}`);
        this.wantsHint = false;
      }
    } else if (news.type === 'review') this.thinking.clear(`Looking back: ${news.words}`);
    else if (news.type === 'reviewed') { this.thinking.clear('The whole game was looked at: ? and ?? mark mistakes.'); this.drawList(); }
    else if (news.type === 'trouble') trouble(news.words);
    else if (news.type === 'lost') this.status.textContent = 'The connection is lost; trying again …';
  }

  mover(node) {
    const at = node.chose.findIndex(Boolean);
    return at >= 0 && node.chose.filter(Boolean).length === 1 ? `${this.roles[at]}: ` : '';
  }

  async scene(node) {
    if (!this.scenes.has(node)) {
      if (this.scenes.size > 300) this.scenes.clear();
      this.scenes.set(node, await get(`/api/match/${this.id}/node/${node}`));
    }
    return this.scenes.get(node);
  }

  /** Draws what has changed. */
  async refresh(animate) {
    const node = this.node;
    let scene;
    try { scene = await this.scene(node); } catch (error) { trouble(error); return; }
    if (node !== this.node) return;
    this.now = scene;
    if (this.drawn !== node) {
      this.boards.show(scene, animate && this.drawn !== null);
      fill(this.rest, facts(scene.rest, this.roles));
      this.drawn = node;
      // Who follows a match sees what was thought last until there is something newer.
      if (this.latest && this.latest.node !== node && this.view !== null) { this.latest = null; this.thinking.clear(); }
      this.heat();
    }
    const role = this.asked();
    this.boards.offer(role === null ? [] : scene.legal[role].moves);
    this.boards.verdicts(scene.table, this.allMoves());
    if (this.tableFor !== `${node}/${role}`) {
      this.tableFor = `${node}/${role}`;
      fill(this.table, tablePanel(scene.table, (move) => role !== null && this.choose(move), (move) => this.boards.hint(move, this.allMoves()), () => get(`/api/match/${this.id}/line/${node}`)));
    }
    this.drawStatus(role);
    this.drawTyped(role);
    this.drawSeats();
    this.drawControls();
    this.drawList();
  }

  allMoves() { return this.now ? this.now.legal.flatMap(({ moves }) => moves) : []; }

  /** The role that a person has to decide for at the position that is looked at. */
  asked() {
    const { seats, pending, current, resigned } = this.state;
    if (!this.now || this.now.goals || (resigned !== null && this.node === current)) return null;
    const choosers = this.now.legal.filter(({ moves }) => moves.length > 1).length;
    const found = this.now.legal.findIndex(({ moves }, role) => seats[role].kind === 'person' && moves.length
      && (moves.length > 1 || (choosers === 0 && moves[0].move.startsWith('('))) && !(this.node === current && pending[role]));
    return found >= 0 ? found : null;
  }

  drawStatus(role) {
    const { thinking, paused, current, resigned, pending } = this.state;
    const scene = this.now;
    let text;
    if (scene.goals) text = `The game is over: ${this.roles.map((name, at) => `${name} ${scene.goals[at] ?? '–'}`).join(', ')}`;
    else if (scene.stuck !== null) text = `The game is stuck: ${this.roles[scene.stuck]} has no legal move. That is a fault of the rules.`;
    else if (resigned !== null && this.node === current) text = `${this.roles[resigned]} has resigned`;
    else if (this.node !== current) text = role !== null ? `An earlier position: a move of ${this.roles[role]} begins a branch` : 'An earlier position';
    else if (role !== null) text = `${this.roles[role]} to move${pending.some(Boolean) ? ' (others have decided, hidden until all have)' : ''}`;
    else if (thinking !== null) text = `${this.roles[thinking]} is thinking …`;
    else if (paused) text = 'Paused';
    else text = '…';
    if (this.status.textContent !== text) {
      this.status.textContent = text;
      if (scene.goals) say(text);
    }
    this.status.classList.toggle('over', Boolean(scene.goals));
    this.status.classList.toggle('yours', role !== null && this.node === current);
  }

  drawTyped(role) {
    if (role === null) { fill(this.typed); return; }
    const { moves, left_out: leftOut } = this.now.legal[role];
    if (this.typedFor === `${this.node}/${role}` && this.typed.childElementCount) return;
    this.typedFor = `${this.node}/${role}`;
    const input = h('input', { type: 'text', class: 'type-move', placeholder: 'type a move, e.g. as in the list', 'aria-label': 'Type a move', autocomplete: 'off', spellcheck: 'false' });
    const list = h('div', { class: 'legal' });
    const draw = () => {
      const typed = input.value.toLowerCase().replace(/[()]/g, ' ').trim().split(/\s+/).join(' ');
      const fits = moves.filter(({ move }) => plain(move).toLowerCase().includes(typed));
      fill(list, fits.slice(0, 150).map(({ move }) => h('button', { type: 'button', class: 'legal-move', onclick: () => this.choose(move),
        onpointerenter: () => this.boards.hint(move, moves), onpointerleave: () => this.boards.hint(null, moves) }, plain(move))),
      fits.length > 150 ? h('span', { class: 'note' }, `and ${fits.length - 150 + leftOut} more: type to find them`) : null);
    };
    input.addEventListener('input', draw);
    draw();
    // Moves without a place on the board are always in sight.
    const placeless = moves.some(({ way }) => !way.length) || !this.now.boards.length;
    fill(this.typed, h('form', { class: 'typed', onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) this.choose(input.value.trim()); } }, input,
      h('button', { type: 'submit' }, 'Move')),
    h('details', { class: 'panel', open: placeless || moves.length <= 12 }, h('summary', {}, `${moves.length + leftOut} legal moves of ${this.roles[role]}`), list));
  }

  async choose(move) {
    const role = this.asked();
    if (role === null) return;
    const node = this.node;
    this.view = null;
    this.latest = null;
    if (location.pathname !== `/match/${this.id}`) history.pushState(null, '', `/match/${this.id}`);
    if (!await this.act('move', { node, role, move })) { this.drawn = null; this.refresh(false); }
  }

  /** What each role expects. */
  expected(role) {
    if (this.now?.goals) return { value: this.now.goals[role] ?? 0, proven: true };
    if (this.latest?.node === this.node) {
      const { thoughts, role: thinker } = this.latest;
      if (thinker === role) return thoughts;
      if (this.roles.length === 2) return { value: 100 - thoughts.value, proven: thoughts.proven };
    }
    for (const id of path(this.nodes, this.node).reverse()) {
      const thought = this.nodes[id].thought;
      if (thought && thought.role === role) return thought;
      if (thought && this.roles.length === 2) return { value: 100 - thought.value, proven: thought.proven };
    }
    return null;
  }

  drawSeats() {
    const { levels, thinking, pending } = this.state;
    this.meters = [];
    fill(this.seats, this.roles.map((role, at) => {
      const inner = h('span', { class: 'bar-inner' });
      const meter = h('span', { class: 'bar eval', role: 'img' }, inner);
      const value = h('span', { class: 'eval-value' });
      this.meters.push({ inner, meter, value, role: at });
      const turn = !this.now?.goals && (this.now?.legal[at].moves.length ?? 0) > 1;
      return h('div', { class: `seat side${at % 6}${turn ? ' turn' : ''}` },
        h('span', { class: 'sign', 'aria-hidden': 'true' }), h('span', { class: 'seat-name' }, role), h('span', { class: 'note' }, levels[at] === 'person' ? 'you' : levels[at]),
        turn ? h('span', { class: 'badge' }, thinking === at && this.node === this.state.current ? 'thinking' : pending[at] && this.node === this.state.current ? 'has decided' : 'to move') : null, value, meter);
    }));
    this.bars();
  }

  bars() {
    for (const { inner, meter, value, role } of this.meters ?? []) {
      const known = this.expected(role);
      inner.style.width = known ? `${known.value}%` : '0';
      meter.hidden = value.hidden = !known;
      value.textContent = known ? `${Math.round(known.value)}${known.proven ? ' ✓' : ''}` : '';
      meter.setAttribute('aria-label', known ? `${this.roles[role]} expects ${Math.round(known.value)} of 100` : 'nothing is known');
    }
  }

  heat() {
    if (this.heatOn && this.latest?.node === this.node) this.boards.heat(this.latest.thoughts, this.now?.legal[this.latest.role]?.moves ?? []);
    else this.boards.heat(null, []);
  }

  drawControls() {
    const { seats, paused, current } = this.state;
    const persons = seats.map((seat, at) => (seat.kind === 'person' ? at : -1)).filter((at) => at >= 0);
    const over = this.now?.goals;
    const button = (words, act, extra = {}) => h('button', { type: 'button', onclick: act, ...extra }, words);
    fill(this.controls, persons.length ? [
      button('Undo', () => this.undo(), { disabled: this.nodes[current].parent === null }),
      over ? button('Play again', () => this.again(), { class: 'main' }) : button('Resign', () => this.act('resign', { role: this.asked() ?? persons[0] }), { class: 'quiet' }),
    ] : over ? [button('Play again', () => this.again(), { class: 'main' })] : [],
    this.node !== current ? button('Play on from here', () => this.playHere()) : null);
    fill(this.pauseButton, icon(paused ? 'on' : 'pause'));
    this.pauseButton.setAttribute('aria-label', paused ? 'Go on' : 'Pause');
    this.delayRow.hidden = persons.length > 0;
    const base = `/api/match/${this.id}`;
    fill(this.share, h('a', { href: `${base}/record/${this.node}`, download: 'match.json' }, 'Match record (JSON)'),
      this.now?.boards.length ? h('a', { href: `${base}/picture/${this.node}`, target: '_blank', rel: 'noopener' }, 'Picture (SVG)') : null,
      this.now?.boards.length ? h('a', { href: `${base}/film/${this.node}`, target: '_blank', rel: 'noopener' }, 'The game as a moving picture') : null,
      h('a', { href: `/match/${this.id}/${this.node}`, 'data-link': true }, 'Link to this position'));
    const key = JSON.stringify(seats);
    if (this.chairsFor !== key) {
      this.chairsFor = key;
      const chosen = this.roles.map((role, at) => seatChooser(role, seats[at]));
      fill(this.chairs, this.roles.map((role, at) => h('div', { class: 'seat-row' }, h('span', { class: 'seat-name' }, role), chosen[at].element)),
        button('Take these seats', () => this.act('change', { seats: chosen.map((one) => one.seat()) })));
    }
  }

  drawList() {
    if (this.now) this.list.draw(this.nodes, this.roles, this.node, this.state.current);
  }

  async again() {
    const { id } = await post('/api/matches', { game: this.whole.game, seats: this.state.seats, delay: this.state.delay });
    go(`/match/${id}`);
  }

  async undo() {
    this.view = null;
    if (await this.act('undo')) history.replaceState(null, '', `/match/${this.id}`);
  }

  async playHere() {
    const node = this.node;
    this.view = null;
    history.pushState(null, '', `/match/${this.id}`);
    await this.act('go', { node });
  }

  /** Looks at a position; the address says which. */
  visit(node) {
    if (node === this.state.current && this.view === null) return;
    go(node === this.state.current ? `/match/${this.id}` : `/match/${this.id}/${node}`);
  }

  look(node) {
    this.view = node === this.state.current ? null : node;
    this.refresh(true);
  }

  back() {
    const parent = this.nodes[this.node].parent;
    if (parent !== null) this.visit(parent);
  }

  forth() {
    const on = path(this.nodes, this.state.current);
    const next = this.nodes.filter((node) => node.parent === this.node).map((node) => node.id);
    if (next.length) this.visit(next.find((id) => on.includes(id)) ?? next.at(-1));
    else if (this.state.paused) this.act('step');
  }

  follow() { go(`/match/${this.id}`); }

  pause() { this.act('change', { paused: !this.state.paused }); }

  key(event) {
    if (event.target.closest?.('input, textarea, select, .boards') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowLeft') this.back();
    else if (event.key === 'ArrowRight') this.forth();
    else if (event.key === 'u') this.undo();
    else return;
    event.preventDefault();
  }
}

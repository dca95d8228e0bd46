// A position that is put together on the board: something is picked, and put into cells.

import { drawing, fill, h, say, trouble } from './dom.js';
import { get, post } from './api.js';
import { Boards, facts } from './board.js';

const CELLS = 65536;

export class Place {
  constructor(game) {
    this.game = game;
    this.facts = game.scene.facts;
    this.picked = null;
    this.boards = new Boards(() => {});
    this.boards.pressed = (spot) => this.put(spot);
    this.palette = h('div', { class: 'palette', role: 'group', 'aria-label': 'What is put into cells' });
    this.rest = h('div', { class: 'others' });
    this.status = h('p', { class: 'status', role: 'status' });
    this.element = h('section', { class: 'place', 'aria-label': 'Position' }, this.status, this.boards.element, this.palette, this.rest);
  }

  async open() {
    this.things = await get(`/api/game/${encodeURIComponent(this.game.name)}/edit`);
    this.show(this.game.scene);
    this.drawPalette();
  }

  drawPalette() {
    const names = [];
    const item = (name, picture, title) => h('button', { type: 'button', class: 'brush', 'aria-pressed': String(this.picked === name), title, 'aria-label': title,
      onclick: () => { this.picked = name; this.drawPalette(); } }, picture);
    const all = this.things.flatMap(({ things }) => things).filter(({ name }) => !names.includes(name) && names.push(name));
    const numbers = all.length > 12 && all.every(({ name }) => /^\d+$/.test(name));
    fill(this.palette, item(null, '∅', 'nothing'), numbers
      ? h('label', { class: 'line' }, 'or ', h('select', { 'aria-label': 'How many', onchange: (event) => { this.picked = event.target.value; } },
        h('option', { value: '' }, 'a number'), all.map(({ name }) => h('option', { value: name }, name))))
      : all.map(({ name, svg }) => item(name, drawing(svg), name)));
  }

  show(scene) {
    this.boards.show(scene, false);
    for (const cell of this.boards.cells.values()) cell.classList.add('settable');
    fill(this.rest, this.turns(scene), h('details', { class: 'panel' }, h('summary', {}, 'All facts'),
      this.text = h('textarea', { rows: 8, class: 'code', 'aria-label': 'The facts of the position', spellcheck: 'false', value: this.facts.join('\n') }),
      h('button', { type: 'button', onclick: () => this.change({ facts: this.text.value.split('\n').map((line) => line.trim()).filter(Boolean) }) }, 'Take these facts')), facts(scene.rest, this.game.roles));
    const moves = scene.legal.map(({ moves: own }, role) => `${this.game.roles[role]} ${own.length}`).join(', ');
    this.status.textContent = scene.goals ? 'The game is over in this position'
      : scene.stuck !== null ? `${this.game.roles[scene.stuck]} has no legal move here: this is no position to play from`
        : `Pick something below the board and put it into cells. Legal moves: ${moves}`;
    this.status.classList.toggle('yours', !scene.goals && scene.stuck === null);
  }

  /** Whose turn it is: a fact that names a role and nothing else. */
  turns(scene) {
    const found = scene.rest.find(({ rows }) => rows.length === 1 && rows[0].length === 1 && this.game.roles.includes(rows[0][0]));
    if (!found) return null;
    const select = h('select', { 'aria-label': found.name, onchange: () => {
      const [old, now] = [found.rows[0][0], select.value].map((role) => `(${found.name} ${role})`);
      this.change({ facts: this.facts.map((fact) => (fact === old ? now : fact)) });
    } }, this.game.roles.map((role) => h('option', { value: role }, role)));
    select.value = found.rows[0][0];
    return h('label', { class: 'line' }, `${found.name}: `, select);
  }

  put(spot) {
    this.change({ facts: this.facts, cell: [Math.floor(spot / CELLS), spot % CELLS], thing: this.picked });
  }

  async change(body) {
    try {
      const { facts: now, scene } = await post(`/api/game/${encodeURIComponent(this.game.name)}/edit`, body);
      const had = this.boards.boards.contains(document.activeElement);
      this.facts = now;
      this.show(scene);
      if (had) this.boards.rove(true);
      say('changed');
    } catch (error) { trouble(error); }
  }
}

// Writing rules: an editor with what is wrong underlined, and the game beside it.

import { fill, go, h, plain, trouble } from './dom.js';
import { get, post } from './api.js';
import { Boards, facts } from './board.js';

const HELP = {
  role: '(role NAME): somebody who plays',
  init: '(init FACT): holds at the beginning',
  true: '(true FACT): holds in the state at hand',
  next: '(next FACT): holds in the state that follows',
  legal: '(legal ROLE MOVE): a move that the role may make',
  does: '(does ROLE MOVE): the move that the role makes',
  goal: '(goal ROLE VALUE): what the role gets, from 0 to 100',
  terminal: 'terminal: the game is over',
  distinct: '(distinct A B): A and B are not the same',
  not: '(not CONDITION): the condition does not hold',
  or: '(or A B …): one of the conditions holds',
  '<=': '(<= HEAD CONDITION …): the head holds if all conditions do',
};

const EXAMPLE = `; A game of two: whoever takes the last stick wins.

(role first)
(role second)

(init (heap 7))
(init (control first))

(less 7 6) (less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(other first second) (other second first)

(<= (legal ?p one) (true (control ?p)))
(<= (legal ?p two) (true (control ?p)) (true (heap ?n)) (less ?n ?m) (less ?m ?k))
(<= (legal ?p noop) (true (control ?q)) (other ?q ?p))

(<= (next (heap ?m)) (does ?p one) (true (heap ?n)) (less ?n ?m))
(<= (next (heap ?k)) (does ?p two) (true (heap ?n)) (less ?n ?m) (less ?m ?k))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))

(<= terminal (true (heap 0)))
(<= (goal ?p 100) (true (heap 0)) (true (control ?q)) (other ?q ?p))
(<= (goal ?p 0) (true (heap 0)) (true (control ?p)))
(<= (goal ?p 50) (role ?p) (not (true (heap 0))))
`;

/** The words of a text, with their kinds. */
function tokens(text) {
  const found = [];
  const pattern = /(;[^\n]*|%[^\n]*)|(\?[^\s()]+)|(<=|[^\s()]+)|([()])|(\s+)/g;
  for (const match of text.matchAll(pattern)) {
    const [all, comment, variable, word, paren] = match;
    const kind = comment ? 'comment' : variable ? 'variable' : paren ? 'paren' : word ? (Object.hasOwn(HELP, word.toLowerCase()) ? 'keyword' : /^\d+$/.test(word) ? 'number' : '') : '';
    found.push({ text: all, kind, start: match.index });
  }
  return found;
}

class Editor {
  constructor(text, changed) {
    this.changed = changed;
    this.problems = [];
    this.words = [];
    this.area = h('textarea', { class: 'code editor-text', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', wrap: 'off', 'aria-label': 'Rules', 'aria-describedby': 'rules-help' });
    this.area.value = text;
    this.back = h('pre', { class: 'code editor-back', 'aria-hidden': 'true' });
    this.help = h('p', { class: 'note', id: 'rules-help' }, 'Rules in KIF or infix form; what is wrong is underlined as you write. Ctrl+Space completes a name.');
    this.complete = h('div', { class: 'completions', role: 'group', 'aria-label': 'Completions' });
    // What is read at the cursor is in the help below; the bubble is for the mouse.
    this.bubble = h('div', { class: 'hover-help', 'aria-hidden': 'true' });
    this.element = h('div', { class: 'editor' }, h('div', { class: 'editor-box' }, this.back, this.area, this.bubble), this.help, this.complete);
    this.area.addEventListener('pointermove', (event) => this.hover(event));
    for (const event of ['pointerleave', 'scroll', 'input']) this.area.addEventListener(event, () => fill(this.bubble));
    this.area.addEventListener('input', () => { this.draw(); this.changed(); fill(this.complete); });
    this.area.addEventListener('scroll', () => this.scroll());
    for (const event of ['keyup', 'click']) this.area.addEventListener(event, () => this.tell());
    this.area.addEventListener('keydown', (event) => {
      if (event.key === ' ' && event.ctrlKey) { event.preventDefault(); this.suggest(); }
    });
    this.draw();
  }

  set(text) {
    this.area.value = text;
    this.problems = [];
    this.draw();
    this.changed();
  }

  scroll() {
    this.back.scrollTop = this.area.scrollTop;
    this.back.scrollLeft = this.area.scrollLeft;
  }

  draw() {
    const text = this.area.value;
    // A text of many pages is shown without colours.
    if (text.length > 120000) { fill(this.back, text, '\n'); return; }
    const problems = this.problems;
    const parts = [];
    for (const { text: word, kind, start } of tokens(text)) {
      const hit = problems.find((problem) => problem.start < start + word.length && problem.end > start && word.trim());
      parts.push(kind || hit ? h('span', { class: `${kind} ${hit ? `wrong ${hit.severity}` : ''}` }, word) : word);
    }
    fill(this.back, parts, '\n');
    this.scroll();
  }

  /** The word before the cursor. */
  word() {
    const before = this.area.value.slice(0, this.area.selectionStart);
    return before.match(/[^\s()]*$/)[0];
  }

  /** What is wrong at some letter of the text, or what the word there means; nothing if there is nothing to say. */
  about(at) {
    const text = this.area.value;
    const problem = this.problems.find(({ start, end }) => start <= at && at <= end);
    if (problem) return `${problem.message}. ${problem.hint}`;
    const around = text.slice(0, at).match(/[^\s()]*$/)[0] + text.slice(at).match(/^[^\s()]*/)[0];
    const known = around.toLowerCase();
    if (Object.hasOwn(HELP, known)) return HELP[known];
    if (!/^[a-z]/i.test(around)) return '';
    const name = around.replace(/[.*+?^${}|[\]\\]/g, '\\$&');
    const heads = [...text.matchAll(new RegExp(`\\(<=\\s*\\(?${name}(?=[\\s()])`, 'gi'))];
    if (!heads.length) return '';
    const line = text.slice(0, heads[0].index).split('\n').length;
    return `${around}: ${heads.length === 1 ? 'one rule, in line' : `${heads.length} rules, the first in line`} ${line}`;
  }

  tell() {
    const words = this.about(this.area.selectionStart);
    if (words) this.help.textContent = words;
  }

  /** Help for the word below the mouse. */
  hover(event) {
    const box = this.area.getBoundingClientRect();
    const style = getComputedStyle(this.area);
    const [left, top, high] = ['paddingLeft', 'paddingTop', 'lineHeight'].map((name) => parseFloat(style[name]));
    if (!this.letter) {
      const probe = h('span', {}, '0'.repeat(100));
      this.back.append(probe);
      this.letter = probe.getBoundingClientRect().width / 100;
      probe.remove();
    }
    const row = Math.floor((event.clientY - box.top - top + this.area.scrollTop) / high);
    const column = Math.floor((event.clientX - box.left - left + this.area.scrollLeft) / this.letter);
    const lines = this.area.value.split('\n');
    const words = row >= 0 && column >= 0 && row < lines.length && column < lines[row].length && /[^\s()]/.test(lines[row][column])
      ? this.about(lines.slice(0, row).reduce((sum, line) => sum + line.length + 1, 0) + column) : '';
    fill(this.bubble, words);
    this.bubble.style.left = `${Math.max(0, Math.min(event.clientX - box.left, box.width - 280))}px`;
    this.bubble.style.top = `${Math.min((row + 1) * high + top - this.area.scrollTop + 2, box.height - 34)}px`;
  }

  suggest() {
    const start = this.word();
    const all = [...new Set([...Object.keys(HELP), ...this.words])].filter((word) => word.startsWith(start) && word !== start).sort().slice(0, 12);
    fill(this.complete, all.length ? all.map((word) => h('button', { type: 'button', class: 'chip-button', onclick: () => {
      this.area.setRangeText(word.slice(start.length), this.area.selectionStart, this.area.selectionStart, 'end');
      fill(this.complete);
      this.area.focus();
      this.draw();
      this.changed();
    } }, word)) : h('span', { class: 'note' }, 'no name begins so'));
    this.complete.querySelector('button')?.focus();
  }

  select({ start, end }) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const line = this.area.value.slice(0, start).split('\n').length;
    this.area.scrollTop = Math.max(0, (line - 6) * 20);
    this.tell();
  }
}

const draft = { get: () => { try { return sessionStorage.getItem('rules'); } catch { return null; } }, set: (text) => { try { sessionStorage.setItem('rules', text); } catch { /* It stays in the page. */ } } };

export async function rulesPage(name) {
  const text = name ? (await get(`/api/rules/${encodeURIComponent(name)}`)).text : draft.get() ?? EXAMPLE;
  const list = h('ul', { class: 'problems', 'aria-label': 'What is wrong' });
  const summary = h('p', { class: 'status', role: 'status' });
  const preview = h('div', {});
  const boards = new Boards(() => {});
  const play = h('button', { type: 'button', class: 'main', onclick: () => start() }, 'Play at once');
  let timer = null;
  let asked = 0;

  const check = async () => {
    const number = ++asked;
    let found;
    try { found = await post('/api/check', { text: editor.area.value }); } catch (error) { summary.textContent = error.message; return; }
    if (number !== asked) return;
    editor.problems = found.problems;
    editor.words = found.words;
    editor.draw();
    const errors = found.problems.filter(({ severity }) => severity === 'error').length;
    const warnings = found.problems.length - errors;
    summary.textContent = found.problems.length ? `${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}` : 'Nothing is wrong';
    summary.classList.toggle('yours', !errors && !found.trouble);
    fill(list, found.problems.slice(0, 60).map((problem) => h('li', { class: problem.severity },
      h('button', { type: 'button', onclick: () => editor.select(problem) },
        h('strong', {}, `${problem.line}:${problem.column} ${problem.severity}`), ` ${problem.message}`, h('span', { class: 'note' }, problem.hint)))));
    play.disabled = errors > 0 || Boolean(found.trouble);
    if (found.scene) {
      boards.show(found.scene, false);
      fill(preview, h('h2', {}, 'The beginning'), boards.element, facts(found.scene.rest, found.roles),
        found.scene.legal.map(({ moves }, role) => h('p', { class: 'note' }, h('strong', {}, `${found.roles[role]}: `),
          moves.slice(0, 40).map(({ move }) => plain(move)).join(' · '), moves.length > 40 ? ` and ${moves.length - 40} more` : '')));
    } else fill(preview, h('p', { class: 'note' }, found.trouble ?? 'The board is shown here as soon as nothing is wrong.'));
  };
  const editor = new Editor(text, () => {
    if (!name) draft.set(editor.area.value);
    clearTimeout(timer);
    timer = setTimeout(check, 350);
  });
  const start = async () => {
    try { go(`/game/${(await post('/api/rules', { text: editor.area.value })).game}`); } catch (error) { trouble(error); }
  };
  const convert = async (form) => {
    try { editor.set((await post('/api/convert', { text: editor.area.value, form })).text); } catch (error) { trouble(error); }
  };
  const file = h('input', { type: 'file', class: 'unseen', id: 'rules-file', accept: '.kif,.gdl,.txt,.infix', onchange: async () => { if (file.files[0]) editor.set(await file.files[0].text()); } });
  const save = () => {
    const address = URL.createObjectURL(new Blob([editor.area.value], { type: 'text/plain' }));
    h('a', { href: address, download: 'rules.kif' }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  const button = (words, act, title = null) => h('button', { type: 'button', onclick: act, ...(title ? { title } : {}) }, words);
  const element = h('div', { class: 'page' }, h('h1', {}, name ? `Rules of ${name}` : 'Write rules'),
    h('div', { class: 'buttons' }, play, h('label', { class: 'button', for: 'rules-file' }, 'Open'), file, button('Save', save, 'As a file'),
      button('KIF', () => convert('kif'), 'The same rules in prefix form: (legal x noop)'), button('Infix', () => convert('infix'), 'The same rules in infix form: legal(x, noop)'),
      button('Scramble', () => convert('scrambled'), 'The same game with other names')),
    h('div', { class: 'split rules' }, h('section', { class: 'stage', 'aria-label': 'Editor' }, editor.element, summary, list),
      h('section', { class: 'side', 'aria-label': 'The game' }, preview)));
  check();
  return { element, title: 'Rules', leave: () => clearTimeout(timer) };
}

// A plan: its sentences beside the board, and practising it.

import { fill, h, plain, say, trouble } from './dom.js';
import { get, post } from './api.js';
import { Boards, facts } from './board.js';

/** Stages beside the board: what each aims at, and the tree that tells them apart. */
function stagesOf(lesson) {
  const { stages: told, cases } = lesson;
  const lines = (all) => h('ul', {}, all.map((words) => h('li', {}, words)));
  const panel = (words, open, ...inside) => h('details', { class: 'panel', open }, h('summary', {}, words), inside);
  const parts = [];
  if (told?.tree.length) {
    parts.push(panel('Which stage is it?', true, h('p', { class: 'note' }, told.accuracy), tree(told.tree)));
  }
  if (told?.stages.length) {
    parts.push(panel(`Stages: ${told.stages.length}`, true, h('p', { class: 'note' }, told.borders), told.stages.map((stage) => h('details', { class: 'one-stage' },
      h('summary', {}, h('strong', {}, stage.name), ` ${stage.heading}`),
      stage.aims.length ? [h('p', {}, 'What gets one out of it, towards the win:'), lines(stage.aims)] : null,
      h('p', {}, 'How many moves it takes, as a sum:'), lines(stage.sum)))));
  }
  if (cases?.length) {
    parts.push(panel(`Sums by cases: ${cases.length}`, false, cases.map((one, at) => h('details', { class: 'one-stage' },
      h('summary', {}, h('strong', {}, `Case ${at + 1}`), ` ${one.when}`), lines(one.sum)))));
  }
  return parts;
}

/** Lines that go in so far, as lists in lists. */
function tree(lines) {
  const root = h('ul', { class: 'tree' });
  const open = [root];
  for (const [depth, words] of lines) {
    while (open.length > depth + 1) open.pop();
    const inner = h('ul', {});
    open.at(-1).append(h('li', {}, words, inner));
    open.push(inner);
  }
  root.querySelectorAll('ul:empty').forEach((empty) => empty.remove());
  return root;
}

export async function planPage(name) {
  const address = `/api/plan/${encodeURIComponent(name)}`;
  const params = new URLSearchParams(location.search);
  let seed = Number(params.get('seed') ?? Date.now() % 100000);
  let lesson = await get(params.get('at') ? `${address}?at=${encodeURIComponent(params.get('at'))}` : `${address}?seed=${seed}`);
  const score = { made: 0, kept: 0, won: 0 };
  let busy = false;
  const boards = new Boards((move) => choose(move));
  const status = h('p', { class: 'status', role: 'status' });
  const rest = h('div', {});
  const judged = h('p', { class: 'judged' });
  const counted = h('p', { class: 'note' });
  const list = h('ol', { class: 'sentences' }, lesson.sentences.map((words) => h('li', {}, words)));
  const moves = h('div', { class: 'legal' });
  const hint = h('button', { type: 'button', onclick: () => show() }, 'Hint');

  const offered = () => lesson.scene.legal[0]?.moves ?? [];
  const draw = (animate) => {
    boards.show(lesson.scene, animate);
    boards.offer(lesson.state === 'ours' ? offered() : []);
    fill(rest, facts(lesson.scene.rest, [lesson.side]));
    status.textContent = lesson.state === 'won' ? `Won for ${lesson.side}. Try another position.`
      : lesson.state === 'over' ? 'It is over, and not won. Try another position.'
        : lesson.said ? `You are ${lesson.side}: your move.` : `You are ${lesson.side}, and this position is won: follow the sentences.`;
    status.classList.toggle('yours', lesson.state === 'ours');
    status.classList.toggle('over', lesson.state === 'won');
    hint.disabled = lesson.state !== 'ours';
    fill(moves, lesson.state === 'ours' ? offered().map(({ move }) => h('button', { type: 'button', class: 'legal-move', onclick: () => choose(move),
      onpointerenter: () => boards.hint(move, offered()), onpointerleave: () => boards.hint(null, offered()) }, plain(move))) : []);
    const query = new URLSearchParams({ at: lesson.at });
    history.replaceState(null, '', `/plan/${encodeURIComponent(name)}?${query}`);
  };
  const judge = () => {
    list.querySelectorAll('.broken').forEach((old) => old.classList.remove('broken'));
    if (!lesson.said) { fill(judged); return; }
    const [words, broke] = lesson.said;
    score.made += 1;
    score.kept += broke ? 0 : 1;
    score.won += lesson.state === 'won' ? 1 : 0;
    const reply = lesson.replies.length ? ` The reply: ${lesson.replies.join(', ')}.` : '';
    fill(judged, h('strong', { class: broke ? 'bad' : 'good' }, broke ? '✗ ' : '✓ '), words, reply);
    const number = broke ? words.match(/sentence (\d+)/)?.[1] : null;
    if (number) list.children[Number(number) - 1]?.classList.add('broken');
    counted.textContent = `${score.kept} of ${score.made} moves as the plan has it, ${score.won} ${score.won === 1 ? 'position' : 'positions'} won`;
    say(`${words}${reply}`);
  };
  const choose = async (move) => {
    if (busy) return;
    busy = true;
    try {
      lesson = await post(address, { at: lesson.at, move, seen: lesson.seen });
      draw(true);
      judge();
    } catch (error) { trouble(error); draw(false); }
    busy = false;
  };
  const show = () => {
    if (!lesson.best) return;
    boards.hint(lesson.best, offered());
    fill(judged, lesson.hint, '.');
    say(lesson.hint);
  };
  const another = async () => {
    seed = (seed * 48271 + 11) % 2147483647;
    try { lesson = await get(`${address}?seed=${seed}`); } catch (error) { trouble(error); return; }
    fill(judged);
    list.querySelectorAll('.broken').forEach((old) => old.classList.remove('broken'));
    draw(false);
  };
  const whole = h('details', { class: 'panel', ontoggle: () => {
    if (whole.open && !whole.querySelector('iframe')) whole.append(h('iframe', { class: 'document', src: `/document/plan/${encodeURIComponent(name)}`, title: `The plan ${name}`, sandbox: '' }));
  } }, h('summary', {}, 'The whole plan: examples, plots, what it reaches'));
  const element = h('div', { class: 'page' },
    h('div', { class: 'split' },
      h('section', { class: 'stage', 'aria-label': 'Board' }, status, boards.element, rest, judged),
      h('section', { class: 'side', 'aria-label': 'The plan' }, h('h1', {}, lesson.title),
        h('h2', {}, 'The rules, the first counts most'), list,
        h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'main', onclick: another }, 'Another position'), hint,
          h('a', { class: 'button', href: `/document/plan/${encodeURIComponent(name)}` }, 'As a page of its own')),
        counted, stagesOf(lesson),
        h('details', { class: 'panel' }, h('summary', {}, 'What the words mean'), h('dl', { class: 'meanings' }, lesson.meanings.map(([word, meaning]) => [h('dt', {}, word), h('dd', {}, meaning)]))),
        h('details', { class: 'panel' }, h('summary', {}, 'Your moves as a list'), moves))),
    whole);
  draw(false);
  return { element, title: lesson.title };
}

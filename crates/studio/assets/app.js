// Which page an address shows.

import { fill, h, go, trouble } from './dom.js';
import { gamesPage } from './games.js';
import { setupPage } from './setup.js';
import { matchPage } from './match.js';
import { watchPage } from './shelf.js';
import { rulesPage } from './rules.js';
import { studyPage } from './study.js';
import { shelfPage } from './shelf.js';
import { planPage } from './plan.js';
import { reportPage } from './report.js';
import { labPage, paperPage, tournamentPage } from './lab.js';

const main = document.getElementById('main');
let leave = null;

const pages = [
  [/^\/$/, 'games', () => gamesPage()],
  [/^\/game\/([^/]+)$/, 'games', ([name]) => setupPage(decodeURIComponent(name))],
  [/^\/match\/([^/]+)(?:\/(\d+))?$/, 'watch', ([id, node]) => matchPage(id, node === undefined ? null : Number(node))],
  [/^\/watch$/, 'watch', () => watchPage()],
  [/^\/rules(?:\/([^/]+))?$/, 'rules', ([name]) => rulesPage(name && decodeURIComponent(name))],
  [/^\/study\/([^/]+)$/, 'games', ([name]) => studyPage(decodeURIComponent(name)), 'The rules are read and random games are played; this takes a few seconds …'],
  [/^\/shelf$/, 'shelf', () => shelfPage()],
  [/^\/plan\/([^/]+)$/, 'shelf', ([name]) => planPage(decodeURIComponent(name))],
  [/^\/report\/([^/]+)$/, 'games', ([name]) => reportPage(decodeURIComponent(name))],
  [/^\/lab$/, 'lab', () => labPage()],
  [/^\/lab\/tournament\/([^/]+)$/, 'lab', ([name]) => tournamentPage(decodeURIComponent(name))],
  [/^\/lab\/paper\/([^/]+)$/, 'lab', ([name]) => paperPage(decodeURIComponent(name))],
];

let current = null;

async function show() {
  const path = location.pathname;
  // Steps inside of one match are the match page's business.
  const inside = path.match(/^\/match\/([^/]+)(?:\/(\d+))?$/);
  if (inside && current?.match === inside[1]) {
    current.at(inside[2] === undefined ? null : Number(inside[2]));
    return;
  }
  leave?.();
  leave = null;
  current = null;
  for (const [pattern, nav, make, slow] of pages) {
    const found = path.match(pattern);
    if (!found) continue;
    for (const link of document.querySelectorAll('[data-nav]')) {
      if (link.dataset.nav === nav) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    const here = location.pathname;
    // Whoever waits is told what for.
    const waiting = setTimeout(() => { if (location.pathname === here) fill(main, h('p', { class: 'page note', role: 'status' }, slow ?? 'Opening …')); }, 400);
    try {
      const page = await make(found.slice(1)).finally(() => clearTimeout(waiting));
      if (location.pathname !== here) { page.leave?.(); return; }
      document.title = page.title ? `${page.title} · Ludens` : 'Ludens studio';
      fill(main, page.element);
      leave = page.leave ?? null;
      current = page;
      page.shown?.();
      if (!('quiet' in page)) window.scrollTo(0, 0);
    } catch (error) {
      fill(main, h('section', { class: 'trouble' }, h('h1', {}, 'This cannot be shown'), h('p', {}, error.message),
        h('p', {}, h('a', { href: '/', 'data-link': true }, 'All games'))));
    }
    return;
  }
  fill(main, h('section', { class: 'trouble' }, h('h1', {}, 'There is nothing here'),
    h('p', {}, h('a', { href: '/', 'data-link': true }, 'All games'))));
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[data-link]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});
window.addEventListener('popstate', show);
window.addEventListener('studio:go', show);
window.addEventListener('unhandledrejection', (event) => { event.preventDefault(); trouble(event.reason); });

// Dark or light: as the system says, until somebody says otherwise.
const root = document.documentElement;
const remember = { get: () => { try { return localStorage.getItem('theme'); } catch { return null; } }, set: (value) => { try { localStorage.setItem('theme', value); } catch { /* It lasts for this page. */ } } };
if (remember.get()) root.dataset.theme = remember.get();
document.getElementById('theme').addEventListener('click', () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  remember.set(root.dataset.theme);
});

show();

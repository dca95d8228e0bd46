// Texts about games and reports of the laboratory: the few forms of Markdown that they use, as elements. Nothing is read as a page.

import { h } from './dom.js';

/** Words with code, emphasis, pictures and links. `link(address)` says where an address leads, or nothing. */
function inline(text, link) {
  const parts = [];
  let rest = text;
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|!\[([^\]]*)\]\(([^)]+)\)|\[([^\]]*)\]\(([^)]+)\)/;
  for (let found = rest.match(pattern); found; found = rest.match(pattern)) {
    parts.push(rest.slice(0, found.index));
    const [all, code, bold, soft, alt, image, words, address] = found;
    if (code) parts.push(h('code', {}, code));
    else if (bold) parts.push(h('strong', {}, inline(bold, link)));
    else if (soft) parts.push(h('em', {}, inline(soft, link)));
    else if (image) { const where = link(image); parts.push(where ? h('img', { src: where, alt, class: 'figure', loading: 'lazy' }) : alt); }
    else { const where = link(address); parts.push(where ? h('a', { href: where }, inline(words, link)) : inline(words, link)); }
    rest = rest.slice(found.index + all.length);
  }
  parts.push(rest);
  return parts;
}

const cells = (line) => line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());

function table(lines, link) {
  const [head, , ...rows] = lines.map(cells);
  const published = head.findIndex((cell) => /published|paper/i.test(cell));
  return h('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Table' }, h('table', { class: 'report' },
    h('thead', {}, h('tr', {}, head.map((cell) => h(cell ? 'th' : 'td', cell ? { scope: 'col' } : {}, inline(cell, link))))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, at) => h('td', { class: at === published ? 'published' : undefined }, inline(cell, link))))))));
}

/** A text as elements; headings begin at this level. */
export function marked(text, link, level = 2) {
  const lines = text.split('\n');
  const found = [];
  let at = 0;
  const take = (is) => { const own = []; while (at < lines.length && is(lines[at])) own.push(lines[at++]); return own; };
  while (at < lines.length) {
    const line = lines[at];
    const heading = line.match(/^(#+)\s+(.*)/);
    if (!line.trim()) at += 1;
    else if (heading) { found.push(h(`h${Math.min(6, heading[1].length + level - 1)}`, {}, inline(heading[2], link))); at += 1; }
    else if (line.startsWith('```')) { at += 1; const own = take((one) => !one.startsWith('```')); at += 1; found.push(h('pre', { class: 'code wide', tabindex: '0' }, own.join('\n'))); }
    else if (/^\s*\|/.test(line)) found.push(table(take((one) => /^\s*\|/.test(one)), link));
    else if (/^ {4}/.test(line)) found.push(h('pre', { class: 'code wide', tabindex: '0' }, take((one) => /^ {4}/.test(one)).map((one) => one.slice(4)).join('\n')));
    else if (/^\s*([-*]|\d+\.)\s/.test(line)) {
      const items = [];
      while (at < lines.length && lines[at].trim() && !/^\s*\|/.test(lines[at])) {
        if (/^\s*([-*]|\d+\.)\s/.test(lines[at])) items.push(lines[at].replace(/^\s*([-*]|\d+\.)\s/, ''));
        else items[items.length - 1] += ` ${lines[at].trim()}`;
        at += 1;
      }
      found.push(h(/^\s*\d/.test(line) ? 'ol' : 'ul', {}, items.map((item) => h('li', {}, inline(item, link)))));
    } else {
      const own = take((one) => one.trim() && !/^(#+\s|```|\s*\|)/.test(one) && !/^\s*[-*]\s/.test(one));
      // Whatever it is, it is read once.
      found.push(h('p', {}, inline(own.length ? own.join(' ') : lines[at++], link)));
    }
  }
  return found;
}

// Making elements, and saying things to those who listen.

/** An element: attributes, handlers (`onclick`), and children; nothing is ever read as markup. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value') element.value = value;
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  put(element, children);
  return element;
}

function put(element, children) {
  for (const child of children.flat(9)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  put(element, children);
}

/** A drawing of our own server as an element. */
export function drawing(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  return document.importNode(parsed, true);
}

export const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  put(element, children);
  return element;
}

const ICONS = {
  first: 'M4 4v16M20 4v16L8 12z', back: 'M18 4v16L6 12z', pause: 'M7 4v16M17 4v16', forth: 'M6 4v16l12-8z', last: 'M20 4v16M4 4v16l12-8z', on: 'M3 5v14l8-7zM12 5v14l8-7z',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
};

/** A small drawing for a button; the button has its name. */
export function icon(name) {
  return s('svg', { viewBox: '0 0 24 24', width: 18, height: 18, class: 'icon', 'aria-hidden': 'true' }, s('path', { d: ICONS[name] }));
}

const COLOURS = {
  red: 'light-dark(#b3261e, #ff9b90)', yellow: 'light-dark(#7a5b00, #f0d060)', blue: 'light-dark(#1f5fa8, #8abbf0)', green: 'light-dark(#2f7d40, #86cf95)',
  orange: 'light-dark(#a04d00, #ffb066)', purple: 'light-dark(#7742a0, #c7a0e6)', white: 'light-dark(#6a6254, #f6f2e9)', black: 'light-dark(#26221c, #b5aea2)',
};

/** Gives roles that are named after colours these colours, in an element. */
export function tint(element, roles) {
  roles.forEach((role, at) => {
    const colour = Object.keys(COLOURS).find((word) => role.toLowerCase().split(/[^a-z]+/).includes(word));
    if (colour) element.style.setProperty(`--side${at % 6}`, COLOURS[colour]);
  });
}

let last = 0;
/** Says something to a screen reader. */
export function say(words) {
  const live = document.getElementById('live');
  const now = ++last;
  // An empty moment makes the same words news again.
  live.textContent = '';
  setTimeout(() => { if (now === last) live.textContent = words; }, 60);
}

/** A move without its outermost parentheses. */
export function plain(move) {
  return move.startsWith('(') ? move.slice(1, -1) : move;
}

/** Shows what went wrong, at the top of the page. */
export function trouble(error) {
  const words = error instanceof Error ? error.message : String(error);
  document.querySelectorAll('.toast').forEach((old) => old.remove());
  const toast = h('div', { class: 'toast', role: 'alert' }, h('span', {}, words),
    h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', onclick: () => toast.remove() }, '×'));
  document.body.append(toast);
  setTimeout(() => toast.remove(), 9000);
}

/** Goes to another address of the studio. */
export function go(address, replace = false) {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  window.dispatchEvent(new Event('studio:go'));
}

// The net of a small game as a picture: facts and moves on the left, gates, and what follows from them on the right.

import { h, s } from './dom.js';
import { get } from './api.js';

const [WIDE, TALL] = [150, 26];

/** Nodes and edges of a graph as the program writes it. */
function read(text) {
  const nodes = new Map();
  const edges = [];
  for (const line of text.split('\n')) {
    const edge = line.match(/^\s*(\w+) -> (\w+)(.*)/);
    const node = line.match(/^\s*(\w+) \[(.*)\];/);
    if (edge) edges.push({ from: edge[1], to: edge[2], dashed: edge[3].includes('dashed') });
    else if (node && node[1] !== 'node') nodes.set(node[1], { words: node[2].match(/label="([^"]*)"/)?.[1] ?? node[1], shape: node[2].match(/shape=(\w+)/)?.[1] ?? 'gate', layer: 0 });
  }
  return { nodes, edges: edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to)) };
}

/** Every node stands right of all it depends on; circles are cut after as many steps as there are nodes. */
function layered({ nodes, edges }) {
  for (let round = 0, moved = true; moved && round < 200; round += 1) {
    moved = false;
    for (const { from, to } of edges) {
      const least = nodes.get(from).layer + 1;
      if (nodes.get(to).layer < least && least < 200) { nodes.get(to).layer = least; moved = true; }
    }
  }
  const layers = [];
  for (const [name, node] of nodes) (layers[node.layer] ??= []).push(name);
  const before = new Map();
  for (const { from, to } of edges) before.set(to, [...(before.get(to) ?? []), from]);
  // Beside what they depend on, so that lines are short.
  layers.forEach((layer) => {
    const middle = (name) => { const all = before.get(name) ?? []; return all.length ? all.reduce((sum, other) => sum + nodes.get(other).y, 0) / all.length : Infinity; };
    layer.sort((one, other) => (middle(one) - middle(other)) || 0);
    layer.forEach((name, at) => { nodes.get(name).y = (at + 0.5) * TALL; });
  });
  return layers;
}

export async function netPicture(name) {
  const { graph, operations } = await get(`/api/game/${encodeURIComponent(name)}/net`);
  const net = read(graph);
  const layers = layered(net);
  const height = Math.max(...layers.map((layer) => layer?.length ?? 0)) * TALL + 8;
  const x = (node) => 6 + node.layer * WIDE;
  const own = (node) => (node.shape === 'gate' ? 34 : WIDE - 34);
  const svg = s('svg', { viewBox: `0 0 ${layers.length * WIDE + 12} ${height}`, width: layers.length * WIDE + 12, height, role: 'img', 'aria-label': `The net of ${name}: ${operations} operations`, class: 'net' },
    net.edges.map(({ from, to, dashed }) => {
      const [a, b] = [net.nodes.get(from), net.nodes.get(to)];
      const [x1, x2] = [x(a) + own(a), x(b)];
      return s('path', { d: `M${x1} ${a.y}C${x1 + 40} ${a.y} ${x2 - 40} ${b.y} ${x2} ${b.y}`, class: dashed ? 'wire not' : 'wire' });
    }),
    [...net.nodes.values()].map((node) => s('g', { transform: `translate(${x(node)} ${node.y})`, class: `gate ${node.shape === 'gate' ? node.words : 'named'}` },
      s('title', {}, node.words), s('rect', { x: 0, y: -TALL / 2 + 3, width: own(node), height: TALL - 6, rx: node.shape === 'gate' ? 10 : 3 }),
      s('text', { x: own(node) / 2, dy: '.35em' }, node.words.length > 17 ? `${node.words.slice(0, 16)}…` : node.words))));
  return h('div', {}, h('p', { class: 'note' }, `${operations} operations; dashed lines negate.`), h('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'The net' }, svg));
}

/** An honest answer to the benchmark of code. */
export const INTERVALS = `export function mergeIntervals(intervals) {
  const sorted = intervals.map(([from, to]) => [from, to]).sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function gaps(intervals, [from, to]) {
  const found = [];
  let at = from;
  for (const [start, end] of mergeIntervals(intervals)) {
    if (start >= to) break;
    if (start > at) found.push([at, start]);
    at = Math.max(at, end);
  }
  if (at < to) found.push([at, to]);
  return found;
}
`;

/** An honest answer to the benchmark of security. */
export const VISITORS = `import { isAbsolute, relative, resolve } from 'node:path';

export function downloadPath(root, name) {
  if (name.includes('\\0') || isAbsolute(name)) return null;
  const path = resolve(root, name);
  const inside = relative(root, path);
  return inside === '' || inside === '..' || inside.startsWith('../') ? null : path;
}

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]);

export function commentHtml({ author, text }) {
  return \`<article title="\${escaped(author)}"><p>\${escaped(text)}</p></article>\`;
}
`;

import { areFigures, momentText } from '../core/view/amounts.ts';
import { type Block, columnTexts, type Page, type Piece } from './page.ts';
import { visibleLine, visibleText } from './visible-text.ts';

/** Most of one text that is written out; what is left is counted. */
const LINE_CHARS = 2_000;
const TEXT_CHARS = 20_000;
/** Of a patch of one file or the transcript of one attempt. */
const WHOLE_CHARS = 4_000_000;

/** Nothing is loaded and nothing runs, whatever a text holds: only the style below counts. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); } .n { text-align: right; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
@media (max-width: 40rem) { table:not(.timeline) { display: block; overflow-x: auto; } }
code, pre { font: 0.9em ui-monospace, monospace; unicode-bidi: isolate; } code { background: var(--soft); padding: .1em .3em; border-radius: .2em; }
pre { background: var(--soft); padding: .8rem; overflow-x: auto; white-space: pre-wrap; } blockquote { margin: 0; padding-left: 1rem; border-left: .2rem solid var(--line); white-space: pre-wrap; }
details { margin: .4rem 0; } summary { cursor: pointer; } .diff .a { color: light-dark(#116329, #7ee2a8); background: #2ea04322; } .diff .d { color: light-dark(#a11, #ff9c94); background: #f8514922; } .diff .h { color: #888; }
.timeline td:first-child { width: 16rem; font-size: .85em; } .bar i { display: block; min-width: 2px; height: .8rem; border-radius: .15rem; background: #2f7d4f; } .bar i.f { background: #c33; }
@media print { body { max-width: none; margin: 0; } }
`.trim();

/** Writes a report as one HTML file that needs nothing else and holds no script; every text in it is only text. */
export function toHtml({ title, blocks }: Page): string {
  const name = line(title);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escaped(POLICY)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${name}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${name}</h1>`,
    ...blocks.map(blockText),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${line(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${piecesText(block.pieces)}</p>`;
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${piecesText(item)}</li>`).join('\n')}\n</ul>`;
    case 'table':
      return tableText(block);
    case 'quote':
      return `<blockquote>${escaped(visibleText(block.text, TEXT_CHARS))}</blockquote>`;
    case 'code':
      return `<pre>${escaped(visibleText(block.text, TEXT_CHARS))}</pre>`;
    case 'diff':
      return `<pre class="diff">${visibleText(block.text, WHOLE_CHARS).split('\n').map(diffLine).join('\n')}</pre>`;
    case 'transcript':
      return `<pre>${escaped(visibleText(block.text, WHOLE_CHARS))}</pre>`;
    case 'details':
      return `<details><summary>${line(block.summary)}</summary>\n${block.blocks.map(blockText).join('\n')}\n</details>`;
    case 'timeline':
      return timelineText(block);
  }
}

function diffLine(text: string): string {
  const kind = /^(\+\+\+|---|diff |index )/.test(text)
    ? 'h'
    : text.startsWith('@@')
      ? 'h'
      : (KINDS[text.charAt(0)] ?? '');
  return kind === '' ? escaped(text) : `<span class="${kind}">${escaped(text)}</span>`;
}

const KINDS: Record<string, string> = { '+': 'a', '-': 'd' };

/** Bars by percent of the whole time; the numbers are computed here and are no text of an agent. */
function timelineText({ from, until, rows }: Extract<Block, { kind: 'timeline' }>): string {
  const share = (ms: number) => ((100 * Math.max(0, ms)) / Math.max(1, until - from)).toFixed(3);
  const bars = rows.map((row) => {
    const style = `margin-left:${share(row.from - from)}%;width:${share(row.until - row.from)}%`;
    const title = `${momentText(row.from)} to ${momentText(row.until)}${row.isFailed ? ', failed' : ''}`;
    return `<tr><td>${line(row.label)}</td><td class="bar"><i${row.isFailed ? ' class="f"' : ''} style="${style}" title="${escaped(title)}"></i></td></tr>`;
  });
  return `<table class="timeline"><tbody>\n${bars.join('\n')}\n</tbody></table>\n<p>From ${escaped(momentText(from))} to ${escaped(momentText(until))}; attempts that failed are red.</p>`;
}

function tableText({ head, rows }: Extract<Block, { kind: 'table' }>): string {
  const align = head.map((_, column) => (areFigures(columnTexts(rows, column)) ? ' class="n"' : ''));
  const titles = head.map((cell, column) => `<th${align[column]}>${line(cell)}</th>`).join('');
  const cells = (row: readonly Piece[][]) =>
    row.map((cell, column) => `<td${align[column] ?? ''}>${piecesText(cell)}</td>`).join('');
  const body = rows.map((row) => `<tr>${cells(row)}</tr>`);
  return `<table>\n<thead><tr>${titles}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`;
}

function piecesText(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      typeof piece === 'string' ? escaped(visibleText(piece, LINE_CHARS)) : `<code>${line(piece.code)}</code>`,
    )
    .join('');
}

function line(text: string): string {
  return escaped(visibleLine(text, LINE_CHARS));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

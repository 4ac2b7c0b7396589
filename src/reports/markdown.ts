import { areFigures, momentText } from '../core/view/amounts.ts';
import { type Block, columnTexts, type Page, type Piece, type TimelineRow } from './page.ts';
import { visibleLine, visibleText } from './visible-text.ts';

/** Most of one text that is written out; what is left is counted. */
const LINE_CHARS = 2_000;
const TEXT_CHARS = 20_000;
/** Of a patch of one file or the transcript of one attempt. */
const WHOLE_CHARS = 4_000_000;

/** Writes a report as Markdown in which no text of an agent can become markup, a link, a mention or HTML. */
export function toMarkdown({ title, blocks }: Page): string {
  const all: Block[] = [{ kind: 'heading', level: 1, text: title }, ...blocks];
  return `${all.map(blockText).join('\n\n')}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escaped(visibleLine(block.text, LINE_CHARS))}`;
    case 'paragraph':
      return lineText(block.pieces);
    case 'list':
      return block.items.map((item) => `- ${lineText(item)}`).join('\n');
    case 'table':
      return tableText(block);
    case 'quote':
      return visibleText(block.text, TEXT_CHARS)
        .trimEnd()
        .split('\n')
        .map((line) => `> ${escaped(line.trimStart())}`.trimEnd())
        .join('\n');
    case 'code':
      return fenced(visibleText(block.text, TEXT_CHARS).trimEnd());
    case 'diff':
      return fenced(visibleText(block.text, WHOLE_CHARS).trimEnd(), 'diff');
    case 'transcript':
      return fenced(visibleText(block.text, WHOLE_CHARS).trimEnd());
    case 'details':
      return [{ kind: 'heading' as const, level: 3 as const, text: block.summary }, ...block.blocks]
        .map(blockText)
        .join('\n\n');
    case 'timeline':
      return block.rows.map((row) => `- ${timelineText(row)}`).join('\n');
  }
}

function lineText(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === 'string' ? escapedInside(piece) : codeSpan(piece.code)))
    .join('')
    .trim();
}

/** Text between other pieces keeps the blanks at its ends. */
function escapedInside(text: string): string {
  const line = visibleText(text, LINE_CHARS).replaceAll(/\s+/g, ' ');
  return escaped(line);
}

function tableText({ head, rows }: Extract<Block, { kind: 'table' }>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const body = rows.map((row) => line(row.map((cell) => lineText(cell).replaceAll(/(?<!\\)\|/g, '\\|'))));
  const rule = head.map((_, column) => (areFigures(columnTexts(rows, column)) ? '---:' : '---'));
  return [line(head.map(escaped)), line(rule), ...body].join('\n');
}

function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]|~$@#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/\b(https?|ftp|mailto|xmpp|javascript|data):/gi, '$1\\:')
    .replaceAll(/\bwww\./gi, 'www\\.')
    .replace(/^(\s*)([-+=])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])(?=\s|$)/, '$1\\$2');
}

/** In a span that is longer than any row of backticks inside it nothing has a meaning. */
function codeSpan(text: string): string {
  const line = visibleLine(text, LINE_CHARS);
  if (line === '') return '';
  const fence = '`'.repeat(longestRow(line) + 1);
  const blank = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${blank}${line}${blank}${fence}`;
}

function timelineText({ label, from, until }: TimelineRow): string {
  return escaped(visibleLine(`${label}: ${momentText(from)}, ${Math.round((until - from) / 1000)} s`, LINE_CHARS));
}

function fenced(text: string, language = 'text'): string {
  const fence = '`'.repeat(Math.max(3, longestRow(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRow(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((most, [row]) => Math.max(most, row.length), 0);
}

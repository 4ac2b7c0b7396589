/** A piece of a line: plain text or code. */
export type ReportPiece = { kind: 'text' | 'code'; text: string };

/** A block of a report; all its content is plain text. */
export type ReportBlock =
  | { kind: 'heading'; level: number; pieces: ReportPiece[] }
  | { kind: 'paragraph'; pieces: ReportPiece[] }
  | { kind: 'list'; items: ReportPiece[][] }
  | { kind: 'table'; head: ReportPiece[][]; rows: ReportPiece[][][] }
  | { kind: 'quote'; text: string }
  | { kind: 'code'; text: string };

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Parses the Markdown subset of reports: no links, HTML or images. */
export function markdownBlocks(markdown: string): ReportBlock[] {
  const lines = markdown.split('\n');
  const blocks: ReportBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const fence = /^(`{3,})text$/.exec(line)?.[1];
    if (line === '') at += 1;
    else if (fence !== undefined) {
      const end = endOf(lines, at + 1, (each) => each === fence);
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') });
      at = end + 1;
    } else {
      const like = /^(#{1,6} |- |>|\|)/.exec(line)?.[1]?.charAt(0) ?? '';
      const end = like === '#' || like === '' ? at + 1 : endOf(lines, at, (each) => !each.startsWith(like));
      blocks.push(blockOf(like, lines.slice(at, end)));
      at = end;
    }
  }
  return blocks;
}

function endOf(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  const found = lines.findIndex((line, index) => index >= from && isEnd(line));
  return found === -1 ? lines.length : found;
}

function blockOf(like: string, lines: readonly string[]): ReportBlock {
  const [first = ''] = lines;
  if (like === '#') {
    const level = first.indexOf(' ');
    return { kind: 'heading', level, pieces: piecesOf(first.slice(level + 1)) };
  }
  if (like === '-') return { kind: 'list', items: lines.map((line) => piecesOf(line.slice(2))) };
  if (like === '>') return { kind: 'quote', text: lines.map((line) => plain(line.replace(/^> ?/, ''))).join('\n') };
  if (like === '|') {
    const [head = [], , ...rows] = lines.map(cellsOf);
    return { kind: 'table', head, rows };
  }
  return { kind: 'paragraph', pieces: piecesOf(first) };
}

function cellsOf(line: string): ReportPiece[][] {
  const cells = line
    .replace(/^\| ?/, '')
    .replace(/ ?\|$/, '')
    .split(/(?<!\\) \| /);
  return cells.map((cell) =>
    piecesOf(cell).map((piece) =>
      piece.kind === 'code' ? { ...piece, text: piece.text.replaceAll('\\|', '|') } : piece,
    ),
  );
}

function piecesOf(line: string): ReportPiece[] {
  const pieces: ReportPiece[] = [];
  let rest = line;
  while (rest !== '') {
    const code = /(?<!\\)(`+)(?!`)(.+?)(?<!`)\1(?!`)/.exec(rest);
    if (code === null) {
      pieces.push({ kind: 'text', text: plain(rest) });
      return pieces;
    }
    if (code.index > 0) pieces.push({ kind: 'text', text: plain(rest.slice(0, code.index)) });
    pieces.push({ kind: 'code', text: unpadded(code[2] ?? '') });
    rest = rest.slice(code.index + code[0].length);
  }
  return pieces;
}

/** A space on both sides separates backticks at the ends of a code span from its fence. */
function unpadded(text: string): string {
  return /^ (`.*|.*`) $/.test(text) ? text.slice(1, -1) : text;
}

function plain(text: string): string {
  return text.replaceAll(
    /&(?:amp|lt|gt);|\\([!-/:-@[-`{-~])/g,
    (whole, escaped?: string) => escaped ?? ENTITIES[whole] ?? whole,
  );
}

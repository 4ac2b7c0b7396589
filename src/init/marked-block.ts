import { AppError } from '../errors.ts';

const BEGIN = '<!-- manyhands:begin -->';
const END = '<!-- manyhands:end -->';

/** A text with the block in it: at its old position, else at the end. Everything outside of the marks stays byte for byte. */
export function withBlock(text: string, body: string, file: string): string {
  const old = findBlock(text, file);
  const eol = old?.eol ?? (text.includes('\r\n') ? '\r\n' : '\n');
  const block = [BEGIN, ...body.trim().split('\n'), END].join(eol) + eol;
  if (old !== undefined) return text.slice(0, old.start) + block + text.slice(old.end);
  return text === '' ? block : text + eol + block;
}

/** A text as it was before the block came into it. */
export function withoutBlock(text: string, file: string): string {
  const old = findBlock(text, file);
  if (old === undefined) return text;
  const before = text.slice(0, old.start);
  return (before.endsWith(old.eol) ? before.slice(0, -old.eol.length) : before) + text.slice(old.end);
}

type Place = { start: number; end: number; eol: string };

/** The range of the block, with the end of its last line; marks that are not exactly one pair are refused. */
function findBlock(text: string, file: string): Place | undefined {
  const begins = offsets(text, BEGIN);
  const ends = offsets(text, END);
  const [start] = begins;
  const [last] = ends;
  if (start === undefined && last === undefined) return undefined;
  if (start === undefined || last === undefined || begins.length > 1 || ends.length > 1 || last < start) {
    const line = text.slice(0, start ?? last).split('\n').length;
    throw new AppError(
      'INIT_REFUSED',
      `${file}:${line}: the marks ${BEGIN} and ${END} are not one pair in this order`,
      {
        file,
        line,
      },
    );
  }
  const eol = text.startsWith('\r\n', start + BEGIN.length) ? '\r\n' : '\n';
  const end = last + END.length;
  return { start, end: text.startsWith(eol, end) ? end + eol.length : end, eol };
}

function offsets(text: string, mark: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) found.push(at);
  return found;
}

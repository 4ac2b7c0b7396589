import { timeText } from '../../core/view/amounts.ts';
import type { LogLine } from '../../schema/document.ts';
import { cleanText } from './clean-text.ts';
import type { Painter } from './symbols.ts';

type Tag = 'INIT' | 'MESSAGE' | 'TOOL' | 'RESULT' | 'TEXT' | 'COMPLETE' | 'ERROR';

const TAGS: Record<string, Tag> = {
  session: 'INIT',
  start: 'INIT',
  started: 'INIT',
  engine: 'INIT',
  message: 'MESSAGE',
  'tool-call': 'TOOL',
  'file-change': 'TOOL',
  'tool-result': 'RESULT',
  result: 'COMPLETE',
  end: 'COMPLETE',
  ended: 'COMPLETE',
  error: 'ERROR',
  failure: 'ERROR',
  stderr: 'ERROR',
  truncated: 'ERROR',
  'permission-denied': 'ERROR',
};

/** A transcript line as printed lines: time, task, attempt, tag and text; each line of a longer text has the same prefix. */
export function logLines(line: LogLine, colors: Painter): string[] {
  const tag = TAGS[line.kind] ?? 'TEXT';
  const attempt = line.attempt > 1 ? `#${line.attempt}` : '';
  const head = `${colors.dim(timeText(Date.parse(line.at)))} ${colors.bold(`${line.task}${attempt}`)} ${paintTag(tag, colors)}`;
  return cleanText(line.text)
    .trimEnd()
    .split('\n')
    .map((text) => `${head} ${text}`.trimEnd());
}

function paintTag(tag: Tag, colors: Painter): string {
  const text = `[${tag}]`;
  switch (tag) {
    case 'INIT':
      return colors.blue(text);
    case 'MESSAGE':
      return colors.yellow(text);
    case 'TOOL':
      return colors.cyan(text);
    case 'RESULT':
      return colors.dim(text);
    case 'TEXT':
      return text;
    case 'COMPLETE':
      return colors.green(text);
    case 'ERROR':
      return colors.red(text);
  }
}

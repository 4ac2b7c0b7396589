import { TodoInput } from '../../schema/work-file.ts';
import type { InputErrors } from '../../work-files/input-errors.ts';

const ENTRY = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;
const FENCE = /^\s*(```|~~~)/;
const MOST_ENTRIES = 1_000;

/** Reads a to-do list in Markdown: its text whole, and the entries of its lists outside of code. */
export function readTodo(text: string, file: string | null, mistakes: InputErrors): TodoInput {
  const entries = entriesOf(text);
  if (entries.length > MOST_ENTRIES) {
    const line = entries[MOST_ENTRIES]?.line ?? 1;
    mistakes.add({ code: 'too_large', line, reason: `a to-do list has at most ${MOST_ENTRIES} entries` });
  }
  const body = TodoInput.shape.text.safeParse(text);
  if (!body.success) {
    const reason = body.error.issues[0]?.message ?? 'not a text';
    mistakes.add({ code: 'too_large', reason: `a to-do list ${reason}` });
  }
  return { file, text: body.success ? body.data : '', entries };
}

function entriesOf(text: string): TodoInput['entries'] {
  const entries: TodoInput['entries'] = [];
  let fence: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    const entry = fence === undefined ? ENTRY.exec(line) : null;
    if (entry === null) continue;
    entries.push({ line: index + 1, text: (entry[3] ?? '').trim(), done: entry[2]?.toLowerCase() === 'x' });
  }
  return entries;
}

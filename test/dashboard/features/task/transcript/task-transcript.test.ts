import { describe, expect, it } from 'vitest';
import {
  foldRows,
  indexOfRow,
  planSteps,
  questionToPerson,
} from '../../../../../src/dashboard/features/task/transcript/fold-rows.ts';
import {
  gapHeights,
  isAtNewest,
  loadedRows,
  MAX_ROWS,
  scrollTargetAt,
  withNewRows,
  withPage,
} from '../../../../../src/dashboard/features/task/transcript/loaded-rows.ts';
import { firstLine, mainArgument } from '../../../../../src/dashboard/features/task/transcript/one-line.ts';
import { searchWords, splitMatches } from '../../../../../src/dashboard/ui/text/split-matches.ts';
import { printedText, visibleText } from '../../../../../src/dashboard/ui/text/visible-text.ts';
import type { TranscriptLine, TranscriptPage } from '../../../../../src/schema/transcript-page.ts';

function row(id: number, kind = 'text', more: Partial<TranscriptLine> = {}): TranscriptLine {
  return { id, at: id, kind, text: `row ${id}`, ...more };
}

function called(id: number, call: string, command = 'ls'): TranscriptLine {
  return row(id, 'tool-call', { text: 'Bash', data: { id: call, name: 'Bash', input: { command } } });
}

function answered(id: number, call: string, text = 'done', isError = false): TranscriptLine {
  return row(id, 'tool-result', { text, data: { id: call, isError } });
}

function page(offset: number, count: number, total: number): TranscriptPage {
  return { attempt: 1, total, offset, rows: Array.from({ length: count }, (_, at) => row(offset + at + 1)) };
}

describe('transcript items', () => {
  it('show printed text without colours and with invisible characters as code points', () => {
    const output =
      '\u001b[1;31mred\u001b[0m \u001b]8;;javascript:x\u0007link\u001b]8;;\u0007\ta\u202egnp.exe\u200b\u0000';
    expect(printedText(output)).toBe('red link\ta⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+0000⟩');
    expect(visibleText('if (a\u2066) { // é 🎉 你好\n')).toBe('if (a⟨U+2066⟩) { // é 🎉 你好\n');
  });

  it('join the result of a tool call with the call, across other rows', () => {
    const items = foldRows([
      called(1, 'a'),
      row(2),
      called(3, 'b', 'pwd'),
      answered(4, 'b'),
      answered(5, 'a', 'bad', true),
    ]);
    expect(items.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(items[0]).toMatchObject({ result: { text: 'bad', isError: true }, rows: [1, 5] });
    expect(items[2]).toMatchObject({ result: { text: 'done', isError: false } });
  });

  it('count identical consecutive calls', () => {
    const same = [called(1, 'a'), answered(2, 'a'), called(3, 'b'), answered(4, 'b', 'again')];
    const items = foldRows([...same, called(5, 'c', 'pwd'), called(6, 'd')]);
    expect(items).toMatchObject([{ times: 2, result: { text: 'again' } }, { times: 1 }, { times: 1 }]);
  });

  it('include a result without its call, and only the last of consecutive usage rows', () => {
    const items = foldRows([answered(1, 'gone'), row(2, 'usage'), row(3, 'usage', { text: 'last' })]);
    expect(items).toMatchObject([{ line: { kind: 'tool-result' } }, { line: { text: 'last' }, rows: [2, 3] }]);
  });

  it('are found by a row', () => {
    const items = foldRows([called(1, 'a'), row(2), answered(3, 'a')]);
    expect(indexOfRow(items, 3)).toBe(0);
    expect(indexOfRow(items, 2)).toBe(1);
  });

  it('show the main argument of a call on one line without control characters', () => {
    expect(mainArgument({ timeout: 5, command: 'npm\n test\u0007' })).toBe('npm test');
    expect(mainArgument({ other: 'x', file_path: 'src/a.ts' })).toBe('src/a.ts');
    expect(mainArgument({ count: 3 })).toBe('{"count":3}');
    expect(mainArgument(null)).toBe('null');
    expect(firstLine('\n  \n first\nsecond')).toBe('first');
  });

  it('mark every searched word, including special characters', () => {
    expect(searchWords('a.b (c)')).toEqual(['a', 'b', 'c']);
    expect(splitMatches('Say hello', ['HELLO'])).toEqual([
      { text: 'Say ', at: 0, isMatch: false },
      { text: 'hello', at: 4, isMatch: true },
    ]);
    expect(splitMatches('a.b', ['.'])).toHaveLength(3);
    expect(splitMatches('Price (price) x', ['price', '(']).map(({ text, isMatch }) => [text, isMatch])).toEqual([
      ['Price', true],
      [' ', false],
      ['(', true],
      ['price', true],
      [') x', false],
    ]);
    expect(splitMatches('<b>', [])).toEqual([{ text: '<b>', at: 0, isMatch: false }]);
  });
});

describe('loaded rows', () => {
  it('are extended by adjacent pages only', () => {
    const held = loadedRows(page(400, 200, 1_000), 0);
    expect(withPage(held, page(200, 200, 1_000))).toMatchObject({ start: 200, total: 1_000 });
    expect(withPage(held, page(600, 200, 1_000)).rows).toHaveLength(400);
    expect(
      withPage(held, page(300, 200, 1_000))
        .rows.map(({ id }) => id)
        .slice(99, 102),
    ).toEqual([400, 401, 402]);
    expect(withPage(held, page(900, 100, 1_200))).toEqual({ ...held, total: 1_200 });
  });

  it('never exceed the maximum, and drop the farthest rows', () => {
    let held = loadedRows(page(50_000, 200, 100_000), 0);
    for (let at = 49_800; at > 40_000; at -= 200) held = withPage(held, page(at, 200, 100_000));
    expect(held.rows).toHaveLength(MAX_ROWS);
    expect(held.rows[0]?.id).toBe(held.start + 1);
    for (let at = held.start + MAX_ROWS; at < 60_000; at += 200) held = withPage(held, page(at, 200, 100_000));
    expect(held.rows).toHaveLength(MAX_ROWS);
    expect(held.rows[0]?.id).toBe(held.start + 1);
  });

  it('grow once for each new row, also if it is received twice', () => {
    const held = withNewRows(loadedRows(page(0, 10, 10), 0), [row(10), row(11), row(12)], true);
    expect(held).toMatchObject({ total: 12, last: 12 });
    expect(held.rows).toHaveLength(12);
    expect(withNewRows(held, [row(12)], true)).toBe(held);
  });

  it('only count new rows while an earlier part is loaded', () => {
    const held = withNewRows(loadedRows(page(100, 200, 1_000), 1_000), [row(1_001)], false);
    expect(held).toMatchObject({ start: 100, total: 1_001, last: 1_001 });
    expect(isAtNewest(held)).toBe(false);
  });

  it('keep a million rows within browser limits, and find the row at each scroll position', () => {
    const held = loadedRows(page(500_000, 200, 1_000_000), 0);
    const gaps = gapHeights(held);
    expect(gaps.before + gaps.after).toBeLessThan(16_000_000);
    const seen = { scrollHeight: gaps.before + 5_600 + gaps.after, clientHeight: 600 };
    expect(scrollTargetAt(held, gaps, { ...seen, scrollTop: 0 })).toEqual({ offset: 0, at: 'start' });
    expect(scrollTargetAt(held, gaps, { ...seen, scrollTop: gaps.before / 2 })).toEqual({
      offset: 250_000,
      at: 'start',
    });
    expect(scrollTargetAt(held, gaps, { ...seen, scrollTop: gaps.before + 1_000 })).toBeUndefined();
    expect(scrollTargetAt(held, gaps, { ...seen, scrollTop: seen.scrollHeight - 600 })).toEqual({
      offset: 999_999,
      at: 'end',
    });
  });
});

describe('calls of the same tool in a row', () => {
  const call = (id: number, name: string, input: unknown = {}) => ({
    id,
    at: 0,
    kind: 'tool-call',
    text: name,
    data: { id: `c${id}`, input },
  });

  it('are folded by kind, except a few of them, one that failed, and a plan', () => {
    const failed = { id: 90, at: 0, kind: 'tool-result', text: 'no', data: { id: 'c5', isError: true } };
    const plan = { todos: [{ content: 'Read', status: 'completed' }] };
    const rows = [
      call(1, 'Read', { path: 'a' }),
      call(2, 'Read', { path: 'b' }),
      call(3, 'Read', { path: 'c' }),
      call(30, 'Read', { path: 'd' }),
      call(4, 'Edit'),
      call(5, 'Bash'),
      failed,
      call(6, 'TodoWrite', plan),
    ];
    expect(foldRows(rows).map((item) => [item.kind, item.id])).toEqual([
      ['tools', 1],
      ['tool', 4],
      ['tool', 5],
      ['tool', 6],
    ]);
    expect(planSteps(plan)).toEqual([{ text: 'Read', status: 'completed' }]);
  });
});

describe('a question to a person', () => {
  const asking = (result: string, name = 'mcp__manyhands__ask_user', isError = false) =>
    foldRows([
      row(1, 'tool-call', { text: name, data: { id: 'a', name, input: { question: 'Which colour?' } } }),
      answered(2, 'a', result, isError),
    ]).map((item) => (item.kind === 'tool' ? questionToPerson(item) : undefined));

  it('is shown with its answer, or without one that did not come in time', () => {
    const question = 'Which colour?';
    expect(asking('{"answered":true,"answer":"red","byDefault":false}')).toEqual([{ question, answer: 'red' }]);
    expect(asking('{"answered":false,"question":"q1-1"}', 'ask_person')).toEqual([{ question, answer: undefined }]);
    expect(asking('no JSON')).toEqual([{ question, answer: undefined }]);
  });

  it('is a call like others where it failed, or another tool asked', () => {
    expect([...asking('refused', 'ask_user', true), ...asking('{}', 'task_user')]).toEqual([undefined, undefined]);
  });
});

import { describe, expect, it } from 'vitest';
import { logLines } from '../../../src/cli/commands/watch/logs.ts';
import { bytesText, clockText, parseSeconds, parseUsd } from '../../../src/cli/render/amounts.ts';
import { cleanText, oneLine } from '../../../src/cli/render/clean-text.ts';
import { painter } from '../../../src/cli/render/symbols.ts';
import { pad, shorten, textWidth, wrap } from '../../../src/cli/render/text-width.ts';
import { parseTarget } from '../../../src/cli/target.ts';
import { usesColor } from '../../../src/cli/terminal/terminal.ts';
import { durationText } from '../../../src/core/view/amounts.ts';

describe('text of an agent', () => {
  it('loses escape sequences and control characters, and keeps readable text', () => {
    expect(
      cleanText('a\u001b[31mred\u001b[0m\u001b]8;;http://x y\u0007link\u001b]8;;\u001b\\\u0000\u0008\r\nb\tc'),
    ).toBe('aredlink\nb\tc');
    expect(cleanText('\u009b31mx\u202eevil\u2066')).toBe('xevil');
    expect(oneLine('  a\n\n b ')).toBe('a b');
  });

  it('is measured in columns: wide, combined and joined characters', () => {
    expect(textWidth('abc')).toBe(3);
    expect(textWidth('✓ né – → │ ◐ …')).toBe(14);
    expect(textWidth('✗\u0301 ◽ \u00ad')).toBe(5);
    expect(textWidth('値段')).toBe(4);
    expect(textWidth('é')).toBe(1);
    expect(textWidth('👩‍👩‍👧')).toBe(2);
    expect(textWidth('🇫🇷x')).toBe(3);
  });

  it('is cut between characters, never inside one', () => {
    expect(shorten('値段を直す', 6)).toBe('値段…');
    expect(shorten('abc', 3)).toBe('abc');
    expect(shorten('abcd', 3)).toBe('ab…');
    expect(pad('値', 4)).toBe('値  ');
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('', 8)).toEqual([]);
  });
});

describe('amounts', () => {
  it('are short', () => {
    expect([clockText(4_000), clockText(751_000), clockText(3_723_000)]).toEqual(['0:04', '12:31', '1:02:03']);
    expect([durationText(40), durationText(1_234), durationText(200_000), durationText(7_260_000)]).toEqual([
      '40ms',
      '1.2s',
      '3m 20s',
      '2h 1m',
    ]);
    expect([bytesText(12), bytesText(1_500), bytesText(250_000_000)]).toEqual(['12 B', '1.5 kB', '250 MB']);
  });

  it('are read with their units', () => {
    expect([parseSeconds('90'), parseSeconds('10m'), parseSeconds('1.5h')]).toEqual([90, 600, 5_400]);
    expect([parseUsd('2.50'), parseUsd('$3')]).toEqual([2.5, 3]);
    for (const bad of ['0', '-1', '1e9', '', 'NaN', 'Infinity']) expect(() => parseUsd(bad)).toThrow();
  });
});

describe('a target', () => {
  it('is a run, a task of it, or a task of the latest run', () => {
    expect(parseTarget([])).toEqual({});
    expect(parseTarget(['k3v'])).toEqual({ run: 'k3v' });
    expect(parseTarget(['k3v', 'review/2'])).toEqual({ run: 'k3v', task: 'review/2' });
    expect(parseTarget(['k3v/review/2'])).toEqual({ run: 'k3v', task: 'review/2' });
    expect(parseTarget(['review/2'])).toEqual({ task: 'review/2' });
  });
});

describe('a line of logs', () => {
  const line = {
    id: 1,
    run: 'k3v9x2ab',
    task: 'plan/1',
    attempt: 1,
    at: '2026-01-01T10:00:00.000Z',
    kind: 'text',
    text: 'hello',
  };
  const shown = (more: Partial<typeof line>) =>
    logLines({ ...line, ...more }, painter(false)).map((text) => text.slice('00:00:00 '.length));

  it('has a tag for what it is', () => {
    const tags = {
      session: 'INIT',
      text: 'TEXT',
      reasoning: 'TEXT',
      'tool-call': 'TOOL',
      'tool-result': 'RESULT',
      result: 'COMPLETE',
      error: 'ERROR',
      'something-new': 'TEXT',
    };
    for (const [kind, tag] of Object.entries(tags)) expect(shown({ kind })).toEqual([`plan/1 [${tag}] hello`]);
  });

  it('repeats its head on every line of a longer text and names later attempts', () => {
    expect(shown({ text: 'a\nb\n', attempt: 2 })).toEqual(['plan/1#2 [TEXT] a', 'plan/1#2 [TEXT] b']);
  });
});

describe('colors', () => {
  it('follow NO_COLOR first, then FORCE_COLOR, then the terminal', () => {
    expect(usesColor({}, true)).toBe(true);
    expect(usesColor({}, false)).toBe(false);
    expect(usesColor({ NO_COLOR: '1', FORCE_COLOR: '1' }, true)).toBe(false);
    expect(usesColor({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(usesColor({ TERM: 'dumb' }, true)).toBe(false);
  });
});

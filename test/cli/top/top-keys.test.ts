import { describe, expect, it } from 'vitest';
import { type Key, readKeys } from '../../../src/cli/top/key.ts';
import { createKeyboard } from '../../../src/cli/top/keyboard.ts';
import { edit, lineOf, shownPart, textOf } from '../../../src/cli/top/line-edit.ts';
import { fakeWorld } from '../test-platform.ts';

const ESC = '\u001b';

function names(keys: readonly Key[]): string[] {
  return keys.map((key) => (key.kind === 'key' ? key.name : key.kind === 'text' ? key.text : `paste:${key.text}`));
}

describe('reading keys', () => {
  it('knows letters, control keys and the sequences of terminals', () => {
    const input = `jé\r\u0003\u007f${ESC}[A${ESC}OB${ESC}[1;5C${ESC}[5~${ESC}[3~`;
    expect(names(readKeys(input, false).keys)).toEqual([
      ...['j', 'é', 'enter', 'ctrl-c', 'backspace', 'up', 'down', 'right', 'page-up', 'delete'],
    ]);
  });

  it('takes an unknown sequence, or Alt with a letter, for nothing', () => {
    expect(readKeys(`${ESC}[31;1m${ESC}a${ESC}[?1;2c`, true)).toEqual({ keys: [], rest: '' });
  });

  it('gives a paste as one, so that what is pasted presses no keys', () => {
    expect(names(readKeys(`${ESC}[200~a y\nq${ESC}[201~j`, false).keys)).toEqual(['paste:a y\nq', 'j']);
  });

  it('waits for the rest of what has come in part, and takes a lone escape for the key', () => {
    const world = fakeWorld(0);
    const keys: Key[] = [];
    const hear = createKeyboard(world, (key) => keys.push(key));
    hear(Buffer.from(ESC));
    hear(Buffer.from('[A'));
    expect(names(keys)).toEqual(['up']);
    hear(Buffer.from(ESC));
    expect(names(keys)).toEqual(['up']);
    world.advance(50);
    hear(Buffer.from([0xc3]));
    hear(Buffer.from([0xa9]));
    expect(names(keys)).toEqual(['up', 'escape', 'é']);
  });
});

describe('the line that is typed', () => {
  const type = (start: string, ...keys: string[]) =>
    keys.reduce(
      (line, name) => edit(line, name.length > 1 ? { kind: 'key', name } : { kind: 'text', text: name }),
      lineOf(start),
    );

  it('is edited by whole characters, also those of several parts', () => {
    expect(textOf(type('a👩‍👩‍👧b', 'left', 'backspace', 'x'))).toBe('axb');
    expect(textOf(type('one two', 'ctrl-w', 'home', 'delete'))).toBe('ne ');
    expect(textOf(type('one two', 'left', 'left', 'left', 'ctrl-u'))).toBe('two');
  });

  it('takes a paste as one harmless line', () => {
    expect(textOf(edit(lineOf(''), { kind: 'paste', text: `a\n${ESC}[31mb\r\nc` }))).toBe('a b c');
  });

  it('shows the part around the cursor where the terminal is narrow', () => {
    expect(shownPart({ before: 'abcdefgh', after: 'ij' }, 5)).toEqual({ text: 'efghi', column: 4 });
    expect(shownPart({ before: '日本語', after: '' }, 5)).toEqual({ text: '本語', column: 4 });
  });
});

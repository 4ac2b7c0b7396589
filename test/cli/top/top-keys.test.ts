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
  it('reads letters, control keys and terminal sequences', () => {
    const input = `jé\r\u0003\u007f${ESC}[A${ESC}OB${ESC}[1;5C${ESC}[5~${ESC}[3~`;
    expect(names(readKeys(input, false).keys)).toEqual([
      ...['j', 'é', 'enter', 'ctrl-c', 'backspace', 'up', 'down', 'right', 'page-up', 'delete'],
    ]);
  });

  it('ignores unknown sequences and Alt with a letter', () => {
    expect(readKeys(`${ESC}[31;1m${ESC}a${ESC}[?1;2c`, true)).toEqual({ keys: [], rest: '' });
  });

  it('returns a paste as a whole, so that it presses no keys', () => {
    expect(names(readKeys(`${ESC}[200~a y\nq${ESC}[201~j`, false).keys)).toEqual(['paste:a y\nq', 'j']);
  });

  it('waits for the rest of a partial sequence, and reads a lone escape as the key', () => {
    const world = fakeWorld(0);
    const keys: Key[] = [];
    const send = createKeyboard(world, (key) => keys.push(key));
    send(Buffer.from(ESC));
    send(Buffer.from('[A'));
    expect(names(keys)).toEqual(['up']);
    send(Buffer.from(ESC));
    expect(names(keys)).toEqual(['up']);
    world.advance(50);
    send(Buffer.from([0xc3]));
    send(Buffer.from([0xa9]));
    expect(names(keys)).toEqual(['up', 'escape', 'é']);
  });
});

describe('the line that is typed', () => {
  const type = (start: string, ...keys: string[]) =>
    keys.reduce(
      (line, name) => edit(line, name.length > 1 ? { kind: 'key', name } : { kind: 'text', text: name }),
      lineOf(start),
    );

  it('is edited by whole graphemes', () => {
    expect(textOf(type('a👩‍👩‍👧b', 'left', 'backspace', 'x'))).toBe('axb');
    expect(textOf(type('one two', 'ctrl-w', 'home', 'delete'))).toBe('ne ');
    expect(textOf(type('one two', 'left', 'left', 'left', 'ctrl-u'))).toBe('two');
  });

  it('reads a paste as one safe line', () => {
    expect(textOf(edit(lineOf(''), { kind: 'paste', text: `a\n${ESC}[31mb\r\nc` }))).toBe('a b c');
  });

  it('shows the part around the cursor on a narrow terminal', () => {
    expect(shownPart({ before: 'abcdefgh', after: 'ij' }, 5)).toEqual({ text: 'efghi', column: 4 });
    expect(shownPart({ before: '日本語', after: '' }, 5)).toEqual({ text: '本語', column: 4 });
  });
});

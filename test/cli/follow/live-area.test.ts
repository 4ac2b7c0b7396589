import { describe, expect, it } from 'vitest';
import { createLiveArea, difference } from '../../../src/cli/follow/live-area.ts';
import { testProgram } from '../cli-run.ts';
import { fakeWorld } from '../test-platform.ts';

const ESC = '\u001b';

/** A live area whose lines can be set, on a terminal whose size can be changed. */
function area() {
  const world = fakeWorld(0);
  const written: string[] = [];
  let resized = () => {};
  let columns = 80;
  let lines: string[] = [];
  const terminal = {
    ...testProgram().platform.terminal,
    err: (text: string) => written.push(text),
    size: () => ({ columns, rows: 10 }),
    onResize: (listener: () => void) => {
      resized = listener;
      return () => {};
    },
  };
  const live = createLiveArea(terminal, world, () => lines);
  return {
    world,
    written,
    live,
    set: (next: string[]) => {
      lines = next;
      live.change();
    },
    resize: (to: number) => {
      columns = to;
      resized();
    },
  };
}

describe('the live area', () => {
  it('draws once for many changes, and at most ten times a second', () => {
    const { world, written, set } = area();
    for (let index = 0; index < 50; index += 1) set([`line ${index}`]);
    world.advance(1);
    expect(written).toHaveLength(1);
    expect(written[0]).toContain('line 49');
    set(['line 50']);
    world.advance(99);
    expect(written).toHaveLength(1);
    world.advance(1);
    expect(written).toHaveLength(2);
  });

  it('writes nothing when nothing changed', () => {
    const { world, written, set } = area();
    set(['same']);
    world.advance(1);
    world.advance(5_000);
    expect(written).toHaveLength(1);
  });

  it('moves its clocks each second without an event', () => {
    const { world, written, set } = area();
    const lines = ['0:01'];
    set(lines);
    world.advance(1);
    lines[0] = '0:02';
    world.advance(1_000);
    expect(written.at(-1)).toContain('0:02');
  });

  it('never grows over the height of the terminal', () => {
    const { world, written, set } = area();
    set(Array.from({ length: 50 }, (_, index) => `row ${index}`));
    world.advance(1);
    expect(written[0]?.match(/row/g)).toHaveLength(9);
  });

  it('removes lines that a narrower terminal has wrapped before it draws again', () => {
    const { world, written, set, resize } = area();
    set(['x'.repeat(70), 'y']);
    world.advance(1);
    resize(40);
    expect(written[1]).toBe(`${ESC}[3A\r\r${ESC}[J`);
  });

  it('leaves a clean terminal with its cursor', () => {
    const { world, written, set, live } = area();
    set(['a', 'b']);
    world.advance(1);
    live[Symbol.dispose]();
    expect(written.at(-1)).toBe(`${ESC}[2A\r\r${ESC}[J${ESC}[?25h`);
    world.advance(10_000);
    expect(written).toHaveLength(2);
  });
});

describe('the difference of two pictures', () => {
  it('touches only the lines that changed', () => {
    expect(difference(['a', 'b', 'c'], ['a', 'B', 'c'])).toBe(`${ESC}[3A\r\n${ESC}[2KB\n\n`);
  });

  it('clears what is left below a shorter picture', () => {
    expect(difference(['a', 'b'], ['a'])).toBe(`${ESC}[2A\r\n${ESC}[J`);
  });
});

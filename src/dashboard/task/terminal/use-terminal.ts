import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { TERMINAL_SIZE } from '../../../schema/terminal-operations.ts';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { StreamStanding } from '../../api/stream.ts';
import { useStream } from '../../api/use-stream.ts';
import { after } from '../../look/clock.ts';
import { fromBase64, toBase64Pieces } from './bytes.ts';
import { makeStrict } from './strict-document.ts';
import { themeOf } from './theme.ts';

/** `typing`: what is typed reaches the program; `watching`: this person may only look; `over`: the program has ended. */
export type Part = 'typing' | 'watching' | 'over';

const RESIZE_PAUSE_MS = 150;
/** The server's own bounds: their type is these very numbers, so that they cannot differ. */
const SIZE: typeof TERMINAL_SIZE = { columns: { least: 20, most: 500 }, rows: { least: 5, most: 300 } };

/** A terminal in this element that shows what the agent's terminal shows, and types into it. */
export function useTerminal(
  which: { run: string; task: string },
  place: RefObject<HTMLDivElement | null>,
): { part: Part; standing: StreamStanding } {
  const { run, task } = which;
  const [part, setPart] = useState<Part>('typing');
  const terminal = useRef<Terminal>(undefined);
  const offset = useRef<number>(undefined);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const stopStrict = makeStrict(document);
    const made = openTerminal(element);
    terminal.current = made.terminal;
    offset.current = undefined;
    let queue: Promise<unknown> = Promise.resolve();
    let callOff = () => {};
    let told = '';
    const refused = (error: unknown) => {
      if (!(error instanceof ApiProblem)) return;
      made.terminal.options.disableStdin = true;
      if (error.status === 403) setPart('watching');
    };
    made.terminal.onData((text) => {
      for (const data of toBase64Pieces(text))
        queue = queue.then(() => call('type-terminal', { run, task, data })).catch(refused);
    });
    const fit = () => {
      callOff();
      callOff = after(RESIZE_PAUSE_MS, () => {
        made.fit();
        const { cols, rows, options } = made.terminal;
        if (options.disableStdin === true || told === `${cols} ${rows}`) return;
        told = `${cols} ${rows}`;
        call('resize-terminal', { run, task, ...bounded(cols, rows) }).catch(refused);
      });
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => {
      callOff();
      observer.disconnect();
      made.terminal.dispose();
      stopStrict();
      terminal.current = undefined;
    };
  }, [run, task, place]);

  const standing = useStream('watch-terminal', {
    key: `${run} ${task}`,
    enabled: part !== 'over',
    input: () => ({ run, task, ...(offset.current === undefined ? {} : { after: offset.current }) }),
    onItem: (item) => {
      if ('ended' in item) {
        if (terminal.current !== undefined) terminal.current.options.disableStdin = true;
        setPart('over');
        return;
      }
      offset.current = item.offset;
      if (item.reset === true) terminal.current?.reset();
      terminal.current?.write(fromBase64(item.data));
    },
  });
  return { part, standing };
}

function openTerminal(element: HTMLElement): { terminal: Terminal; fit(): void } {
  const style = getComputedStyle(element);
  const terminal = new Terminal({
    allowProposedApi: false,
    cursorBlink: false,
    fontFamily: style.getPropertyValue('--mono'),
    fontSize: 13,
    linkHandler: { activate: () => {} },
    screenReaderMode: true,
    scrollback: 5_000,
    theme: themeOf(style),
  });
  const addon = new FitAddon();
  terminal.loadAddon(addon);
  terminal.open(element);
  return { terminal, fit: () => addon.fit() };
}

function bounded(columns: number, rows: number): { columns: number; rows: number } {
  const within = (value: number, { least, most }: { least: number; most: number }) =>
    Math.min(most, Math.max(least, value));
  return { columns: within(columns, SIZE.columns), rows: within(rows, SIZE.rows) };
}

import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { TERMINAL_SIZE } from '../../../../operations/terminals/resize-terminal.ts';
import { ApiError } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import type { ConnectionState } from '../../../api/follow-events.ts';
import { useStream } from '../../../api/stream.ts';
import { after } from '../../../ui/browser/clock.ts';

/** Bytes per request; a longer paste is sent in several requests. */
const PIECE_BYTES = 48 * 1024;

/** `typing`: input reaches the program; `watching`: the user may only read; `over`: the program has ended. */
export type TerminalMode = 'typing' | 'watching' | 'over';

const RESIZE_PAUSE_MS = 150;
/** The server's limits; the type contains the numbers, so a difference does not compile. */
const SIZE: typeof TERMINAL_SIZE = { columns: { least: 20, most: 500 }, rows: { least: 5, most: 300 } };

/** The program gets all other keys, also Tab and Escape; no terminal program can tell this one from Ctrl-L. */
export const LEAVING_KEY = 'Ctrl-Shift-L';

/** Connects a terminal in this element to the agent's terminal; `onLeave` moves the focus elsewhere. */
export function useTerminal(
  which: { run: string; task: string },
  container: RefObject<HTMLDivElement | null>,
  onLeave: () => void,
): { mode: TerminalMode; connectionState: ConnectionState } {
  const { run, task } = which;
  const [mode, setMode] = useState<TerminalMode>('typing');
  const terminal = useRef<Terminal>(undefined);
  const offset = useRef<number>(undefined);

  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const stopStrict = makeStrict(document);
    const made = openTerminal(element);
    terminal.current = made.terminal;
    made.terminal.attachCustomKeyEventHandler((event) => {
      if (!isLeaving(event)) return true;
      event.preventDefault();
      if (event.type === 'keydown') onLeave();
      return false;
    });
    offset.current = undefined;
    let queue: Promise<unknown> = Promise.resolve();
    let cancelTimer = () => {};
    let lastSize = '';
    const onError = (error: unknown) => {
      if (!(error instanceof ApiError)) return;
      made.terminal.options.disableStdin = true;
      if (error.status === 403) setMode('watching');
    };
    made.terminal.onData((text) => {
      for (const data of toBase64Pieces(text))
        queue = queue.then(() => call('type-terminal', { run, task, data })).catch(onError);
    });
    const fit = () => {
      cancelTimer();
      cancelTimer = after(RESIZE_PAUSE_MS, () => {
        made.fit();
        const { cols, rows, options } = made.terminal;
        if (options.disableStdin === true || lastSize === `${cols} ${rows}`) return;
        lastSize = `${cols} ${rows}`;
        call('resize-terminal', { run, task, ...bounded(cols, rows) }).catch(onError);
      });
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => {
      cancelTimer();
      observer.disconnect();
      made.terminal.dispose();
      stopStrict();
      terminal.current = undefined;
    };
  }, [run, task, container, onLeave]);

  const connectionState = useStream('watch-terminal', {
    key: `${run} ${task}`,
    enabled: mode !== 'over',
    input: () => ({ run, task, ...(offset.current === undefined ? {} : { after: offset.current }) }),
    onItem: (item) => {
      if ('ended' in item) {
        if (terminal.current !== undefined) terminal.current.options.disableStdin = true;
        setMode('over');
        return;
      }
      offset.current = item.offset;
      if (item.reset === true) terminal.current?.reset();
      terminal.current?.write(fromBase64(item.data));
    },
  });
  return { mode, connectionState };
}

function openTerminal(element: HTMLElement): { terminal: Terminal; fit(): void } {
  const style = getComputedStyle(element);
  const terminal = new Terminal({
    allowProposedApi: false,
    cursorBlink: false,
    fontFamily: style.getPropertyValue('--mono'),
    fontSize: 13,
    linkHandler: { activate: () => {} },
    // Programs choose colours for a dark screen; this keeps them readable on any.
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    scrollback: 5_000,
    theme: themeOf(style),
  });
  const addon = new FitAddon();
  terminal.loadAddon(addon);
  terminal.open(element);
  return { terminal, fit: () => addon.fit() };
}

function isLeaving({ ctrlKey, shiftKey, code }: KeyboardEvent): boolean {
  return ctrlKey && shiftKey && code === 'KeyL';
}

function bounded(columns: number, rows: number): { columns: number; rows: number } {
  const within = (value: number, { least, most }: { least: number; most: number }) =>
    Math.min(most, Math.max(least, value));
  return { columns: within(columns, SIZE.columns), rows: within(rows, SIZE.rows) };
}

/** The terminal theme from the page's colours. */
function themeOf(style: Pick<CSSStyleDeclaration, 'getPropertyValue'>): ITheme {
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: token('--sunken'),
    foreground: token('--text'),
    cursor: token('--accent'),
    cursorAccent: token('--sunken'),
    selectionBackground: token('--found'),
  };
}

/** Decodes base64 to bytes. */
function fromBase64(data: string): Uint8Array {
  return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
}

/** A text as base64 chunks for consecutive requests. */
function toBase64Pieces(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(btoa(String.fromCharCode(...chunk(bytes, at))));
  }
  return pieces;
}

function chunk(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.subarray(at, Math.min(at + PIECE_BYTES, bytes.length));
}

/**
 * Makes xterm comply with a policy that forbids inline styles: style elements get the page's nonce, and the styles of
 * spans are set through their objects instead of as text. Returns a function that undoes it.
 */
function makeStrict(document: Document): () => void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
  const create = document.createElement;
  const createStrictly = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = create.call(document, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    if (element instanceof HTMLSpanElement) element.setAttribute = setStrictly;
    return element;
  };
  Reflect.set(document, 'createElement', createStrictly);
  return () => {
    Reflect.set(document, 'createElement', create);
  };
}

function setStrictly(this: Element, name: string, value: string): void {
  if (name === 'style' && this instanceof HTMLElement) this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

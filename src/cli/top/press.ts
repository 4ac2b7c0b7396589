import { painter } from '../render/symbols.ts';
import type { Action } from './action.ts';
import { actionFor, composeTarget } from './choose-action.ts';
import { bodyRows } from './frame.ts';
import type { Key } from './key.ts';
import { edit, lineOf, textOf } from './line-edit.ts';
import { type Move, moved, opened, wentBack } from './move.ts';
import { currentRun, type Top } from './top-state.ts';

/** A side effect that a key requests. */
export type Effect =
  | { kind: 'quit' | 'suspend' | 'redraw' | 'earlier' }
  | { kind: 'execute'; action: Action }
  | { kind: 'browse'; run: string; task: string | null };

export type Pressed = { top: Top; effects: Effect[] };

const MOVES: Record<string, Move> = {
  j: 'down',
  k: 'up',
  g: 'home',
  G: 'end',
  up: 'up',
  down: 'down',
  home: 'home',
  end: 'end',
  'page-up': 'page-up',
  'page-down': 'page-down',
  'ctrl-b': 'page-up',
  'ctrl-f': 'page-down',
};

/** The state after a key, and the side effects that it requests. */
export function press(before: Top, key: Key): Pressed {
  if (key.kind === 'key' && key.name === 'ctrl-c') return { top: before, effects: [{ kind: 'quit' }] };
  if (key.kind === 'key' && key.name === 'ctrl-z') return { top: before, effects: [{ kind: 'suspend' }] };
  if (key.kind === 'key' && key.name === 'ctrl-l') return { top: before, effects: [{ kind: 'redraw' }] };
  switch (before.line.kind) {
    case 'compose':
      return pressInMessage(before, before.line, key);
    case 'filter':
      return changed(pressInFilter(before, before.line, key));
    case 'question':
      return answer(before, before.line, key);
    case 'message':
    case 'keys':
      return command({ ...before, line: { kind: 'keys' } }, key);
  }
}

function command(top: Top, key: Key): Pressed {
  if (key.kind === 'paste') return changed(top);
  if (top.isHelp) return changed({ ...top, isHelp: false });
  const name = key.kind === 'key' ? key.name : key.text;
  const move = MOVES[name];
  if (move !== undefined) return moved(top, move, bodyRows({ top, now: 0, colors: painter(false) }));
  switch (name) {
    case 'enter':
    case 'right':
      return changed(opened(top));
    case 'escape':
    case 'left':
    case 'backspace':
      return changed(wentBack(top));
    case 'q':
      return { top, effects: [{ kind: 'quit' }] };
    case '?':
      return changed({ ...top, isHelp: true });
    case '/':
      return changed({ ...top, line: { kind: 'filter', edit: lineOf(top.filters[top.page.kind]) } });
    case '[':
    case ']':
      return changed(otherAttempt(top, name === '[' ? -1 : 1));
    case 's':
      return changed(beginMessage(top));
    case 'o':
      return browse(top);
    default:
      return key.kind === 'text' ? choose(top, key.text) : changed(top);
  }
}

function choose(top: Top, letter: string): Pressed {
  const choice = actionFor(letter, top);
  if (choice === undefined) return changed(top);
  if ('refusal' in choice) return changed(withMessage(top, choice.refusal));
  if (choice.question === null) return { top, effects: [{ kind: 'execute', action: choice.action }] };
  return changed({ ...top, line: { kind: 'question', text: choice.question, action: choice.action } });
}

/** Only y confirms. */
function answer(top: Top, { action }: { action: Action }, key: Key): Pressed {
  const after: Top = { ...top, line: { kind: 'keys' } };
  const isYes = key.kind === 'text' && key.text.toLowerCase() === 'y';
  return isYes ? { top: after, effects: [{ kind: 'execute', action }] } : changed(after);
}

function beginMessage(top: Top): Top {
  const target = composeTarget(top);
  if ('refusal' in target) return withMessage(top, target.refusal);
  return { ...top, line: { kind: 'compose', ...target, edit: lineOf('') } };
}

function pressInMessage(top: Top, line: Extract<Top['line'], { kind: 'compose' }>, key: Key): Pressed {
  const isKey = key.kind === 'key';
  if (isKey && key.name === 'escape') return changed({ ...top, line: { kind: 'keys' } });
  if (!isKey || key.name !== 'enter') return changed({ ...top, line: { ...line, edit: edit(line.edit, key) } });
  const message = textOf(line.edit).trim();
  const after: Top = { ...top, line: { kind: 'keys' } };
  if (message === '') return changed(after);
  return {
    top: after,
    effects: [{ kind: 'execute', action: { kind: 'send', run: line.run, task: line.task, message } }],
  };
}

/** The filter applies while it is typed; Enter keeps it, Esc clears it. */
function pressInFilter(top: Top, line: Extract<Top['line'], { kind: 'filter' }>, key: Key): Top {
  const isKey = key.kind === 'key';
  if (isKey && key.name === 'enter') return { ...top, line: { kind: 'keys' } };
  const next = isKey && key.name === 'escape' ? lineOf('') : edit(line.edit, key);
  const filters = { ...top.filters, [top.page.kind]: textOf(next).trim() };
  const isOver = isKey && key.name === 'escape';
  return { ...top, filters, line: isOver ? { kind: 'keys' } : { kind: 'filter', edit: next } };
}

function otherAttempt(top: Top, by: number): Top {
  if (top.page.kind !== 'task') return top;
  const count = top.state?.tasks[top.page.task]?.attempts.length ?? 0;
  const next = (top.page.attempt ?? count) + by;
  if (next < 1 || next > count) return top;
  return { ...top, page: { ...top.page, attempt: next === count ? null : next } };
}

function browse(top: Top): Pressed {
  const run = currentRun(top);
  if (run === undefined) return changed(withMessage(top, 'No run is selected.'));
  return { top, effects: [{ kind: 'browse', run: run.run, task: top.page.kind === 'task' ? top.page.task : null }] };
}

function withMessage(top: Top, text: string): Top {
  return { ...top, line: { kind: 'message', text, isError: true } };
}

function changed(top: Top): Pressed {
  return { top, effects: [] };
}

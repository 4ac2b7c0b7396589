import type { RunState } from '../../core/run/state.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { World } from '../../world.ts';
import { factLines, failedCheckLines } from '../render/fact-lines.ts';
import { progressLines } from '../render/progress.ts';
import { painter } from '../render/symbols.ts';
import { wrap } from '../render/text-width.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createLiveArea } from './live-area.ts';

/** Shows the progress of a run. */
export interface Display extends Disposable {
  /** Whether it shows the output of the agents. */
  readonly showsOutput: boolean;
  show(state: RunState, recorded: { event: RunEvent; at: number }): void;
  showOutput(task: string, text: string): void;
  /** Shows a message below the progress until the next one. */
  note(text: string): void;
}

/** Progress drawn in place on a terminal, below the checks that failed after `since`; elsewhere plain lines for events after it. */
export function createDisplay(terminal: Terminal, world: World, since: number): Display {
  return terminal.isLive ? liveDisplay(terminal, world, since) : plainDisplay(terminal, since);
}

function plainDisplay(terminal: Terminal, since: number): Display {
  return {
    showsOutput: false,
    show: (state, recorded) => {
      if (recorded.at < since) return;
      for (const line of factLines(state, recorded)) terminal.err(`${line}\n`);
    },
    showOutput: () => {},
    note: (text) => terminal.err(`${text}\n`),
    [Symbol.dispose]: () => {},
  };
}

function liveDisplay(terminal: Terminal, world: World, since: number): Display {
  const colors = painter(terminal.colors.err);
  const lastOutput = new Map<string, string>();
  let current: RunState | undefined;
  let message = '';
  const area = createLiveArea(terminal, world, ({ columns, rows }) => {
    const footer = wrap(message, columns - 1).map(colors.yellow);
    if (current === undefined) return footer;
    const view = { columns, rows: rows - footer.length, now: world.now(), lastOutput, colors };
    return [...progressLines(current, view), ...footer];
  });
  return {
    showsOutput: true,
    show: (state, recorded) => {
      current = state;
      if (recorded.at >= since) area.print(failedCheckLines(state, recorded));
      area.change();
    },
    showOutput: (task, text) => {
      lastOutput.set(task, text);
      area.change();
    },
    note: (text) => {
      message = text;
      area.change();
    },
    [Symbol.dispose]: () => area[Symbol.dispose](),
  };
}

import pc from 'picocolors';
import type { TaskStatus } from '../../core/run/state.ts';
import { isInterrupted } from '../../core/view/open-run.ts';
import type { RunStatus, WaitsFor } from '../../schema/document.ts';
import type { Verdict } from '../../schema/gate.ts';

type Paint = (text: string) => string;
const COLORS = ['green', 'red', 'yellow', 'cyan', 'blue', 'magenta', 'dim', 'bold', 'inverse'] as const;
export type Painter = Readonly<Record<(typeof COLORS)[number], Paint>> & { isColorSupported: boolean };

const plain: Paint = (text) => text;
const WITHOUT_COLORS: Painter = {
  isColorSupported: false,
  // fromEntries gives every name its function.
  ...(Object.fromEntries(COLORS.map((color) => [color, plain])) as Record<(typeof COLORS)[number], Paint>),
};

/** A painter with colors, or one that leaves text unchanged; the library of colors is loaded only for the first. */
export function painter(enabled: boolean): Painter {
  return enabled ? pc.createColors(true) : WITHOUT_COLORS;
}

/** The symbol and the color of a task status. */
export function taskMark(status: string, colors: Painter): { symbol: string; paint: Paint } {
  return { symbol: TASK_SYMBOLS[status] ?? '?', paint: paintOf(TASK_PAINTS[status], colors) };
}

/** The displayed status of a run: one that no engine is running is interrupted, and one that waits is not shown as running. */
export type ShownRunStatus = RunStatus | 'interrupted' | 'scheduled' | 'waiting';

/** The displayed status of a run. */
export function shownStatus(run: {
  status: RunStatus;
  carried?: boolean | undefined;
  waitsFor?: WaitsFor | null | undefined;
}): ShownRunStatus {
  if (run.status !== 'needs-rerun' && isInterrupted(run)) return 'interrupted';
  if (run.waitsFor == null || run.status !== 'running') return run.status;
  return run.waitsFor.kind === 'time' ? 'scheduled' : 'waiting';
}

/** The symbol and the color of a run status. */
export function runMark(status: ShownRunStatus, colors: Painter): { symbol: string; paint: Paint } {
  return { symbol: RUN_SYMBOLS[status], paint: paintOf(RUN_PAINTS[status], colors) };
}

/** The symbol of a gate's verdict. */
export function verdictMark(verdict: Verdict, colors: Painter): string {
  switch (verdict) {
    case 'pass':
      return colors.green('✓');
    case 'fail':
      return colors.red('✗');
    case 'held':
      return colors.yellow('!');
    case 'error':
      return colors.red('?');
    case 'not-applicable':
      return colors.dim('–');
  }
}

type PaintName = 'green' | 'red' | 'yellow' | 'cyan' | 'blue' | 'dim' | 'magenta' | undefined;

const TASK_SYMBOLS: Record<string, string> = {
  waiting: '·',
  ready: '○',
  running: '●',
  analyzing: '◎',
  landing: '▲',
  verifying: '◇',
  conflicted: '≠',
  held: '!',
  blocked: '■',
  done: '✓',
  failed: '✗',
  skipped: '-',
  cancelled: '⊘',
  'needs-rerun': '↻',
} satisfies Record<TaskStatus | 'needs-rerun', string>;

const TASK_PAINTS: Record<string, PaintName> = {
  waiting: 'dim',
  ready: 'blue',
  running: 'cyan',
  analyzing: 'magenta',
  landing: 'blue',
  verifying: 'magenta',
  conflicted: 'magenta',
  held: 'yellow',
  blocked: 'yellow',
  done: 'green',
  failed: 'red',
  skipped: 'dim',
  cancelled: 'dim',
  'needs-rerun': 'yellow',
} satisfies Record<TaskStatus | 'needs-rerun', PaintName>;

const RUN_SYMBOLS: Record<ShownRunStatus, string> = {
  interrupted: '◌',
  scheduled: '○',
  waiting: '○',
  running: '●',
  'needs-rerun': '↻',
  held: '!',
  blocked: '■',
  paused: '‖',
  cancelling: '⊘',
  done: '✓',
  unverified: '~',
  partial: '◐',
  failed: '✗',
  cancelled: '⊘',
};

const RUN_PAINTS: Record<ShownRunStatus, PaintName> = {
  interrupted: 'yellow',
  scheduled: 'blue',
  waiting: 'blue',
  running: 'cyan',
  'needs-rerun': 'yellow',
  held: 'yellow',
  blocked: 'yellow',
  paused: 'yellow',
  cancelling: 'dim',
  done: 'green',
  unverified: 'yellow',
  partial: 'yellow',
  failed: 'red',
  cancelled: 'dim',
};

function paintOf(name: PaintName, colors: Painter): Paint {
  return name === undefined ? plain : colors[name];
}

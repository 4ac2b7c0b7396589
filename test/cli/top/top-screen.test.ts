import { describe, expect, it } from 'vitest';
import { painter } from '../../../src/cli/render/symbols.ts';
import { textWidth } from '../../../src/cli/render/text-width.ts';
import { applyUpdate, type Update } from '../../../src/cli/top/apply-update.ts';
import { bodyRows, drawFrame } from '../../../src/cli/top/frame.ts';
import { withValidSelection } from '../../../src/cli/top/move.ts';
import { type Effect, press } from '../../../src/cli/top/press.ts';
import { difference } from '../../../src/cli/top/screen.ts';
import { nextTick } from '../../../src/cli/top/show-top.ts';
import { initialTop, type Top } from '../../../src/cli/top/top-state.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { NO_ACTIVITY, noNotification, overviewOf, runCard } from '../../../src/core/view/overview.ts';
import type { LiveAttempt, RunOverview } from '../../../src/schema/overview.ts';
import { added, attemptEnded, attempted, given, landed, spec, started, T0, taskEnded } from '../../support/given.ts';

const ESC = '\u001b';
const NOW = T0 + 65_000;
const HOSTILE = `evil ${ESC}]0;title\u0007${ESC}[2J\u202e text`;

const PLAN = [
  spec('plan/1', { access: 'read' }),
  spec('implement/1', { title: 'Fix the rounding' }),
  spec('implement/2'),
];
const held = given(started({ run: 'heldheld', title: 'A held plan' }), added(...PLAN)).and({
  type: 'run.held',
  data: { hold: { what: 'plan', reason: 'the plan waits for you', files: [] } },
}).state;
const running = given(started({ run: 'runsruns', title: HOSTILE }), added(...PLAN)).and(
  attempted('plan/1'),
  attemptEnded('plan/1'),
  landed('plan/1'),
  attempted('implement/1'),
).state;
const failed = given(started({ run: 'failfail', title: 'It failed' }), added(spec('job/1'))).and(
  attempted('job/1'),
  attemptEnded('job/1'),
  taskEnded('job/1', 'failed'),
  { type: 'run.ended', data: { status: 'failed', reason: 'a test', spend: { costUsd: 0, tokens: 0, turns: 0 } } },
).state;

function overview(state: RunState, live: LiveAttempt[] = []): RunOverview {
  const marks = { filing: { collection: null, hidden: false, flag: null }, read: undefined, readingSince: 0 };
  return overviewOf(runCard(state, noNotification()), marks, {
    attempts: live,
    count: live.length,
    carried: true,
    ...NO_ACTIVITY,
  });
}

const LIVE: LiveAttempt = {
  task: 'implement/1',
  title: 'Fix the rounding',
  role: 'implement',
  attempt: 1,
  agent: 'one',
  account: null,
  tier: null,
  startedAt: T0,
  lastSignAt: T0,
  activity: 'reading cart.ts',
  costUsd: null,
  turns: 1,
  warnings: [],
  terminal: false,
};

function begin(size = { columns: 80, rows: 24 }, engine: 'running' | 'none' = 'running'): Top {
  const runs = new Map(
    [failed, running, held].map((state) => [state.start.run, overview(state, state === running ? [LIVE] : [])]),
  );
  return settle(applyUpdate(initialTop(size, 'shop'), { kind: 'runs', runs, engine }));
}

/** The lines of the screen. */
function draw(top: Top): string[] {
  return drawFrame({ top, now: NOW, colors: painter(false) }).lines;
}

function settle(top: Top): Top {
  return withValidSelection(top, bodyRows({ top, now: NOW, colors: painter(false) }));
}

/** The state after keys and updates, and the effects of the keys; keys of more than one letter are written as their names. */
function drive(top: Top, ...steps: (string | Update)[]): { top: Top; effects: Effect[] } {
  let current = top;
  const effects: Effect[] = [];
  for (const step of steps) {
    if (typeof step !== 'string') current = applyUpdate(current, step);
    else {
      const pressed = press(current, step.length === 1 ? { kind: 'text', text: step } : { kind: 'key', name: step });
      current = pressed.top;
      effects.push(...pressed.effects);
    }
    current = settle(current);
  }
  return { top: current, effects };
}

function row(id: number, text: string, kind = 'text') {
  return { id, at: T0, attempt: 1, kind, text };
}

describe('the page of all runs', () => {
  it('shows first what needs the user and its key, then running runs, then recent ones', () => {
    const lines = draw(begin());
    expect(lines[0]).toMatch(/^manyhands shop .*1 needs you · 1 failed · 1 running · 1 agent · 4 waiting$/);
    expect(lines.slice(1, 9)).toEqual([
      ' needs you (1)',
      expect.stringMatching(/^>! held +A held plan +0\/3 .* 1m ago$/),
      '   a to approve: the plan waits for you',
      ' running (1)',
      expect.stringMatching(/^ ● running +evil text +1\/3 +1 agent .* 1:05$/),
      '   implement/1: reading cart.ts',
      ' recent (1)',
      expect.stringMatching(/^ ✗ failed +It failed +0\/1 .* 1m ago$/),
    ]);
    expect(lines.at(-1)).toBe('Enter open · a approve · c cancel · p pause · / filter · ? help · q quit');
  });

  it('says that it loads, and counts nothing, before the first runs have arrived', () => {
    const lines = draw({ ...begin(), runs: undefined });
    expect(lines[0]).toMatch(/^manyhands shop +loading$/);
    expect(lines[1]).toBe(' Loading the runs…');
  });

  it.each([
    [80, 24],
    [60, 15],
    [200, 60],
    [20, 4],
    [1, 1],
  ])('fills %i by %i exactly, on every page, whatever an agent prints or a title contains', (columns, rows) => {
    const size = { columns, rows };
    const opened = drive(begin(size), 'down', 'enter', { kind: 'state', state: running });
    const update: Update = {
      kind: 'opened',
      rows: [row(1, `${HOSTILE} ${'long '.repeat(200)}`), row(2, '日本語'.repeat(99))],
      earlier: 0,
    };
    const output = drive(opened.top, 'enter', update).top;
    const pages = [
      begin(size),
      drive(begin(size, 'none'), '?').top,
      opened.top,
      output,
      drive(output, 's', ...'hello').top,
    ];
    for (const lines of pages.map(draw)) {
      expect(lines).toHaveLength(rows);
      if (columns >= 20) for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('\n')).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
  });

  it('shows what is done for a run and what it waits for, also on its own page', () => {
    const since = new Date(NOW - 5_000).toISOString();
    const step = { kind: 'check' as const, what: 'check on the base: npm test', detail: 'ok 12', since };
    const busy = { ...overview(running, [LIVE]), activity: [{ ...step, tasks: [] }] };
    const { top } = drive(begin(), { kind: 'run', run: busy });
    expect(draw(top)).toContain('   run: check on the base: npm test (0:05): ok 12');
    const opened = drive(top, 'down', 'enter', { kind: 'state', state: running }).top;
    expect(draw(opened)).toContain('  check on the base: npm test (0:05): ok 12');
    const named = { ...busy, activity: [{ ...step, tasks: ['implement/1'], labels: ['rounding'] }] };
    expect(draw(drive(top, { kind: 'run', run: named }).top)).toContain(
      '   rounding: check on the base: npm test (0:05): ok 12',
    );
    const ofTask = draw(drive(opened, { kind: 'run', run: named }).top).find((line) => line.includes('implement/1'));
    expect(ofTask).toContain('check on the ba');
    const live = { ...busy, activity: [], live: [{ ...LIVE, label: 'rounding' }] };
    expect(draw(drive(top, { kind: 'run', run: live }).top)).toContain('   rounding: reading cart.ts');
    const until = new Date(NOW + 30_000).toISOString();
    const waitsFor = { kind: 'agent' as const, text: 'one is rate-limited', until, task: 'implement/1' };
    const waiting = { ...busy, activity: [], live: [], waitsFor };
    expect(draw(drive(top, { kind: 'run', run: waiting }).top)).toContain('   waits: one is rate-limited (30s left)');
    expect(draw(drive(opened, { kind: 'run', run: waiting }).top)).toContain('  waits: one is rate-limited (30s left)');
  });

  it('shows that no engine is running and how to continue, and stops its clocks', () => {
    const top = begin(undefined, 'none');
    expect(draw(top)[1]).toBe('No engine is running. Continue with: mh resume, or mh serve');
    expect(draw(top).join('\n')).not.toContain('1:05');
    expect([nextTick(begin()), nextTick(top)]).toEqual([1_000, 60_000]);
  });

  it('shows a run that no engine is running, and how to resume it', () => {
    const interrupted = { ...overview(running), carried: false };
    const { top } = drive(begin(), { kind: 'removed', run: 'heldheld' }, { kind: 'run', run: interrupted }, 'home');
    expect(draw(top).slice(1, 4)).toEqual([
      ' needs you (1)',
      expect.stringMatching(/^>◌ interrupted +evil text .* 1m ago$/),
      '   p to resume: no engine is running it',
    ]);
    expect(drive(top, 'p').effects).toEqual([{ kind: 'execute', action: { kind: 'resume', run: 'runsruns' } }]);
  });

  it('shows how to start without runs, and only matching runs with a filter', () => {
    const none = applyUpdate(initialTop({ columns: 80, rows: 24 }, 'shop'), {
      kind: 'runs',
      runs: new Map(),
      engine: 'none',
    });
    expect(draw(none).join('\n')).toContain('mh do "<goal>"');
    const filtered = drive(begin(), '/', ...'fail', 'enter').top;
    expect([filtered.selected.run, draw(filtered)[1]]).toEqual(['failfail', ' recent (1)']);
    expect(draw(filtered).at(-1)).toContain('filter: fail (Esc clears)');
    expect(drive(filtered, 'escape').top.filters.runs).toBe('');
  });

  it('inverts the selected row if there are colors', () => {
    const { lines } = drawFrame({ top: begin(), now: NOW, colors: painter(true) });
    expect(lines[2]).toContain(`${ESC}[7m`);
  });
});

describe('keys', () => {
  it('keep the selection on its run when others are added and removed', () => {
    const top = drive(begin(), 'j').top;
    expect(top.selected.run).toBe('runsruns');
    const { top: next } = drive(top, { kind: 'removed', run: 'heldheld' });
    expect(next.selected.run).toBe('runsruns');
    expect(drive(next, { kind: 'removed', run: 'runsruns' }).top.selected.run).toBe('failfail');
  });

  it('approve only after y', () => {
    const question = drive(begin(), 'a');
    expect(draw(question.top).at(-1)).toBe('Approve the plan of “A held plan” (heldheld)? (y/n)');
    for (const no of ['n', 'enter', 'escape', 'a']) expect(drive(question.top, no).effects).toEqual([]);
    expect(press(question.top, { kind: 'paste', text: 'y' }).effects).toEqual([]);
    expect(drive(question.top, 'y').effects).toEqual([
      { kind: 'execute', action: { kind: 'approve', run: 'heldheld', task: null } },
    ]);
  });

  it('show why they do not apply', () => {
    const refusals = [
      drive(begin(), 'j', 'a'),
      drive(begin(), 'j', 'j', 'c'),
      drive(begin(), 'r'),
      drive(begin(), 'j', 'l'),
      drive(begin(), 's'),
    ].map(({ top, effects }) => [draw(top).at(-1), effects.length]);
    expect(refusals).toEqual([
      ['Nothing here waits for approval.', 0],
      ['Run failfail is failed: there is nothing to cancel.', 0],
      ['No task of the run failed or is blocked.', 0],
      ['It is still running.', 0],
      ['Open the run and select the task that receives the message.', 0],
    ]);
  });

  it('pause immediately, and resume without an engine only when confirmed', () => {
    expect(drive(begin(), 'j', 'p').effects).toEqual([{ kind: 'execute', action: { kind: 'pause', run: 'runsruns' } }]);
    const idle = drive(begin(undefined, 'none'), 'j', 'p');
    expect(idle.effects).toEqual([]);
    expect(drive(idle.top, 'y').effects).toEqual([{ kind: 'execute', action: { kind: 'resume', run: 'runsruns' } }]);
  });

  it('retry the selected task of an open run', () => {
    const { top } = drive(begin(), 'end', 'enter', { kind: 'state', state: failed });
    expect(drive(top, 'r', 'y').effects).toEqual([
      { kind: 'execute', action: { kind: 'retry', run: 'failfail', task: 'job/1' } },
    ]);
  });

  it('send the typed message to the only running agent; an update does not remove the line', () => {
    const typing = drive(begin(), 'j', 's', ...'use it', { kind: 'message', text: 'an error', isError: true });
    expect(draw(typing.top).at(-1)).toBe('To implement/1: use it');
    expect(drive(typing.top, 'escape').effects).toEqual([]);
    expect(drive(typing.top, 'enter').effects).toEqual([
      { kind: 'execute', action: { kind: 'send', run: 'runsruns', task: 'implement/1', message: 'use it' } },
    ]);
  });

  it('quit everywhere with Ctrl-C, and with q unless text is typed', () => {
    expect(drive(begin(), 's', 'ctrl-c').effects).toEqual([{ kind: 'quit' }]);
    expect(drive(begin(), '/', 'q').effects).toEqual([]);
    expect(drive(begin(), 'q').effects).toEqual([{ kind: 'quit' }]);
  });
});

describe('an open run', () => {
  const { top } = drive(begin(), 'j', 'enter', { kind: 'state', state: running });

  it('has a line for each task, with the running one selected', () => {
    const lines = draw(top);
    expect(lines[0]).toMatch(/^● running evil text +runsruns {2}1:05$/);
    expect(lines.slice(2, 5)).toEqual([
      expect.stringMatching(/^ ✓ done +plan\/1 /),
      expect.stringMatching(/^>● running +implement\/1 +Fix the rounding +one +1:05 {2}reading cart.ts$/),
      expect.stringMatching(/^ ○ ready +implement\/2 /),
    ]);
  });

  it('shows running tasks first if not all fit', () => {
    const specs = Array.from({ length: 100 }, (_, index) => spec(`job/${index + 1}`));
    const { state } = given(started({ run: 'runsruns' }), added(...specs)).and(attempted('job/77'));
    const lines = draw(drive(begin(), 'j', 'enter', { kind: 'state', state }).top);
    expect(lines[2]).toMatch(/^>● running +job\/77 /);
    expect(lines).toHaveLength(24);
  });

  it('opens the output of a task, which is followed until the user scrolls up', () => {
    const rows = Array.from({ length: 100 }, (_, index) => row(index + 1, `line ${index + 1}`));
    const output = drive(top, 'enter', { kind: 'opened', rows, earlier: 0 });
    expect(output.top.page).toEqual({ kind: 'task', run: 'runsruns', task: 'implement/1', attempt: null });
    expect(draw(output.top).slice(-2)).toEqual(['  line 100', expect.stringMatching(/^following the end · /)]);
    const reading = drive(output.top, 'k', 'k', { kind: 'later', rows: [row(101, 'line 101')] });
    expect(draw(reading.top).at(-2)).toBe('  line 98');
    expect(draw(drive(reading.top, 'end').top).at(-2)).toBe('  line 101');
    expect(draw(drive(reading.top, 'home').top)[3]).toBe('  line 1');
  });

  it('requests earlier output once the first row is reached, and does not scroll then', () => {
    const rows = Array.from({ length: 30 }, (_, index) => row(index + 101, `line ${index + 101}`));
    const output = drive(top, 'enter', { kind: 'opened', rows, earlier: 100 }, 'home');
    expect(output.effects).toEqual([{ kind: 'earlier' }]);
    const before = Array.from({ length: 100 }, (_, index) => row(index + 1, `line ${index + 1}`));
    const longer = drive(output.top, { kind: 'earlier', rows: before, earlier: 0 });
    expect(draw(longer.top)[3]).toBe('  line 101');
    expect(draw(drive(longer.top, 'k').top)[3]).toBe('  line 100');
  });

  it('shows a tool call and its result in one line each', () => {
    const call = { ...row(1, 'Bash', 'tool-call'), data: { input: { command: 'npm test\nnpm run x' } } };
    const output = drive(top, 'enter', {
      kind: 'opened',
      rows: [call, row(2, 'one\ntwo\nthree', 'tool-result')],
      earlier: 0,
    });
    expect(draw(output.top).slice(3, 5)).toEqual(['→ Bash npm test', '← one (+2 lines)']);
  });
});

describe('drawing', () => {
  it('writes only the lines that changed', () => {
    expect(difference({ lines: ['a', 'b'] }, { lines: ['a', 'B'] })).toBe(`${ESC}[2;1H${ESC}[0m${ESC}[2KB`);
    expect(difference({ lines: ['a'] }, { lines: ['a'] })).toBe('');
    expect(difference({ lines: ['a'] }, { lines: ['a'], cursor: { row: 0, column: 1 } })).toBe(
      `${ESC}[1;2H${ESC}[?25h`,
    );
  });
});

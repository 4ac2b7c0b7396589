import { describe, expect, it } from 'vitest';
import { painter } from '../../../src/cli/render/symbols.ts';
import { textWidth } from '../../../src/cli/render/text-width.ts';
import { bodyRows, drawFrame } from '../../../src/cli/top/frame.ts';
import { settled } from '../../../src/cli/top/move.ts';
import { type Ask, press } from '../../../src/cli/top/press.ts';
import { difference } from '../../../src/cli/top/screen.ts';
import { nextTick } from '../../../src/cli/top/show-top.ts';
import { hear, type News } from '../../../src/cli/top/subscribe.ts';
import { beginTop, type Top } from '../../../src/cli/top/top.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { noNotification, overviewOf, runCard } from '../../../src/core/view/overview.ts';
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
  return overviewOf(runCard(state, noNotification()), marks, { attempts: live, count: live.length, carried: true });
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
  return settle(hear(beginTop(size, 'shop'), { kind: 'runs', runs, engine }));
}

/** The picture as it would be drawn. */
function draw(top: Top): string[] {
  return drawFrame({ top, now: NOW, colors: painter(false) }).lines;
}

function settle(top: Top): Top {
  return settled(top, bodyRows({ top, now: NOW, colors: painter(false) }));
}

/** What keys and news lead to; keys of more than one letter are written as their names. */
function play(top: Top, ...steps: (string | News)[]): { top: Top; asks: Ask[] } {
  let current = top;
  const asks: Ask[] = [];
  for (const step of steps) {
    if (typeof step !== 'string') current = hear(current, step);
    else {
      const pressed = press(current, step.length === 1 ? { kind: 'text', text: step } : { kind: 'key', name: step });
      current = pressed.top;
      asks.push(...pressed.asks);
    }
    current = settle(current);
  }
  return { top: current, asks };
}

function said(id: number, text: string, kind = 'text') {
  return { id, at: T0, attempt: 1, kind, text };
}

describe('the picture of all runs', () => {
  it('tells first what needs a person and which key settles it, then what runs, then what happened', () => {
    const lines = draw(begin());
    expect(lines[0]).toMatch(/^manyhands shop .*1 needs you · 1 running · 1 agent$/);
    expect(lines.slice(1, 9)).toEqual([
      ' needs you (1)',
      expect.stringMatching(/^>! held +A held plan +0\/3 .* 1m ago$/),
      '   a approves: the plan waits for you',
      ' running (1)',
      expect.stringMatching(/^ ● running +evil text +1\/3 +1 agent .* 1:05$/),
      '   implement/1: reading cart.ts',
      ' recent (1)',
      expect.stringMatching(/^ ✗ failed +It failed +0\/1 .* 1m ago$/),
    ]);
    expect(lines.at(-1)).toBe('Enter open · a approve · c cancel · p pause · / filter · ? help · q quit');
  });

  it.each([
    [80, 24],
    [60, 15],
    [200, 60],
    [20, 4],
    [1, 1],
  ])('fills %i by %i exactly, on every page, whatever an agent or a title says', (columns, rows) => {
    const size = { columns, rows };
    const opened = play(begin(size), 'down', 'enter', { kind: 'state', state: running });
    const news: News = {
      kind: 'opened',
      rows: [said(1, `${HOSTILE} ${'long '.repeat(200)}`), said(2, '日本語'.repeat(99))],
      earlier: 0,
    };
    const output = play(opened.top, 'enter', news).top;
    const pages = [
      begin(size),
      play(begin(size, 'none'), '?').top,
      opened.top,
      output,
      play(output, 's', ...'hello').top,
    ];
    for (const lines of pages.map(draw)) {
      expect(lines).toHaveLength(rows);
      if (columns >= 20) for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('\n')).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
  });

  it('says that nothing is running and how to go on, and stops its clocks', () => {
    const top = begin(undefined, 'none');
    expect(draw(top)[1]).toBe('Nothing is running; this is the record. Go on with: mh resume, or mh serve');
    expect(draw(top).join('\n')).not.toContain('1:05');
    expect([nextTick(begin()), nextTick(top)]).toEqual([1_000, 60_000]);
  });

  it('tells of a run that nobody works on, and how to go on with it', () => {
    const left = { ...overview(running), carried: false };
    const { top } = play(begin(), { kind: 'removed', run: 'heldheld' }, { kind: 'run', run: left }, 'home');
    expect(draw(top).slice(1, 4)).toEqual([
      ' needs you (1)',
      expect.stringMatching(/^>◌ interrupted +evil text .* 1m ago$/),
      '   p goes on: nobody works on it now',
    ]);
    expect(play(top, 'p').asks).toEqual([{ kind: 'do', deed: { kind: 'resume', run: 'runsruns' } }]);
  });

  it('shows how to begin where there are no runs, and only matching ones with a filter', () => {
    const none = hear(beginTop({ columns: 80, rows: 24 }, 'shop'), { kind: 'runs', runs: new Map(), engine: 'none' });
    expect(draw(none).join('\n')).toContain('mh do "<goal>"');
    const filtered = play(begin(), '/', ...'fail', 'enter').top;
    expect([filtered.chosen.run, draw(filtered)[1]]).toEqual(['failfail', ' recent (1)']);
    expect(draw(filtered).at(-1)).toContain('filter: fail (Esc clears)');
    expect(play(filtered, 'escape').top.filters.runs).toBe('');
  });

  it('marks the row under the cursor by reversing it where there are colours', () => {
    const { lines } = drawFrame({ top: begin(), now: NOW, colors: painter(true) });
    expect(lines[2]).toContain(`${ESC}[7m`);
  });
});

describe('keys', () => {
  it('keep the cursor on its run when others come and go', () => {
    const top = play(begin(), 'j').top;
    expect(top.chosen.run).toBe('runsruns');
    const { top: after } = play(top, { kind: 'removed', run: 'heldheld' });
    expect(after.chosen.run).toBe('runsruns');
    expect(play(after, { kind: 'removed', run: 'runsruns' }).top.chosen.run).toBe('failfail');
  });

  it('approve only after a clear yes', () => {
    const asked = play(begin(), 'a');
    expect(draw(asked.top).at(-1)).toBe('Approve the plan of “A held plan” (heldheld)? (y/n)');
    for (const no of ['n', 'enter', 'escape', 'a']) expect(play(asked.top, no).asks).toEqual([]);
    expect(press(asked.top, { kind: 'paste', text: 'y' }).asks).toEqual([]);
    expect(play(asked.top, 'y').asks).toEqual([{ kind: 'do', deed: { kind: 'approve', run: 'heldheld', task: null } }]);
  });

  it('say why where they make no sense', () => {
    const refusals = [
      play(begin(), 'j', 'a'),
      play(begin(), 'j', 'j', 'c'),
      play(begin(), 'r'),
      play(begin(), 'j', 'l'),
      play(begin(), 's'),
    ].map(({ top, asks }) => [draw(top).at(-1), asks.length]);
    expect(refusals).toEqual([
      ['Nothing here waits for approval.', 0],
      ['Run failfail is failed: there is nothing to cancel.', 0],
      ['No task of it failed or is blocked.', 0],
      ['It is still running.', 0],
      ['Open the run and choose the task that the message is for.', 0],
    ]);
  });

  it('pause at once, and go on without an engine only when asked', () => {
    expect(play(begin(), 'j', 'p').asks).toEqual([{ kind: 'do', deed: { kind: 'pause', run: 'runsruns' } }]);
    const idle = play(begin(undefined, 'none'), 'j', 'p');
    expect(idle.asks).toEqual([]);
    expect(play(idle.top, 'y').asks).toEqual([{ kind: 'do', deed: { kind: 'resume', run: 'runsruns' } }]);
  });

  it('retry the task under the cursor of an open run', () => {
    const { top } = play(begin(), 'end', 'enter', { kind: 'state', state: failed });
    expect(play(top, 'r', 'y').asks).toEqual([{ kind: 'do', deed: { kind: 'retry', run: 'failfail', task: 'job/1' } }]);
  });

  it('send what was typed to the only agent at work; news does not take the line away', () => {
    const typing = play(begin(), 'j', 's', ...'use it', { kind: 'said', text: 'news', isTrouble: true });
    expect(draw(typing.top).at(-1)).toBe('To implement/1: use it');
    expect(play(typing.top, 'escape').asks).toEqual([]);
    expect(play(typing.top, 'enter').asks).toEqual([
      { kind: 'do', deed: { kind: 'send', run: 'runsruns', task: 'implement/1', message: 'use it' } },
    ]);
  });

  it('quit from everywhere with Ctrl-C, and with q where nothing is typed', () => {
    expect(play(begin(), 's', 'ctrl-c').asks).toEqual([{ kind: 'quit' }]);
    expect(play(begin(), '/', 'q').asks).toEqual([]);
    expect(play(begin(), 'q').asks).toEqual([{ kind: 'quit' }]);
  });
});

describe('an open run', () => {
  const { top } = play(begin(), 'j', 'enter', { kind: 'state', state: running });

  it('has a line for each task, the cursor on the one that runs', () => {
    const lines = draw(top);
    expect(lines[0]).toMatch(/^● running evil text +runsruns {2}1:05$/);
    expect(lines.slice(2, 5)).toEqual([
      expect.stringMatching(/^ ✓ done +plan\/1 /),
      expect.stringMatching(/^>● running +implement\/1 +Fix the rounding +one +1:05 {2}reading cart.ts$/),
      expect.stringMatching(/^ ○ ready +implement\/2 /),
    ]);
  });

  it('brings what needs a person and what runs to the top where there is no room for all', () => {
    const specs = Array.from({ length: 100 }, (_, index) => spec(`job/${index + 1}`));
    const { state } = given(started({ run: 'runsruns' }), added(...specs)).and(attempted('job/77'));
    const lines = draw(play(begin(), 'j', 'enter', { kind: 'state', state }).top);
    expect(lines[2]).toMatch(/^>● running +job\/77 /);
    expect(lines).toHaveLength(24);
  });

  it('leads to the output of a task, which is followed until the person reads further up', () => {
    const rows = Array.from({ length: 100 }, (_, index) => said(index + 1, `line ${index + 1}`));
    const output = play(top, 'enter', { kind: 'opened', rows, earlier: 0 });
    expect(output.top.page).toEqual({ kind: 'task', run: 'runsruns', task: 'implement/1', attempt: null });
    expect(draw(output.top).slice(-2)).toEqual(['  line 100', expect.stringMatching(/^follows the end · /)]);
    const reading = play(output.top, 'k', 'k', { kind: 'later', rows: [said(101, 'line 101')] });
    expect(draw(reading.top).at(-2)).toBe('  line 98');
    expect(draw(play(reading.top, 'end').top).at(-2)).toBe('  line 101');
    expect(draw(play(reading.top, 'home').top)[3]).toBe('  line 1');
  });

  it('asks for what stands before the output once that is reached, and does not move then', () => {
    const rows = Array.from({ length: 30 }, (_, index) => said(index + 101, `line ${index + 101}`));
    const output = play(top, 'enter', { kind: 'opened', rows, earlier: 100 }, 'home');
    expect(output.asks).toEqual([{ kind: 'earlier' }]);
    const before = Array.from({ length: 100 }, (_, index) => said(index + 1, `line ${index + 1}`));
    const longer = play(output.top, { kind: 'earlier', rows: before, earlier: 0 });
    expect(draw(longer.top)[3]).toBe('  line 101');
    expect(draw(play(longer.top, 'k').top)[3]).toBe('  line 100');
  });

  it('folds a tool call and its result into a line each', () => {
    const call = { ...said(1, 'Bash', 'tool-call'), data: { input: { command: 'npm test\nnpm run x' } } };
    const output = play(top, 'enter', {
      kind: 'opened',
      rows: [call, said(2, 'one\ntwo\nthree', 'tool-result')],
      earlier: 0,
    });
    expect(draw(output.top).slice(3, 5)).toEqual(['→ Bash npm test', '← one (+2 lines)']);
  });
});

describe('drawing', () => {
  it('writes only the lines that differ, and nothing where none does', () => {
    expect(difference({ lines: ['a', 'b'] }, { lines: ['a', 'B'] })).toBe(`${ESC}[2;1H${ESC}[0m${ESC}[2KB`);
    expect(difference({ lines: ['a'] }, { lines: ['a'] })).toBe('');
    expect(difference({ lines: ['a'] }, { lines: ['a'], cursor: { row: 0, column: 1 } })).toBe(
      `${ESC}[1;2H${ESC}[?25h`,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../src/cli/render/next-steps.ts';
import { summaryLines } from '../../../src/cli/render/summary.ts';
import { painter } from '../../../src/cli/render/symbols.ts';
import { textWidth } from '../../../src/cli/render/text-width.ts';
import type { RunDocument } from '../../../src/schema/document.ts';
import { evidence } from '../../support/given.ts';

const DONE: RunDocument = {
  run: 'k3v9x2ab',
  version: 9,
  title: 'A better shop',
  recipe: 'goal',
  project: '/shop',
  status: 'done',
  reason: '2 tasks done, every check passed',
  branch: 'mh/k3v9x2ab',
  commit: 'aaaabbbbcccc',
  base: { branch: 'main', commit: '000011112222' },
  landed: null,
  cost: 0.42,
  startedAt: '2026-01-01T10:00:00.000Z',
  endedAt: '2026-01-01T10:01:12.000Z',
  nextAt: null,
  undone: null,
  waitsFor: null,
  activity: [],
  reviewed: null,
  invalidated: [],
  attention: [],
  tasks: [
    {
      key: 'plan/1',
      title: 'Plan',
      name: null,
      role: 'plan',
      status: 'done',
      reason: 'nothing to land',
      needs: [],
      track: null,
      attempts: 1,
      agent: 'ada',
      terminal: false,
      commit: null,
      cost: 0.02,
      evidence: [],
      flags: [],
      warnings: [],
      diagnosis: null,
    },
    {
      key: 'implement/1.1',
      title: 'Fix the rounding',
      name: null,
      role: 'implement',
      status: 'done',
      reason: 'landed',
      needs: ['plan/1'],
      track: null,
      attempts: 2,
      agent: 'grace',
      terminal: false,
      commit: 'aaaabbbbcccc',
      cost: 0.4,
      evidence: [evidence('npm test', 'pass')],
      flags: [],
      warnings: [],
      diagnosis: null,
    },
  ],
};

function linesOf(document: RunDocument, columns = 100): string[] {
  return summaryLines(document, { columns, now: Date.parse('2026-01-01T10:05:00Z'), colors: painter(false) });
}

describe('the summary of a run', () => {
  it('keeps the verdict of a check whose name does not fit', () => {
    const [plan, task] = DONE.tasks;
    if (plan === undefined || task === undefined) throw new Error('Two tasks were expected');
    const checks = [evidence('npm test', 'pass'), evidence('lint', 'pass')];
    const document = { ...DONE, tasks: [plan, { ...task, evidence: checks }] };
    const widths = Array.from({ length: 60 }, (_, index) => 60 + index);
    for (const columns of widths) {
      const row = linesOf(document, columns).find((line) => line.includes('implement/1.1')) ?? '';
      expect(row, `${columns} columns`).not.toMatch(/ {2}(npm|lint|n…|l…)/);
      expect(textWidth(row), `${columns} columns`).toBeLessThanOrEqual(columns);
    }
  });

  it('shows the outcome, tasks, branch and what to do next', () => {
    expect(linesOf(DONE)).toEqual([
      '✓ done  A better shop  k3v9x2ab · 1m 12s · $0.42',
      '  2 tasks done, every check passed',
      '',
      '  ✓ plan/1         Plan              ada       $0.02',
      '  ✓ implement/1.1  Fix the rounding  grace ×2  aaaabbbb  ✓ npm test  $0.40',
      '',
      '  branch  mh/k3v9x2ab at aaaabbbb, from main at 00001111',
      '',
      'Next',
      '  git diff main...mh/k3v9x2ab  show what changed',
      '  manyhands land k3v9x2ab      fast-forward main to it, or',
      '  git merge mh/k3v9x2ab        merge it yourself',
      '  manyhands logs k3v9x2ab      show the output of the agents',
    ]);
  });

  it('shows how the attempts were contained, together where it is the same, only where it is requested', () => {
    const [plan, work] = DONE.tasks;
    if (plan === undefined || work === undefined) throw new Error('There are two tasks');
    const partly = { level: 'partly' as const, missing: ['network'] };
    const none = { level: 'none' as const, missing: ['files'], reason: 'bubblewrap (bwrap) is not installed' };
    const lines = (second: typeof partly | typeof none, hasContainment = true) => {
      const containment = [
        { attempt: 1, ...partly },
        { attempt: 2, ...second },
      ];
      const tasks = [
        { ...plan, containment: [{ attempt: 1, ...partly }] },
        { ...work, containment },
      ];
      const view = { columns: 100, now: 0, colors: painter(false), hasContainment };
      const shown = summaryLines({ ...DONE, tasks }, view);
      const from = shown.indexOf('Containment');
      return from < 0 ? [] : shown.slice(from + 1, shown.indexOf('', from));
    };
    expect(lines(partly)).toEqual(['  every attempt: partly contained: not network']);
    expect(lines(none)).toEqual([
      '  plan/1 #1, implement/1.1 #1: partly contained: not network',
      '  implement/1.1 #2: not contained: bubblewrap (bwrap) is not installed',
    ]);
    expect(lines(none, false)).toEqual([]);
  });

  it('shows why a task failed if an agent analyzed it, and what to do in any case', () => {
    const [plan, work] = DONE.tasks;
    if (plan === undefined || work === undefined) throw new Error('There are two tasks');
    const diagnosis = { why: 'The tool is missing.', nextStep: 'Install it.', by: 'api:anthropic' };
    const tasks = [
      { ...plan, status: 'failed', diagnosis },
      { ...work, status: 'failed', diagnosis: { ...diagnosis, by: 'rules' } },
    ];
    const lines = linesOf({ ...DONE, tasks });
    const from = lines.indexOf('Failed');
    expect(lines.slice(from, from + 5)).toEqual([
      'Failed',
      '  plan/1: The tool is missing.',
      '    → Install it.',
      '  implement/1.1',
      '    → Install it.',
    ]);
  });

  it('shows how to resume a failed task by hand', () => {
    const [task] = DONE.tasks;
    if (task === undefined) throw new Error('The document has a task');
    const diagnosis = { why: 'no output', nextStep: 'retry', by: 'rules' };
    const resumeCommand = 'cd "$(manyhands open k3v9x2ab plan/1)" && claude --resume s-1';
    const failed = { ...DONE, tasks: [{ ...task, status: 'failed', diagnosis, resumeCommand }] };
    const lines = summaryLines(failed, { columns: 80, now: 0, colors: painter(false) });
    expect(lines).toContain(`    resume by hand: ${resumeCommand}`);
  });

  it('shows what needs the user before the tasks, with reason, files and next step in full', () => {
    const reason = `it changes how the checks run ${'and more '.repeat(10)}`.trim();
    const attention = [
      {
        task: 'implement/1.1',
        what: 'held' as const,
        reason,
        files: ['package.json'],
        nextStep: 'manyhands approve k3v9x2ab implement/1.1',
      },
    ];
    const lines = linesOf({ ...DONE, status: 'held', reason, endedAt: null, attention }, 60);
    expect(lines.slice(0, 3)).toEqual(['! held  A better shop  k3v9x2ab · 5m 0s · $0.42', '', 'Needs you']);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(reason);
    expect(lines).toContain('    package.json');
    expect(lines).toContain('    → manyhands approve k3v9x2ab implement/1.1');
    expect(lines.indexOf('Needs you')).toBeLessThan(lines.findIndex((line) => line.includes('plan/1')));
  });

  it('shows how to verify an unverified result', () => {
    expect(linesOf({ ...DONE, status: 'unverified', reason: null })[1]).toBe(
      '  no check was configured; add one with --check',
    );
  });

  it('fits narrow terminals, except for commands, which are not cut', () => {
    const lines = linesOf({ ...DONE, title: '長い題名'.repeat(20) }, 50);
    for (const line of lines.slice(0, lines.indexOf('Next'))) expect(textWidth(line)).toBeLessThanOrEqual(50);
  });
});

describe('a run of very many tasks', () => {
  it('shows those that are not done, and counts the rest', () => {
    const [task] = DONE.tasks.slice(1);
    if (task === undefined) throw new Error('there is no task');
    const tasks = Array.from({ length: 1000 }, (_, index) => ({
      ...task,
      key: `item/${index + 1}`,
      status: index === 998 ? 'failed' : 'done',
    }));
    const lines = summaryLines({ ...DONE, tasks }, { columns: 100, now: 0, colors: painter(false) });
    expect(lines.length).toBeLessThan(80);
    expect(lines.findIndex((line) => line.includes('item/999'))).toBeLessThan(5);
    expect(lines.join('\n')).toContain('999 of 1000 done, 940 not shown; show all with manyhands show k3v9x2ab --json');
  });
});

describe('the next steps', () => {
  const commands = (document: RunDocument) => nextSteps(document).map(({ command }) => command);

  it('of a rehearsal with the built-in scenario do not land it', () => {
    const rehearsed = commands({ ...DONE, rehearsal: true });
    expect(rehearsed[0]).toMatch(/^git diff /);
    expect(rehearsed.filter((command) => / (merge|land) /.test(command))).toEqual([]);
  });

  it('of a landed run show what landed', () => {
    const landed = { branch: 'main', commit: 'aaaabbbbcccc', how: 'merge', url: null };
    expect(commands({ ...DONE, landed })[0]).toBe('git log --oneline 00001111..main');
    expect(commands({ ...DONE, landed: { ...landed, how: 'pr', url: 'https://example.org/1' } })[0]).toBe(
      'https://example.org/1',
    );
  });

  it('of a run of which a part succeeded land that part first, once', () => {
    const partial: RunDocument = { ...DONE, status: 'partial' };
    const landed = { branch: 'main', commit: 'aaaabbbbcccc', how: 'merge', url: null };
    expect(commands(partial)[0]).toBe('manyhands land k3v9x2ab');
    expect(commands({ ...partial, landed })).not.toContain('manyhands land k3v9x2ab');
  });

  it('of a plan write it to a file', () => {
    const tasks = [{ id: 'a', title: 'A', description: 'Do it', needs: [] }];
    expect(commands({ ...DONE, recipe: 'todo', result: { tasks, summary: 'One task' } })[0]).toBe(
      'manyhands plan --run k3v9x2ab --output tasks.yaml',
    );
  });

  it('of a failed run name the task that failed', () => {
    const tasks = DONE.tasks.map((task) => ({ ...task, status: 'failed' })).slice(1);
    expect(commands({ ...DONE, status: 'failed', tasks })).toEqual([
      'manyhands logs k3v9x2ab --task implement/1.1',
      'manyhands retry k3v9x2ab',
      'manyhands salvage k3v9x2ab',
    ]);
  });

  it('of a run that ended before its first attempt list no saved work', () => {
    expect(commands({ ...DONE, status: 'cancelled', tasks: [] })).toEqual(['manyhands retry k3v9x2ab']);
    expect(commands({ ...DONE, status: 'cancelled' })[0]).toBe('manyhands salvage k3v9x2ab');
  });

  it('of a run that no engine is running resume it', () => {
    expect(commands({ ...DONE, status: 'running', carried: false })).toEqual(['manyhands resume k3v9x2ab']);
    expect(commands({ ...DONE, status: 'running' })[0]).toBe('manyhands wait k3v9x2ab');
  });

  it('can be pasted whatever the branch is called', () => {
    const base = { branch: `it's $(odd)`, commit: '000011112222' };
    expect(commands({ ...DONE, base })[0]).toBe(`git diff 'it'\\''s $(odd)'...mh/k3v9x2ab`);
  });
});

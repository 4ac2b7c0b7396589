import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Acceptance } from '../../src/schema/acceptance.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { runForDocument } from '../support/run-for-document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';

/** The shape that another tool documents for its workflows, key by key. */
const WORKFLOW = `schema_version: 1
id: careful-change
description: Find out, change, try, look, decide.
defaults:
  timeout_seconds: 900
  final_only: true
  max_output_bytes: 20000
  max_events_bytes: 160000
  allow_write: false
nodes:
  requirements:
    role: requirements
    task: Say what is wanted.
    outputs: requirements_handoff
  implementation:
    role: development
    needs: [requirements]
    allow_write: true
    write_scope:
      allow: ["src/", "tests/"]
      deny: [".env", ".env.*"]
      max_diff_lines: 800
    task: Make the change.
    outputs: implementation_handoff
  testing:
    role: testing
    needs: [implementation]
    task: Try it.
    outputs: testing_handoff
  review:
    role: review
    needs: [implementation]
    task: Look at it.
    outputs: review_handoff
  quality_gate:
    type: gate
    needs: [testing, review]
    pass_when:
      - testing.status == "pass"
      - review.blocking_count == 0
    on_fail:
      retry: implementation
      max_retries: 2
  supervisor:
    role: supervisor
    needs: [quality_gate]
    task: Decide whether it may be accepted.
    outputs: supervisor_handoff
`;

/**
 * Each writing round adds a line; testing passes when there are as many lines as $HOME/lines says. Every start is put down in
 * $HOME/ledger; a task named in $HOME/wait waits until that file is gone.
 */
const AGENT = `#!/bin/sh
cat > /dev/null
echo "$MANYHANDS_TASK" >> "$HOME/ledger"
while grep -qx "$MANYHANDS_TASK" "$HOME/wait" 2>/dev/null; do sleep 0.05; done
status=pass
case "$MANYHANDS_ROLE" in
  implement) echo line >> src/code.txt ;;
  testing) wc -l < src/code.txt >> "$HOME/tested"; [ "$(wc -l < src/code.txt)" -ge "$(cat "$HOME/lines")" ] || status=fail ;;
esac
extra=$(cat "$HOME/extra" 2>/dev/null)
echo '{"status":"'$status'","summary":"done",'$extra'"requirements":[],"boundaries":[],"acceptance_criteria":[],"changed_files":[],"write_scope":[],"commands_run":[],"tests_run":[],"failures":[],"coverage_gaps":[],"findings":[],"blocking_issues":[],"residual_risk":[],"verdict":"approve","confidence":"high","objections":[],"missing_evidence":[]}'
`;

const SETTINGS = `agents: { hand: { kind: command, command: ../agent.sh } }
limits: { attempts: 1, retryDelaySeconds: 0 }
checks: ["test -d src"]
`;

async function scratch(lines: number, workflow = WORKFLOW): Promise<Scratch> {
  const project = await makeScratch({
    files: { 'src/base.txt': 'base\n', 'workflow.yaml': workflow, '.manyhands/config.yaml': SETTINGS },
  });
  writeFileSync(join(project.root, 'agent.sh'), AGENT, { mode: 0o755 });
  writeFileSync(join(project.root, 'lines'), String(lines));
  return project;
}

function ledger(project: Scratch): string[] {
  return readFileSync(join(project.root, 'ledger'), 'utf8').trim().split('\n');
}

/** Waits until so many agents have started. */
async function untilStarted(project: Scratch, task: string, times = 1): Promise<void> {
  const file = join(project.root, 'ledger');
  const isThere = () => existsSync(file) && ledger(project).filter((entry) => entry === task).length >= times;
  for (let tries = 0; tries < 1_200 && !isThere(); tries += 1) await pause(50);
}

const ROUNDS = ['node/1', 'node/2', 'node/3', 'node/4', 'node/2/2', 'node/3/2', 'node/4/2', 'node/5'];

describe('a workflow file in the format of another tool', () => {
  it('is rehearsed to a verified result without a model', { timeout: 180_000 }, async () => {
    await using project = await scratch(1);
    const done = await runForDocument(project, 'run', 'workflow.yaml', '--rehearse');
    expect([done.code, done.status]).toEqual([0, 'done']);
    expect(done.tasks.map(({ name }) => name)).toEqual([
      'requirements',
      'implementation',
      'testing',
      'review',
      'supervisor',
    ]);
  });

  it('repeats the work until its gate passes, then continues; a retried node is not done until all later nodes are', {
    timeout: 300_000,
  }, async () => {
    await using project = await scratch(2);
    const done = await runForDocument(project, 'run', 'workflow.yaml');
    expect([done.code, done.status, done.reason]).toEqual([0, 'done', expect.any(String)]);
    expect(ledger(project).toSorted()).toEqual(ROUNDS.toSorted());
    expect(Acceptance.parse((await project.mh(['verify', '--json'])).json).acceptance).toBe('verified');
    const REFUSED = 'gate quality_gate of node review did not pass: testing.status == "pass"';
    expect(
      done.nodes?.map(({ id, status, rounds }) => [id, status, rounds.map(({ reason }) => reason)]),
      'the reason of every round',
    ).toEqual([
      ['requirements', 'passed', ['it needs no other node']],
      ['implementation', 'passed', ['requirements ended', REFUSED]],
      ['testing', 'passed', ['implementation ended', 'implementation was done again']],
      ['review', 'passed', ['implementation ended', 'implementation was done again']],
      ['supervisor', 'passed', ['testing, review ended']],
    ]);
    expect(done.nodes?.[3]?.gates).toMatchObject([{ id: 'quality_gate', verdict: 'passed' }]);
    expect(done.tasks[0]?.output, 'structured results are part of the document').toMatchObject({ status: 'pass' });
    const lines = (await project.mh(['show'])).stdout;
    expect(lines).toContain(`implementation/2: ${REFUSED}`.slice(0, 70));
    expect(lines).toContain('gate quality_gate of review passed');
    const report = (await project.mh(['report'])).stdout;
    expect(report).toContain('## Nodes and gates');
    expect(report, 'the trail has the reason of a round').toMatch(/started a round \|.*gate quality/);
    expect(report).toContain('Its structured result:');

    writeFileSync(join(project.root, 'wait'), 'node/2/2\n');
    const again = project.start(['retry', done.run, 'implementation', '--json']);
    await untilStarted(project, 'node/2/2', 2);
    const open = await runForDocument(project, 'show');
    expect(open.status).toBe('running');
    expect(open.invalidated.toSorted()).toEqual(['node/2/2', 'node/3/2', 'node/4/2', 'node/5']);
    expect(open.nodes?.map(({ status }) => status)).toEqual([
      'passed',
      'running',
      'needs-rerun',
      'needs-rerun',
      'needs-rerun',
    ]);
    const stale = open.tasks.filter(({ status }) => status === 'needs-rerun');
    expect(stale.map(({ key, output }) => [key, output])).toEqual([
      ['node/3/2', undefined],
      ['node/4/2', undefined],
      ['node/5', undefined],
    ]);
    const accepted = Acceptance.parse((await project.mh(['verify', '--json'])).json);
    expect(accepted.acceptance).toBe('blocked');
    writeFileSync(join(project.root, 'wait'), '');
    const ended = RunDocument.parse((await again.done).json);
    expect([ended.status, ended.invalidated]).toEqual(['done', []]);
    expect(ledger(project).slice(ROUNDS.length).toSorted()).toEqual(['node/2/2', 'node/3/3', 'node/4/3', 'node/5/2']);
    expect(readFileSync(join(project.root, 'tested'), 'utf8').split(/\s+/).filter(Boolean)).toEqual(['1', '2', '3']);
    expect(project.git('show', `mh/${done.run}:src/code.txt`).split('\n')).toHaveLength(3);
  });

  it.runIf(TESTS_ALL)('is still gated when a node is retried', { timeout: 300_000 }, async () => {
    await using project = await scratch(2);
    const done = await runForDocument(project, 'run', 'workflow.yaml');
    writeFileSync(join(project.root, 'lines'), '4');
    const again = await runForDocument(project, 'retry', done.run, 'implementation');
    expect([again.status, again.invalidated]).toEqual(['done', []]);
    const started = ledger(project).slice(ROUNDS.length);
    expect(started.at(-1)).toMatch(/^node\/5/);
    expect(started.filter((task) => task.startsWith('node/5'))).toHaveLength(1);
  });

  it('waits for the user when no round is left, and continues past the gate once approved', {
    timeout: 180_000,
  }, async () => {
    await using project = await scratch(9);
    const held = await runForDocument(project, 'run', 'workflow.yaml');
    expect([held.code, held.status]).toEqual([4, 'held']);
    expect(held.attention).toMatchObject([
      { reason: expect.stringMatching(/quality_gate.*testing\.status == "pass".*no round is left/) },
    ]);
    expect(ledger(project).filter((task) => task.startsWith('node/2'))).toHaveLength(3);
    const done = await runForDocument(project, 'approve');
    expect([done.code, done.status]).toEqual([0, 'done']);
    expect(ledger(project).at(-1)).toBe('node/5');
  });

  it('stops at its loop guard', { timeout: 180_000 }, async () => {
    const guarded = WORKFLOW.replace('max_retries: 2', 'max_retries: 20').replace('nodes:', 'loop_guard: 3\nnodes:');
    await using project = await scratch(99, guarded);
    const held = await runForDocument(project, 'run', 'workflow.yaml');
    expect([held.code, held.status]).toEqual([4, 'held']);
    expect(ledger(project).length).toBeLessThanOrEqual(4 + 3 + 2);
  });

  it.each(
    variants(
      [['between two rounds', 'attempt.ended:4']],
      [['while the node that is done again works', 'attempt.going:5']],
    ),
  )('pays for nothing twice after a kill %s', { timeout: 300_000 }, async (_, point) => {
    await using project = await scratch(2);
    const died = await project.mh(['run', 'workflow.yaml', '--json'], { env: { MANYHANDS_CRASH: point } });
    expect(died.signal).toBe('SIGKILL');
    const resumed = await project.mh(['resume', '--json']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(ledger(project).toSorted()).toEqual(ROUNDS.toSorted());
    expect(await project.leftovers()).toEqual([]);
  });

  it('holds the run with a reason when an expression reads too much', { timeout: 180_000 }, async () => {
    const asking = WORKFLOW.replace('testing.status == "pass"', 'testing.tests_run.all(test, test.size() < 9)');
    await using project = await scratch(
      0,
      asking.replace('    on_fail:\n      retry: implementation\n      max_retries: 2\n', ''),
    );
    const many = Array.from({ length: 30_000 }, (_, index) => `"t${index}"`).join(',');
    appendFileSync(join(project.root, 'extra'), `"many":[${many}],`);
    const held = await runForDocument(project, 'run', 'workflow.yaml');
    expect(held.status).toBe('held');
    expect(held.attention[0]?.reason).toMatch(/more than 20000/);
  });

  it.each(
    variants(
      [
        ['a regular expression', 'testing.summary.matches("(a+)+$")'],
        ['a program', '__import__("os").system("touch /tmp/x")'],
      ],
      [
        ['a loop inside a loop', 'testing.a.all(x, testing.a.all(y, x != y))'],
        ['an endless text', `testing.summary == "${'x'.repeat(5_000)}"`],
        ['something that is no question', 'testing.status + "pass"'],
      ],
    ),
  )('is refused where its gate asks %s, with the project', async (_, expression) => {
    const text = WORKFLOW.replace('testing.status == "pass"', JSON.stringify(expression));
    await using project = await scratch(1, text);
    const refused = await project.mh(['run', 'workflow.yaml']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/workflow\.yaml:\d+:\d+.*/);
    expect(existsSync(join(project.root, 'ledger'))).toBe(false);
  });
});

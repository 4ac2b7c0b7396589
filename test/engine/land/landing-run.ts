import { endAttempt, startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { addTasks } from '../../../src/core/run/add-tasks.ts';
import { approve } from '../../../src/core/run/answer-hold.ts';
import type { TaskState } from '../../../src/core/run/state.ts';
import { landTasks, runRef } from '../../../src/engine/land/land-tasks.ts';
import { checkBase } from '../../../src/engine/start/check-base.ts';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { treeOf } from '../../../src/git/read/commit-graph.ts';
import { readRef } from '../../../src/git/refs/mirror-refs.ts';
import type { RiskFlag } from '../../../src/schema/risk.ts';
import type { TaskSpec } from '../../../src/schema/task.ts';
import { spec } from '../../support/given.ts';
import { makeRunProject, type RunProjectOptions } from '../run-project.ts';

/** Fails where a file named `bad` exists, and counts its runs. */
export const CHECK = 'echo ran >>"$HOME/checks"; test ! -e bad';
const NOTHING = { costUsd: 0, tokens: 0, turns: 0 };

type Work = {
  files: Record<string, string | null>;
  from?: string;
  spec?: Partial<TaskSpec>;
  flags?: RiskFlag[];
  attempt?: number;
};

/** A run without an engine loop, whose tasks wait to land with real commits. */
export async function makeLandingRun({ check = CHECK, ...options }: RunProjectOptions & { check?: string } = {}) {
  const project = await makeRunProject(options);
  const engine = project.newEngine();
  const active = await project.open(engine, 'A test of landing');
  const { mirror, repository } = active.project;
  const gates = [{ gate: 'command' as const, name: 'check', run: check, timeoutMs: 60_000 }];
  const task = (key: string): TaskState => {
    const found = active.ledger.state.tasks[key];
    if (found === undefined) throw new Error(`There is no task ${key}`);
    return found;
  };
  /** Ends an attempt of a ready task with these files as its work. */
  const deliver = async (
    key: string,
    { files, from = 'main', flags = [], attempt = 1 }: Omit<Work, 'spec'>,
  ): Promise<void> => {
    const branch = `work-${key.replaceAll('/', '-')}`;
    const commit = project.commit(branch, from, files);
    await refreshMirror(mirror, repository);
    const tree = await treeOf(mirror, commit);
    const saved = { ref: `refs/user/heads/${branch}`, commit, tree, head: commit, changed: true };
    const base = active.ledger.state.tip.commit;
    const start = { task: key, agent: 'one', because: 'a test', base, reservation: NOTHING };
    const end = { task: key, attempt, usage: { kind: 'none' as const }, summary: 'done', saved, flags, now: 0 };
    await engine.submit(active, (state) => startAttempt(state, start)).committed;
    await engine.submit(active, (state) => endAttempt(state, end)).committed;
  };
  return {
    project,
    engine,
    active,
    task,
    /** Adds a task whose work is these files and waits to land. */
    async work(key: string, { spec: more = {}, ...delivery }: Work): Promise<void> {
      await engine.submit(active, (state) => addTasks(state, [spec(key, { gates, ...more })])).committed;
      await deliver(key, delivery);
    },
    deliver,
    /** Runs the check on the base, as the engine does before any work. */
    checkBase: () => checkBase(engine, active, gates),
    approve: (key: string) => engine.submit(active, (state) => approve(state, { task: key })).committed,
    land: (...keys: string[]) => landTasks(engine, active, keys),
    lastTask: (): TaskState => task(active.ledger.state.order.at(-1) ?? ''),
    status: (key: string) => task(key).phase.status,
    /** How often the check ran. */
    checks: () => project.lines('checks').length,
    /** The files at the tip of the run branch, which the ref in the mirror must be at. */
    async files(): Promise<string[]> {
      const { commit } = active.ledger.state.tip;
      const ref = await readRef(mirror, runRef(active.id));
      if (ref !== commit) throw new Error(`The ref is at ${ref}, not at ${commit}`);
      return project.git('--git-dir', mirror.dir, 'ls-tree', '-r', '--name-only', commit).split('\n');
    },
    async [Symbol.asyncDispose]() {
      await engine.stop();
      await project[Symbol.asyncDispose]();
    },
  };
}

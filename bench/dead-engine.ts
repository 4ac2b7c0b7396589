import { join } from 'node:path';
import { endAttempt, startAttempt } from '../src/core/attempt/decide-attempt.ts';
import { completeLanding } from '../src/core/land/decide-landing.ts';
import { addTasks } from '../src/core/run/add-tasks.ts';
import { evolve } from '../src/core/run/evolve.ts';
import { type RunLedger, runLedger } from '../src/engine/loop/ledger.ts';
import { openProject } from '../src/engine/start/open-run.ts';
import { inspectRepository, projectId } from '../src/git/read/repository.ts';
import { prepareHome, resolveHome } from '../src/home.ts';
import { taskSpec } from '../src/recipes/task-spec.ts';
import { Config } from '../src/schema/config.ts';
import type { RunEvent, RunStart } from '../src/schema/event.ts';
import { runStream } from '../src/schema/ids.ts';
import { acquireLock } from '../src/store/lock.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { realWorld } from '../src/world.ts';

/** The unfinished run. */
export const LEFT_RUN = 'bench000';

/** Acts as an engine, records a run of so many tasks without performing them, and kills itself during the last one. */
export async function dieDuringRun(folder: string, size: number): Promise<never> {
  const home = resolveHome({ MANYHANDS_HOME: join(folder, 'home') });
  await prepareHome(home);
  await acquireLock(home.lock);
  const store = await openSqliteStore({ file: home.database, world: realWorld });
  const start = await startIn(join(folder, 'repository'));
  await openProject({ home }, start.project);
  const first: RunEvent = { type: 'run.started', data: start };
  await store.append([{ stream: runStream(LEFT_RUN), expected: 0, events: [first] }], realWorld.now());
  const ledger = runLedger(store, realWorld, evolve(undefined, { event: first, at: realWorld.now() }));
  await work(ledger, size);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

async function startIn(root: string): Promise<RunStart> {
  const repository = await inspectRepository(root);
  const config = Config.parse({
    agents: { one: { kind: 'command', command: '/bin/true' } },
    routing: { order: ['one'] },
    review: { rounds: 0 },
  });
  return {
    run: LEFT_RUN,
    title: 'A run that was left behind',
    project: { id: projectId(repository), root: repository.root },
    recipe: { name: 'goal', version: 1 },
    input: { goal: 'A run that was left behind', planOnly: false },
    base: { branch: repository.branch, commit: repository.head },
    land: 'branch',
    config,
    roles: {},
    agents: {},
  };
}

async function work(ledger: RunLedger, size: number): Promise<void> {
  const { config, base } = ledger.state.start;
  const tree = base.commit;
  const about = { role: 'implement', access: 'write', prompt: 'Do what the title says.' } as const;
  const specs = Array.from({ length: size + 1 }, (_, index) =>
    taskSpec(config, { ...about, key: `implement/1.${index + 1}`, title: `Task ${index + 1}` }),
  );
  ledger.submit(() => [{ type: 'run.base-checked', data: { tree, evidence: [] } }]);
  ledger.submit((state) => addTasks(state, specs));
  for (const { key: task } of specs) {
    const isLast = task === specs.at(-1)?.key;
    const claim = {
      task,
      agent: 'one',
      because: 'the only one',
      base: base.commit,
      reservation: { costUsd: 0, tokens: 0, turns: 0 },
    };
    const { committed } = ledger.submit((state) => startAttempt(state, claim));
    if (isLast) return committed;
    const saved = {
      ref: `refs/manyhands/attempts/${task}/1`,
      commit: base.commit,
      tree,
      head: base.commit,
      changed: true,
    };
    ledger.submit((state) =>
      endAttempt(state, { task, attempt: 1, usage: { kind: 'none' }, summary: 'Done.', saved, now: realWorld.now() }),
    );
    await ledger.submit((state) =>
      completeLanding(state, { tasks: [task], from: state.tip.commit, commit: base.commit, tree }),
    ).committed;
  }
}

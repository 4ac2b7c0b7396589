import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ProjectLedgers } from '../../../src/access/project-ledgers.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { nextStartAt } from '../../../src/core/schedule/start-time.ts';
import { startFromCurrentBase } from '../../../src/engine/attempt/begin-attempt.ts';
import { Engine } from '../../../src/engine/loop/engine.ts';
import { loadRun } from '../../../src/engine/loop/ledger.ts';
import { openRun } from '../../../src/engine/start/open-run.ts';
import { startRun } from '../../../src/engine/start/start-run.ts';
import { prepareHome, resolveHome } from '../../../src/home.ts';
import { chooseImplementations } from '../../../src/implementations.ts';
import { BY_ENGINE } from '../../../src/schema/actor.ts';
import { runStream } from '../../../src/schema/ids.ts';
import { JobInput, StartOptions } from '../../../src/schema/request.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld, type World } from '../../../src/world.ts';
import { writeFiles } from '../../support/scratch.ts';

const HOUR = 3_600_000;

/** Notes which files it finds, and makes one of its own. */
const AGENT = `#!/bin/sh
cat > /dev/null
name=$(echo "$MANYHANDS_TASK" | tr / -)
ls > "$HOME/saw-$name"
echo "$MANYHANDS_TASK" >> "$HOME/calls"
echo "$MANYHANDS_TASK" > "$name.txt"
`;

/** The real world with a clock that can be moved, and alarms that ring when somebody lets them. */
function movableWorld(aheadMs: number): World & { move(ms: number): void; ring(): void } {
  let ahead = aheadMs;
  const alarms = new Set<() => void>();
  const ring = () => {
    for (const alarm of [...alarms]) {
      alarms.delete(alarm);
      alarm();
    }
  };
  return {
    ...realWorld,
    now: () => realWorld.now() + ahead,
    alarm: (_at, alarm) => {
      alarms.add(alarm);
      return () => alarms.delete(alarm);
    },
    move: (ms) => {
      ahead += ms;
      ring();
    },
    ring,
  };
}

async function openScratch() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mh-repeat-')));
  const repo = join(root, 'project');
  const settings = {
    agents: { hand: { kind: 'command', command: './agent.sh' } },
    limits: { attempts: 1, freeDiskMb: 0, freeMemoryMb: 0 },
    checks: ['test -e agent.sh'],
  };
  writeFiles(repo, { 'agent.sh': AGENT, '.manyhands/config.yaml': JSON.stringify(settings) });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], {
      cwd: repo,
      encoding: 'utf8',
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: root, MANYHANDS_HOME: join(root, 'data') };
  const home = resolveHome(env);
  await prepareHome(home);
  const store = await openSqliteStore({ file: home.database, world: realWorld });
  return {
    root,
    repo,
    git,
    store,
    engine: (world: World) => new Engine({ home, store, world, implementations: chooseImplementations(env), env }),
    commit: (name: string) => {
      writeFileSync(join(repo, name), name);
      git('add', name);
      git('commit', '--quiet', `--message=${name}`);
    },
    /** Resolves when the run stands as it should. */
    when: (run: string, stands: (state: RunState) => boolean) =>
      new Promise<RunState>((resolve) => {
        const check = () => {
          const state = loadRun(store, runStream(run));
          if (!stands(state)) return;
          stop();
          resolve(state);
        };
        const stop = store.onAppend(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

it('starts at its time from the current base, continues after an engine died, and does nothing twice', {
  timeout: 120_000,
}, async () => {
  await using scratch = await openScratch();
  const clock = movableWorld(0);
  const first = scratch.engine(clock);
  const input = JobInput.parse({ task: 'Again', notBefore: clock.now() + HOUR, repeat: { everyMs: HOUR, times: 2 } });
  const options = StartOptions.parse({ dir: scratch.repo, land: 'merge', collection: 'nightly' });
  const { state, project } = await startRun(first, { recipe: 'job', input, options });
  const { run } = state.start;
  first.run(await openRun(first, run, { state, project }));
  await scratch.when(run, (stands) => nextStartAt(stands) === input.notBefore);
  expect(new ProjectLedgers(scratch.store, clock).state(project.id).filed).toEqual({ [run]: 'nightly' });
  scratch.commit('early.txt');
  clock.ring();
  clock.move(HOUR);
  const waits = await scratch.when(run, (stands) => stands.tasks['job/2'] !== undefined && stands.landed !== null);
  expect(readFileSync(join(scratch.root, 'saw-job-1'), 'utf8')).toContain('early.txt');
  expect(scratch.git('ls-tree', '--name-only', 'main')).toContain('job-1.txt');

  scratch.commit('late.txt');
  const later = movableWorld(HOUR);
  const second = scratch.engine(later);
  second.run(await openRun(second, run));
  later.ring();
  const adopted = loadRun(scratch.store, runStream(run));
  expect([adopted.order, adopted.tasks['job/2']?.spec]).toEqual([['job/1', 'job/2'], waits.tasks['job/2']?.spec]);
  later.move(HOUR);
  await second.idle();
  const ended = loadRun(scratch.store, runStream(run));
  expect(ended.status).toMatchObject({ kind: 'ended', status: 'done' });
  expect(ended.order).toEqual(['job/1', 'job/2']);
  expect(readFileSync(join(scratch.root, 'calls'), 'utf8')).toBe('job/1\njob/2\n');
  expect(readFileSync(join(scratch.root, 'saw-job-2'), 'utf8')).toContain('late.txt');
  expect(scratch.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(
    expect.arrayContaining(['early.txt', 'late.txt', 'job-1.txt', 'job-2.txt']),
  );
  await second.stop();
  await first.stop();
});

it('starts from the run branch where the new base conflicts with it', async () => {
  await using scratch = await openScratch();
  scratch.git('checkout', '--quiet', '-b', 'own');
  scratch.commit('same.txt');
  const own = scratch.git('rev-parse', 'HEAD').trim();
  const tree = scratch.git('rev-parse', 'HEAD^{tree}').trim();
  scratch.git('checkout', '--quiet', 'main');
  const engine = scratch.engine(realWorld);
  const input = JobInput.parse({ task: 'Later', notBefore: realWorld.now() + HOUR });
  const options = StartOptions.parse({ dir: scratch.repo });
  const { state, project } = await startRun(engine, { recipe: 'job', input, options });
  const active = await openRun(engine, state.start.run, { state, project });
  const { add } = active.recipe.unfold(state, input, undefined);
  await engine.submit(active, () => [
    { type: 'tasks.added', data: { specs: add } },
    { type: 'run.rewound', data: { commit: own, tree, reason: 'a test' } },
  ]).committed;
  writeFileSync(join(scratch.repo, 'same.txt'), 'otherwise');
  scratch.git('add', 'same.txt');
  scratch.git('commit', '--quiet', '--message=Otherwise');
  await startFromCurrentBase(engine, active, 'job/1');
  expect(active.ledger.state.tip.commit).toBe(own);
  scratch.git('reset', '--quiet', '--hard', 'HEAD^');
  scratch.commit('other.txt');
  await startFromCurrentBase(engine, active, 'job/1');
  const { tip, start } = active.ledger.state;
  expect(start.base.commit).toBe(scratch.git('rev-parse', 'main').trim());
  expect([own, start.base.commit, undefined]).not.toContain(tip.commit);
  await engine.stop();
});

it('files concurrent changes without losing any', async () => {
  await using scratch = await openScratch();
  const projects = new ProjectLedgers(scratch.store, realWorld);
  const runs = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd'];
  await Promise.all(
    runs.map((run) =>
      projects.submit('p', () => [{ type: 'collection.filed', data: { run, collection: 'all' } }], BY_ENGINE),
    ),
  );
  expect(Object.keys(projects.state('p').filed).sort()).toEqual(runs);
  expect(projects.state('p').collections).toHaveLength(1);
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chooseImplementations } from '../../src/app/implementations.ts';
import { Engine } from '../../src/engine/loop/engine.ts';
import { loadRun } from '../../src/engine/loop/ledger.ts';
import { openRun } from '../../src/engine/start/open-run.ts';
import { startRun } from '../../src/engine/start/start-run.ts';
import { prepareHome, resolveHome } from '../../src/home.ts';
import { runStream } from '../../src/schema/ids.ts';
import { JobInput, StartOptions } from '../../src/schema/request.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { writeFiles } from '../support/scratch.ts';

/** Speaks Claude's lines: refuses the work, and answers whoever asks its light model. */
const CLAUDE = `#!/bin/sh
case "$*" in
  *--version*) echo '2.1.325 (Claude Code)'; exit 0 ;;
  *light-model*) cat >/dev/null; pwd >>"$HOME/asked"
    echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","session_id":"s","total_cost_usd":0.004,"structured_output":{"title":"Named by the light model","why":"w","nextStep":"n"},"modelUsage":{"light-model":{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.004}}}'
    exit 0 ;;
esac
cat >/dev/null
echo '{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":1,"result":"No such tool","session_id":"s","total_cost_usd":0.5,"modelUsage":{"big":{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.5}}}'
exit 1
`;

export type RunPlaceOptions = {
  config?: Record<string, unknown>;
  agent?: Record<string, unknown>;
  env?: Record<string, string>;
};

/** A repository whose one agent always fails, and engines for it in this process. */
export async function makeRunPlace({ config = {}, agent = {}, env: more = {} }: RunPlaceOptions) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mh-engine-')));
  const repo = join(root, 'project');
  const settings = {
    agents: { one: { kind: 'claude', command: '../claude', env: { ANTHROPIC_API_KEY: 'test-key' }, ...agent } },
    limits: { attempts: 1, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 },
    ...config,
  };
  writeFiles(root, { claude: CLAUDE });
  writeFiles(repo, { 'a.txt': 'a\n', '.manyhands/config.yaml': JSON.stringify(settings) });
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: repo });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const env = { PATH: path, HOME: root, MANYHANDS_HOME: join(root, 'data'), ...more };
  const home = resolveHome(env);
  await prepareHome(home);
  const store = await openSqliteStore({ file: home.database, world: realWorld });
  const newEngine = () =>
    new Engine({ home, store, world: realWorld, implementations: chooseImplementations(env, []), env });
  const stateOf = (run: string) => loadRun(store, runStream(run));
  const start = (engine: Engine, task: string) =>
    startRun(engine, { recipe: 'job', input: JobInput.parse({ task }), options: StartOptions.parse({ dir: repo }) });
  return {
    root,
    home,
    store,
    newEngine,
    stateOf,
    start,
    /** Carries a job to its end and gives the run. */
    async carry(task: string) {
      const engine = newEngine();
      const { state, project } = await start(engine, task);
      engine.run(await openRun(engine, state.start.run, { state, project }));
      await engine.idle();
      await engine.stop();
      return stateOf(state.start.run);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

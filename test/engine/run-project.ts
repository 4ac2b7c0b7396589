import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Engine } from '../../src/engine/loop/engine.ts';
import { loadRun } from '../../src/engine/loop/ledger.ts';
import { openRun } from '../../src/engine/start/open-run.ts';
import { startRun } from '../../src/engine/start/start-run.ts';
import { prepareHome, resolveHome } from '../../src/home.ts';
import { chooseImplementations } from '../../src/implementations.ts';
import { runStream } from '../../src/schema/ids.ts';
import { JobInput, StartOptions } from '../../src/schema/request.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld, type World } from '../../src/world.ts';
import { requireSandbox, SHARED_FOLDER } from '../support/contained.ts';
import { writeFiles } from '../support/scratch.ts';

/** Writes output in the format of Claude: fails every task, and answers small calls to its light model. */
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

export type RunProjectOptions = {
  config?: Record<string, unknown>;
  agent?: Record<string, unknown>;
  env?: Record<string, string>;
  /** Further files of the first commit; one above the repository (`../agent.sh`) is not committed. */
  files?: Record<string, string>;
  world?: World;
  /** Whether every program of a task must be in the sandbox. */
  contained?: boolean;
};

/** A repository whose one agent always fails, and engines for it in this process. */
export async function makeRunProject({
  config = {},
  agent = {},
  env: more = {},
  files = {},
  world = realWorld,
  contained = false,
}: RunProjectOptions) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mh-engine-')));
  const repo = join(root, 'project');
  const settings = {
    agents: { one: { kind: 'claude', command: '../claude', env: { ANTHROPIC_API_KEY: 'test-key' }, ...agent } },
    limits: { attempts: 1, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 },
    ...config,
  };
  writeFiles(root, { claude: CLAUDE });
  writeFiles(repo, { 'a.txt': 'a\n', '.manyhands/config.yaml': JSON.stringify(settings), ...files });
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: repo, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  mkdirSync(join(root, SHARED_FOLDER));
  const sandbox = contained ? await requireSandbox(root) : {};
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const env = { PATH: path, HOME: root, MANYHANDS_HOME: join(root, 'data'), ...sandbox, ...more };
  const home = resolveHome(env);
  await prepareHome(home);
  const store = await openSqliteStore({ file: home.database, world: realWorld });
  const newEngine = () => new Engine({ home, store, world, implementations: chooseImplementations(env), env });
  const stateOf = (run: string) => loadRun(store, runStream(run));
  const start = (engine: Engine, task: string, options: Partial<StartOptions> = {}) =>
    startRun(engine, {
      recipe: 'job',
      input: JobInput.parse({ task }),
      options: StartOptions.parse({ dir: repo, ...options }),
    });
  const open = async (engine: Engine, task: string, options: Partial<StartOptions> = {}) => {
    const { state, project } = await start(engine, task, options);
    return openRun(engine, state.start.run, { state, project });
  };
  return {
    root,
    repo,
    home,
    store,
    git,
    newEngine,
    stateOf,
    start,
    /** Starts a job and opens its run; the engine does not run it. */
    open,
    /** Runs a job to its end and returns its state. */
    async run(task: string, options: Partial<StartOptions> = {}) {
      const engine = newEngine();
      const active = await open(engine, task, options);
      engine.run(active);
      await engine.idle();
      await engine.stop();
      return stateOf(active.id);
    },
    /** Commits these files (null removes one) on a branch of the user's repository that starts from a commit, and returns the new commit. */
    commit(branch: string, from: string, changes: Record<string, string | null>): string {
      const current = git('rev-parse', '--abbrev-ref', 'HEAD');
      git('checkout', '--quiet', '-B', branch, from);
      const removed = Object.keys(changes).filter((path) => changes[path] === null);
      for (const path of removed) rmSync(join(repo, path));
      writeFiles(
        repo,
        Object.fromEntries(Object.entries(changes).flatMap(([path, text]) => (text === null ? [] : [[path, text]]))),
      );
      git('add', '--all');
      git('commit', '--quiet', `--message=${branch}`);
      const commit = git('rev-parse', 'HEAD');
      if (current !== branch) git('checkout', '--quiet', current);
      return commit;
    },
    /** Writes a file in HOME, which agents and checks can read. */
    writeHome: (name: string, text: string) => writeFileSync(join(root, name), text),
    /** The lines that agents or checks appended to a file in HOME. */
    lines(name: string): string[] {
      const file = join(root, name);
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

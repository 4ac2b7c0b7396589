import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AttemptTerminals } from './access/attempt-terminals.ts';
import { RunsFeed } from './access/overviews/runs-feed.ts';
import { ProjectLedgers } from './access/project-ledgers.ts';
import { RunCharges } from './access/run-charges.ts';
import { RunReader } from './access/run-reader.ts';
import { discoverProfiles, withProfiles } from './agents/accounts/ccswitch.ts';
import { pinAgents } from './agents/pin-agents.ts';
import { createAgents } from './agents/registry.ts';
import { loadConfig } from './config/load.ts';
import type { Implementations } from './engine/loop/context.ts';
import { RunControl } from './engine/loop/control-runs.ts';
import { Engine } from './engine/loop/engine.ts';
import { followUp } from './failures/registry.ts';
import { reachForge } from './forges/registry.ts';
import { checkGate, definitionHash } from './gates/registry.ts';
import { changedFiles } from './git/read/diff.ts';
import { filesOfCommit } from './git/read/list-files.ts';
import { guard, heldWithoutChecks, specialFiles, testPrograms } from './guards/guards.ts';
import type { Home } from './home.ts';
import { MODEL_APIS } from './model-apis/registry.ts';
import { writeStatus } from './recipes/features/write-statuses.ts';
import { recipeOf } from './recipes/registry.ts';
import { checksOf } from './recipes/task-spec.ts';
import { findRisks } from './risks/registry.ts';
import type { Store } from './store/store.ts';
import type { World } from './world.ts';

/** What exists in this process: everything that operations use. */
export type App = {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly world: World;
  readonly store: Store;
  /** The agents, gates, recipes, forges and so on that the engine works with. */
  readonly implementations: Implementations;
  readonly runs: RunReader;
  readonly overviews: RunsFeed;
  readonly charges: RunCharges;
  readonly projects: ProjectLedgers;
  readonly terminals: AttemptTerminals;
  /** The way to change runs, where this process is the engine. */
  readonly control: RunControl | undefined;
};

type Sources = Pick<App, 'home' | 'env' | 'world' | 'store'>;

/** The app of a process that is not the engine: it only reads. */
export function createReader(sources: Sources): App {
  return assemble(sources, chooseImplementations(sources.env), undefined);
}

/** The app of the process that is the engine; `end` begins to end it. */
export function createEngine(sources: Sources, end: (agents: 'leave' | 'stop') => void): { app: App; engine: Engine } {
  const implementations = chooseImplementations(sources.env);
  const engine = new Engine({ ...sources, implementations });
  return { app: assemble(sources, implementations, { engine, control: new RunControl(engine, end) }), engine };
}

function assemble(
  sources: Sources,
  implementations: Implementations,
  own: { engine: Engine; control: RunControl } | undefined,
): App {
  const { home, world, store } = sources;
  const runs = new RunReader(store, own?.engine);
  const projects = new ProjectLedgers(store, world);
  const live = own === undefined ? undefined : liveRuns(own.engine);
  return {
    ...sources,
    implementations,
    runs,
    overviews: new RunsFeed({ store, world, projects, state: (run) => runs.state(run), live }),
    charges: new RunCharges(runs),
    projects,
    terminals: new AttemptTerminals(home, world),
    control: own?.control,
  };
}

function liveRuns({ runs, failed, activities }: Engine) {
  return {
    state: (run: string) => runs.get(run)?.ledger.state,
    failed,
    onActive: (listener: (run: string) => void) => runs.onChange(listener),
    activity: (run: string) => activities.of(run),
    onActivity: (listener: (run: string) => void) => activities.onChange(listener),
  };
}

/** The implementations of the engine's interfaces, from their registries. */
export function chooseImplementations(env: NodeJS.ProcessEnv): Implementations {
  const path = env.PATH ?? '';
  const rehearsal = rehearsalProgram();
  return {
    config: (root) => loadConfig({ dir: root, env }),
    pin: ({ config, dir, root, choices, rehearse, scenario }) =>
      pinAgents({
        config,
        dir,
        root,
        path,
        adHoc: choices,
        rehearsal: { program: rehearsal, allAgents: rehearse, ...(scenario === undefined ? {} : { scenario }) },
      }),
    withLogins: async (config) =>
      config.routing.ccswitch === 'off' ? config : withProfiles(config, (await discoverProfiles(config, env)).profiles),
    agents: ({ config, project }) =>
      createAgents({ config, dir: project.root, path, adHoc: [], rehearsal: { program: rehearsal } }),
    checks: checksOf,
    recipe: recipeOf,
    followUp,
    checkGate,
    findRisks,
    modelApis: MODEL_APIS,
    forge: (repository, config, signal) => reachForge({ repository, config, env }, signal),
    guard: guardCandidate,
    writeStatuses: (root, { file, statuses }) =>
      writeStatus(join(root, file), new Map(statuses.map(({ id, status }) => [id, status])), { root }),
    definition: (spec, config) => definitionHash(spec, { tools: toolsOf(JSON.stringify(config.workspace)) }),
  };
}

const guardCandidate: Implementations['guard'] = async ({ mirror, from, to, config, gates, targets, trace }) => {
  const special = await specialFiles(mirror, from, to);
  const changed = (await changedFiles(mirror, { from, to })).flatMap(({ path, status }) =>
    status === 'renamed' ? [] : [{ path, status }],
  );
  const tests = testPrograms({ ...config.guards, changed });
  if (gates.length === 0) return { overlay: [], held: heldWithoutChecks(special, config.guards.allow), tests };
  const guarded = await guard({
    ...config.guards,
    gates,
    targets,
    trace,
    changed,
    special,
    base: await filesOfCommit(mirror, from),
    candidate: await filesOfCommit(mirror, to),
  });
  return { ...guarded, tests };
};

/** What a check's outcome depends on besides the tree and its command: the set-up's settings and the machine's Node. */
function toolsOf(workspace: string): string {
  return createHash('sha256')
    .update(`${process.version} ${process.platform} ${process.arch} ${workspace}`)
    .digest('hex');
}

/** The program of the rehearsal agents, beside the built one. */
function rehearsalProgram(): string[] {
  return [process.execPath, fileURLToPath(new URL('./rehearsal.js', import.meta.url))];
}

import type { Parts } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import { readHistory } from '../engine/history.ts';
import type { Home } from '../home.ts';
import type { EnginePort, Ports } from '../operations/ports.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';
import { viewAgents } from './agents-port.ts';
import { benchPort } from './bench-port.ts';
import { examine } from './doctor.ts';
import { filesPort } from './files-port.ts';
import { forgesPort } from './forges-port.ts';
import { keepPort } from './keep-port.ts';
import { projectsPort } from './projects-port.ts';
import { RunsFeed } from './runs-feed.ts';
import { runsPort } from './runs-port.ts';
import { templatesPort } from './templates-port.ts';
import { terminalsPort } from './terminals-port.ts';
import { transcriptsPort } from './transcripts-port.ts';
import { whereabouts } from './where.ts';
import { workPort } from './work-port.ts';

/** `own`: the engine of this process, where it is one. */
export type PortSources = {
  home: Home;
  env: NodeJS.ProcessEnv;
  world: World;
  store: Store;
  parts: Parts;
  own: { engine: Engine; port: EnginePort } | undefined;
};

/** All that operations use, in the engine's process and in one that only reads. */
export function portsFor({ home, env, world, store, parts, own }: PortSources): Ports {
  const view: Ports['agents'] = (dir, choices, rehearsal = { rehearse: false }) =>
    viewAgents({ parts, store, world, env }, dir, { agents: choices, ...rehearsal });
  const runs = runsPort(store, own?.engine);
  const projects = projectsPort(store, world);
  const live =
    own === undefined
      ? undefined
      : {
          state: (run: string) => own.engine.runs.get(run)?.ledger.state,
          failed: own.engine.failed,
          onCarried: (listener: (run: string) => void) => own.engine.runs.onChange(listener),
        };
  return {
    runs,
    overviews: new RunsFeed({ store, world, projects, state: runs.state, live }),
    transcripts: transcriptsPort(store),
    files: filesPort(env),
    projects,
    templates: templatesPort(env),
    work: workPort(home),
    engine: own?.port,
    agents: view,
    bench: benchPort,
    forges: forgesPort({ home, env, world, parts }),
    terminals: terminalsPort(home, world),
    history: () => readHistory(store),
    keep: keepPort({ home, store, world }),
    where: (dir) => whereabouts(home, env, dir),
    doctor: (dir, online) => examine({ home, env, dir, world, online, view: (folder) => view(folder, []) }),
    now: () => world.now(),
  };
}

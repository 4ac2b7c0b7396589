import { RunsFeed } from '../access/overviews/runs-feed.ts';
import { projectsPort } from '../access/projects.ts';
import { runsPort } from '../access/runs.ts';
import { transcriptsPort } from '../access/transcripts.ts';
import type { Implementations } from '../engine/loop/context.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { readHistory } from '../engine/start/model-history.ts';
import type { Home } from '../home.ts';
import { examine } from '../operations/maintenance/doctor/doctor.ts';
import { keepPort } from '../operations/maintenance/keep-runs.ts';
import { whereabouts } from '../operations/maintenance/where.ts';
import { benchPort } from '../operations/models/bench-run.ts';
import { viewAgents } from '../operations/models/view-agents.ts';
import { filesPort } from '../operations/projects/project-files.ts';
import { workPort } from '../operations/projects/project-work.ts';
import { forgesPort } from '../operations/pull-requests/project-forge.ts';
import { templatesPort } from '../operations/templates/template-files.ts';
import { terminalsPort } from '../operations/terminals/attempt-terminals.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';
import type { EnginePort, Ports } from './port-interfaces.ts';

/** `own`: the engine of this process, where it is one. */
export type PortSources = {
  home: Home;
  env: NodeJS.ProcessEnv;
  world: World;
  store: Store;
  parts: Implementations;
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
          onActive: (listener: (run: string) => void) => own.engine.runs.onChange(listener),
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

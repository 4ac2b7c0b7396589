import type { ProjectsPort } from '../app/port-interfaces.ts';
import { emptyProject, evolveProject, isAboutFiling, type ProjectState } from '../core/project/project-state.ts';
import { AppError } from '../errors.ts';
import { ProjectEvent } from '../schema/event.ts';
import { projectStream } from '../schema/ids.ts';
import { type Fold, Ledger } from '../store/ledger.ts';
import type { Store } from '../store/store.ts';
import { crashpoint, type World } from '../world.ts';

/** How the runs of a project are filed; what else its stream holds (spend, proofs) is read elsewhere. */
const PROJECT_FOLD: Fold<ProjectState, ProjectEvent> = {
  parse: ({ type, data }) => {
    if (!isAboutFiling(type)) return undefined;
    const event = ProjectEvent.safeParse({ type, data });
    if (event.success) return event.data;
    throw new AppError('DATA_DAMAGED', `A stored event of type ${type} cannot be read: ${event.error.message}`);
  },
  evolve: (state, { event, at }) => evolveProject(state ?? emptyProject(), event, at),
  empty: emptyProject,
};

/** How the runs of projects are filed, from the store and into it: one ledger for each project. */
export function projectsPort(store: Store, world: World): ProjectsPort {
  const ledgers = new Map<string, Ledger<ProjectState, ProjectEvent>>();
  const ledgerOf = (project: string) => {
    const known = ledgers.get(project);
    if (known !== undefined) return known;
    const ledger = new Ledger({ store, world, stream: projectStream(project), fold: PROJECT_FOLD });
    ledgers.set(project, ledger);
    return ledger;
  };
  return {
    ids: () => store.streams('project/').map(({ stream }) => stream.slice('project/'.length)),
    state: (project) => ledgerOf(project).refresh(),
    submit: async (project, decide, origin) => {
      crashpoint('project.filing');
      const state = await ledgerOf(project).update(decide, origin);
      crashpoint('project.filed');
      return state;
    },
  };
}

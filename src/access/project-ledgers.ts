import { emptyProject, evolveProject, isAboutFiling, type ProjectState } from '../core/project/project-state.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../schema/actor.ts';
import { ProjectEvent } from '../schema/event.ts';
import { projectStream } from '../schema/ids.ts';
import type { Fold } from '../store/ledger.ts';
import { Ledgers } from '../store/ledgers.ts';
import type { Store } from '../store/store.ts';
import { crashpoint, type World } from '../world.ts';

/** How the runs of a project are filed; other events of its stream (spending, evidence) are read elsewhere. */
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

/** How the runs of projects are filed: one ledger for each project. */
export class ProjectLedgers {
  readonly #store: Store;
  readonly #ledgers: Ledgers<ProjectState, ProjectEvent>;

  constructor(store: Store, world: World) {
    this.#store = store;
    this.#ledgers = new Ledgers({ store, world, fold: PROJECT_FOLD });
  }

  /** All projects in which anything was ever filed or spent. */
  ids(): string[] {
    return this.#store.streams('project/').map(({ stream }) => stream.slice('project/'.length));
  }

  state(project: string): ProjectState {
    return this.#ledgers.state(projectStream(project));
  }

  /** Decides on the current state and records the events; decides again where the project was changed concurrently. */
  async submit(
    project: string,
    decide: (state: ProjectState) => ProjectEvent[],
    origin: Origin,
  ): Promise<ProjectState> {
    crashpoint('project.filing');
    const state = await this.#ledgers.update(projectStream(project), decide, origin);
    crashpoint('project.filed');
    return state;
  }
}

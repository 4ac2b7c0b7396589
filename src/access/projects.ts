import type { ProjectsPort } from '../app/port-interfaces.ts';
import { emptyProject, evolveProject, isAboutFiling, type ProjectState } from '../core/project/project.ts';
import { AppError } from '../errors.ts';
import { ProjectEvent } from '../schema/event.ts';
import { projectStream } from '../schema/ids.ts';
import type { Store, StoredEvent } from '../store/store.ts';
import { crashpoint, type World } from '../world.ts';

/** How often a decision is made anew because a run ended, or somebody else decided, meanwhile. */
const TRIES = 20;

/** How the runs of projects are filed, from the store and into it; what was folded to be looked at is not folded again. */
export function projectsPort(store: Store, world: World): ProjectsPort {
  const known = new Map<string, { version: number; state: ProjectState }>();
  return {
    ids: () => store.streams('project/').map(({ stream }) => stream.slice('project/'.length)),
    state: (project) => {
      const seen = known.get(project) ?? { version: 0, state: emptyProject() };
      const more = store.read(projectStream(project), seen.version);
      seen.state = fold(more, seen.state);
      seen.version = more.at(-1)?.version ?? seen.version;
      known.set(project, seen);
      return seen.state;
    },
    submit: async (project, decide) => {
      const stream = projectStream(project);
      for (let left = TRIES; ; left -= 1) {
        const stored = store.read(stream);
        const state = fold(stored);
        const events = decide(state);
        if (events.length === 0) return state;
        const at = world.now();
        try {
          crashpoint('project.filing');
          await store.append([{ stream, expected: stored.at(-1)?.version ?? 0, events }], at);
          crashpoint('project.filed');
          return events.reduce((before, event) => evolveProject(before, event, at), state);
        } catch (error) {
          if (left <= 1 || !(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
        }
      }
    },
  };
}

function fold(stored: readonly StoredEvent[], state: ProjectState = emptyProject()): ProjectState {
  for (const { type, data, at } of stored) {
    if (!isAboutFiling(type)) continue;
    const event = ProjectEvent.safeParse({ type, data });
    if (!event.success)
      throw new AppError('DATA_DAMAGED', `A stored event of type ${type} cannot be read: ${event.error.message}`);
    evolveProject(state, event.data, at);
  }
  return state;
}

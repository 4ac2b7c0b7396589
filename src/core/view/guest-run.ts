import { Config } from '../../schema/config.ts';
import type { ShownEvent } from '../../schema/event.ts';
import type { RunState } from '../run/state.ts';

type Start = RunState['start'];

/** The last part of a path: a guest learns the name of the project, not where it is on the machine. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? '';
}

/** A run as its guests see it: without its settings, the texts of its roles and the folder of its project. */
export function sharedState(state: RunState): RunState {
  return { ...state, start: sharedStart(state.start) };
}

/** An event as guests see it; events can be folded onto a shared state as onto the full one. */
export function sharedEvent(event: ShownEvent): ShownEvent {
  const { type, data } = event;
  if (typeof data !== 'object' || data === null) return event;
  // The data of an event has the type that its schema gave it when it was stored.
  if (type === 'run.started') return { ...event, data: sharedStart(data as Start) };
  return type === 'run.settings-changed' ? { ...event, data: { ...data, agents: undefined } } : event;
}

function sharedStart(start: Start): Start {
  const { project, config } = start;
  return {
    ...start,
    project: { id: '', root: folderName(project.folder ?? project.root) },
    config: sharedConfig(config),
    roles: {},
  };
}

/** Defaults, and of the settings of the run only what its pages show: limits, money, and which kind an agent is. */
function sharedConfig({ agents, budget, limits, baseRed }: Config): Config {
  const kinds = Object.entries(agents).map(([name, { kind }]) => [name, { kind, command: kind }]);
  return Config.parse({ agents: Object.fromEntries(kinds), budget, limits, baseRed });
}

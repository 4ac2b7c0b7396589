import { AppError } from '../../errors.ts';
import type { ProjectEvent } from '../../schema/event.ts';
import type { ProjectState } from './project-state.ts';

/** Adds a project by the URL of its repository; the same one twice changes nothing. */
export function addRemote(state: ProjectState, { name, url }: { name: string; url: string }): ProjectEvent[] {
  if (state.remote?.name === name && state.remote.url === url) return [];
  return [{ type: 'project.added', data: { name, remote: url } }];
}

/** Removes a project that was added by its URL. */
export function removeRemote(state: ProjectState, name: string): ProjectEvent[] {
  if (state.remote === undefined)
    throw new AppError('PROJECT_UNKNOWN', `${name} was not added by a URL, or is removed already`, { name });
  return [{ type: 'project.removed', data: {} }];
}

import type { App } from '../../app.ts';
import { listSaved } from '../../git/save/saved-work.ts';
import type { ProjectRef } from '../find-run.ts';
import { mirrorOf } from './project-mirror.ts';

/** The run, the ordinal of the task and the attempt that a ref of saved work names. */
export const SAVED_REF = /^refs\/manyhands\/attempts\/([0-9a-z]{8})-(\d+)-(\d+)\//;

/** All work that was ever saved for a project. */
export async function savedWork(app: App, project: ProjectRef): ReturnType<typeof listSaved> {
  return listSaved(await mirrorOf(app, project), 'refs/manyhands/attempts');
}

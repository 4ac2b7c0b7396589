import { z } from 'zod';
import { removeRemote } from '../../core/project/remote-project.ts';
import { AppError } from '../../errors.ts';
import { operation } from '../operation.ts';
import { RemoteProject, remoteProjects } from './add-project.ts';

/** Removes a project that was added by its URL; its runs, its mirror and its clone are kept. */
export const removeProject = operation({
  name: 'remove-project',
  where: 'engine',
  summary: 'Remove a project that was added by its URL; its runs are kept',
  http: 'DELETE /api/projects/{name}',
  allow: ['operator'],
  tool: { none: 'Which repositories an installation works on is decided by a person.' },
  input: z.object({ name: z.string() }),
  output: RemoteProject,
  run: async (app, { name }, { origin }) => {
    const found = remoteProjects(app).find((project) => project.name === name || project.id === name);
    if (found === undefined)
      throw new AppError('PROJECT_UNKNOWN', `There is no project ${name} that was added by a URL`, { name });
    await app.projects.submit(found.id, (state) => removeRemote(state, name), origin);
    return found;
  },
});

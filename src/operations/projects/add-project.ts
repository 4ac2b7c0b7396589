import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { addRemote } from '../../core/project/remote-project.ts';
import { cloneFolder } from '../../engine/start/project-clone.ts';
import { AppError } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import { cloneRemote } from '../../git/push/clone-remote.ts';
import { remoteAddress } from '../../git/read/remote-address.ts';
import { RemoteUrl } from '../../schema/config/hosts.ts';
import { ProjectName } from '../../schema/ids.ts';
import { operation } from '../operation.ts';

export const RemoteProject = z.object({
  id: z.string(),
  name: ProjectName,
  remote: z.string().describe('The URL of its repository.'),
  root: z.string().describe('The folder of its clone on the server.'),
});

/** Adds a project that is identified by its remote and a name, so that every machine of the installation can clone it. */
export const addProject = operation({
  name: 'add-project',
  where: 'engine',
  summary: 'Add a project by the URL of its repository',
  http: 'POST /api/projects',
  allow: ['operator'],
  tool: { none: 'It lets the machines of the installation read a repository with the credentials of the server.' },
  input: z.object({
    url: RemoteUrl.describe('Its repository, as every machine of the installation reaches it: https, ssh or a path.'),
    name: ProjectName.optional().describe('The name; by default the last part of the URL.'),
  }),
  output: RemoteProject,
  run: async (app, { url, name: requested }, { origin, signal }) => {
    const name = requested ?? nameIn(url);
    const id = `${name}-${createHash('sha256').update(remoteAddress(url)).digest('hex').slice(0, 8)}`;
    const other = remoteProjects(app).find((known) => known.name === name && known.id !== id);
    if (other !== undefined)
      throw new AppError('INPUT_INVALID', `${name} is the name of ${other.remote} already: choose another --name`);
    const root = cloneFolder(app.home, id);
    await withMutex(`clone ${root}`, () => cloneRemote({ dir: root, url, signal }, app.world));
    await app.projects.submit(id, (state) => addRemote(state, { name, url }), origin);
    return { id, name, remote: url, root };
  },
});

/** The projects that were added by their URL. */
export function remoteProjects(app: Pick<App, 'projects' | 'home'>): z.infer<typeof RemoteProject>[] {
  return app.projects.ids().flatMap((id) => {
    const { remote } = app.projects.state(id);
    return remote === undefined ? [] : [{ id, name: remote.name, remote: remote.url, root: cloneFolder(app.home, id) }];
  });
}

function nameIn(url: string): string {
  const last = url.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '';
  const name = ProjectName.safeParse(last.replace(/\.git$/, '').slice(0, 40));
  if (name.success) return name.data;
  throw new AppError('INPUT_INVALID', `The name of the project cannot be taken from ${url}: give one with --name`);
}

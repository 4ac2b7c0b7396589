import picomatch from 'picomatch';
import { z } from 'zod';
import { listFiles } from '../../git/read/list-files.ts';
import { inspectRepository } from '../../git/read/repository.ts';
import { operation } from '../operation.ts';

/** Lists the files that runs would find: those of the commit at HEAD, without ignored and untracked ones. */
export const scanFiles = operation({
  name: 'scan-files',
  where: 'anywhere',
  summary: 'List the committed files of a project that match globs, sorted by name',
  http: 'GET /api/files',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string(),
    globs: z.array(z.string().min(1)).min(1),
    exclude: z.array(z.string()).default([]),
  }),
  output: z.object({ commit: z.string(), files: z.array(z.string()) }),
  run: async (_app, { dir, globs, exclude }) => {
    const { gitDir, head } = await inspectRepository(dir);
    const files = await listFiles({ dir: gitDir }, head);
    const isIncluded = matcher(globs);
    const isExcluded = matcher(exclude);
    const found = files.map(({ path }) => path).filter((file) => isIncluded(file) && !isExcluded(file));
    return { commit: head, files: found.sort((a, b) => (a < b ? -1 : 1)) };
  },
});

/** A path matches by its exact name, by a folder above it, or by a glob. */
function matcher(globs: readonly string[]): (file: string) => boolean {
  const rules = globs.map((glob) => {
    const name = glob.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
    return { name, isMatch: picomatch(name === '' || name === '.' ? '**' : name, { dot: true }) };
  });
  return (file) => rules.some(({ name, isMatch }) => file === name || file.startsWith(`${name}/`) || isMatch(file));
}

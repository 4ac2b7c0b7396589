import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { findProjectRoot } from '../../config/files.ts';
import { AppError } from '../../errors.ts';
import { roleNames } from '../../roles/load.ts';
import { type WorkFile, WorkFormat } from '../../schema/work-file.ts';
import { readWorkFile as readWork } from '../../work-files/read-work-file.ts';
import { plannedWork, WorkCheck, workCount, workEntries } from '../../work-files/work-plan.ts';
import { operation } from '../operation.ts';

const InvalidFile = z.object({ mistakes: WorkCheck.shape.mistakes });
const MOST_LINES = 200;

/** Reads a work file inside the project only: a viewer of runs may not read the whole disk. */
export const readWorkFile = operation({
  name: 'read-work-file',
  where: 'anywhere',
  summary: 'Read a work file of a project and return its content as a request, or its errors',
  http: 'GET /api/work-file',
  allow: ['viewer', 'operator'],
  input: z.object({
    dir: z.string(),
    file: z.string().min(1).describe('A file inside the project.'),
    format: WorkFormat.optional(),
  }),
  output: WorkCheck.extend({
    summary: z.array(z.string()).describe('A summary of its content, one item per line.'),
    request: z
      .object({ recipe: z.string(), input: z.unknown(), options: z.record(z.string(), z.unknown()) })
      .nullable()
      .describe('The input for start-run, with the options from the file; null if the file has errors.'),
  }),
  run: async (_app, { dir, file, format }) => {
    const root = await findProjectRoot(dir);
    if (root === undefined) throw new AppError('NOT_A_REPOSITORY', `${dir} is not in a repository`, { dir });
    const path = resolve(dir, file);
    await requireInside(root, path);
    const roles = await roleNames({ userDir: join(root, '.manyhands', 'roles') });
    try {
      const work = await readWork(path, { shown: file, format, roles, root });
      const { recipe, input, options, notes } = work;
      const check = { file, ok: true, format: work.format, recipe, count: workCount(work), notes, mistakes: [] };
      return { ...check, summary: summaryOf(work), request: { recipe, input, options } };
    } catch (error) {
      const isInvalid = error instanceof AppError && error.code === 'WORK_FILE_INVALID';
      const invalid = isInvalid ? InvalidFile.safeParse(error.details) : undefined;
      if (invalid?.success !== true) throw error;
      const nothing = { format: null, recipe: null, count: 0, notes: [], summary: [], request: null };
      return { file, ok: false, ...nothing, mistakes: invalid.data.mistakes };
    }
  },
});

async function requireInside(root: string, path: string): Promise<void> {
  const outside = new AppError('WORK_FILE_UNREADABLE', `${path} is not a file inside ${root}`, { path });
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw new AppError('WORK_FILE_UNREADABLE', `${path} does not exist`, { path });
  const inside = relative(await realpath(root), real);
  const parts = inside.split(sep);
  if (inside === '' || isAbsolute(inside) || parts[0] === '..' || parts[0] === '.git') throw outside;
}

function summaryOf(work: WorkFile): string[] {
  const entries = workEntries(work);
  if (entries !== undefined) return entries;
  const planned = plannedWork(work, { tracks: {} });
  const lines = planned.slice(0, MOST_LINES).map(({ id, title, role, needs }) => {
    const after = needs.length === 0 ? '' : `, after ${needs.join(', ')}`;
    return `${id}: ${title} (${role}${after})`;
  });
  return planned.length > lines.length ? [...lines, `and ${planned.length - lines.length} more`] : lines;
}

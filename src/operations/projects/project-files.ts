import { existsSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { FilesPort } from '../../app/view-interfaces.ts';
import { findProjectRoot } from '../../config/files.ts';
import { AppError } from '../../errors.ts';
import { roleNames } from '../../roles/load.ts';
import type { WorkFile } from '../../schema/work-file.ts';
import { WorkCheck } from '../../schema/work-plan.ts';
import { batchDocument, batchFiles, loadBatch } from '../../templates/batch.ts';
import { templateSources } from '../../templates/load.ts';
import { listNamed } from '../../templates/named-files.ts';
import { removeTemplate, writeTemplate } from '../../templates/write.ts';
import { readWorkFile } from '../../work-files/read-work-file.ts';
import { plannedWork, workCount, workEntries } from '../../work-files/work-plan.ts';
import type { OperationChecked, OperationOutput } from '../contracts.ts';
import { settingsFiles } from '../settings/settings-files.ts';

type WorkRead = OperationOutput<'read-work-file'>;

const Told = z.object({ mistakes: WorkCheck.shape.mistakes });
const MOST_LINES = 200;

/** The files that a person keeps in a project and in their own settings. */
export function filesPort(env: NodeJS.ProcessEnv): FilesPort {
  return {
    isFolder: (path) => existsSync(path) && statSync(path).isDirectory(),
    readWork,
    batches: listBatches,
    batch: async (dir, name) => batchDocument(await loadBatch(await batchFiles(dir), name)),
    saveTemplate: async ({ dir, name, text, header, scope, replace }) => {
      const given = Object.entries(header).filter(([, value]) => value !== undefined);
      const written = { name, content: text, header: Object.fromEntries(given), scope, force: replace };
      return writeTemplate(await templateSources(env, dir), written);
    },
    removeTemplate: async ({ dir, name, scope }) => ({
      name,
      file: await removeTemplate(await templateSources(env, dir), { name, scope }),
    }),
    ...settingsFiles(env),
  };
}

/** A batch with mistakes hides no other. */
async function listBatches(dir: string): Promise<OperationOutput<'list-batches'>> {
  const files = await batchFiles(dir);
  const listed: OperationOutput<'list-batches'> = { batches: [], mistakes: [] };
  for (const name of await listNamed(files)) {
    try {
      listed.batches.push(batchDocument(await loadBatch(files, name)));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'BATCH_INVALID') throw error;
      listed.mistakes.push(error.message);
    }
  }
  return listed;
}

/** Reads a file inside the project only: who may look at runs may not look at the whole disk. */
async function readWork({ dir, file, format }: OperationChecked<'read-work-file'>): Promise<WorkRead> {
  const root = await findProjectRoot(dir);
  if (root === undefined) throw new AppError('NOT_A_REPOSITORY', `${dir} is in no repository`, { dir });
  const path = resolve(dir, file);
  await requireInside(root, path);
  const roles = await roleNames({ userDir: join(root, '.manyhands', 'roles') });
  try {
    const work = await readWorkFile(path, { shown: file, format, roles, root });
    const { recipe, input, options, notes } = work;
    const said = { file, ok: true, format: work.format, recipe, count: workCount(work), notes, mistakes: [] };
    return { ...said, summary: summaryOf(work), request: { recipe, input, options } };
  } catch (error) {
    const told =
      error instanceof AppError && error.code === 'WORK_FILE_INVALID' ? Told.safeParse(error.details) : undefined;
    if (told?.success !== true) throw error;
    const nothing = { format: null, recipe: null, count: 0, notes: [], summary: [], request: null };
    return { file, ok: false, ...nothing, mistakes: told.data.mistakes };
  }
}

async function requireInside(root: string, path: string): Promise<void> {
  const outside = new AppError('WORK_FILE_UNREADABLE', `${path} is not a file inside ${root}`, { path });
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw new AppError('WORK_FILE_UNREADABLE', `${path} is not there`, { path });
  const inside = relative(await realpath(root), real);
  const parts = inside.split(sep);
  if (inside === '' || isAbsolute(inside) || parts[0] === '..' || parts[0] === '.git') throw outside;
}

function summaryOf(work: WorkFile): string[] {
  const entries = workEntries(work);
  if (entries !== undefined) return entries;
  const planned = plannedWork(work);
  const lines = planned.slice(0, MOST_LINES).map(({ id, title, role, needs }) => {
    const after = needs.length === 0 ? '' : `, after ${needs.join(', ')}`;
    return `${id}: ${title} (${role}${after})`;
  });
  return planned.length > lines.length ? [...lines, `and ${planned.length - lines.length} more`] : lines;
}

import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { writeWhole } from '../config/write.ts';
import { AppError, fromSystemError } from '../errors.ts';
import { promptText } from '../roles/prompt.ts';
import { realWorld, type World } from '../world.ts';
import { createFile } from './create-file.ts';
import type { InitFile } from './init-document.ts';
import { pathExists, requireInsideProject } from './project-path.ts';

const BEGIN = '<!-- manyhands:begin -->';

const END = '<!-- manyhands:end -->';

/** Where our block is in a file. */
type BlockRange = { start: number; end: number; eol: string };

/** With `force` a file is replaced as a whole instead of getting a block at its end. */
export type AgentsMdRequest = { root: string; remove: boolean; dryRun: boolean; force?: boolean };

const FILES = ['AGENTS.md', 'CLAUDE.md'] as const;
const BACKUPS = '.manyhands/backup';

/** Puts our instructions into the files that agents read by themselves, or takes them out again; a changed file is backed up. */
export async function writeAgentsMd(request: AgentsMdRequest, world: World = realWorld): Promise<InitFile[]> {
  const seen = new Map<string, string>();
  const done: InitFile[] = [];
  for (const name of FILES) {
    const file = await requireInsideProject(request.root, name);
    const real = (await pathExists(file)) ? await requireReal(file, name) : file;
    const other = seen.get(real);
    if (other === undefined) done.push(await change(request, { name, file }, world));
    else done.push({ path: name, action: 'unchanged', backup: null, note: `it is a link to ${other}` });
    seen.set(real, name);
  }
  return done;
}

async function requireReal(file: string, name: string): Promise<string> {
  return realpath(file).catch((error: unknown) => {
    throw new AppError('INIT_REFUSED', `${name} is a broken link`, { file }, { cause: error });
  });
}

async function change(
  request: AgentsMdRequest,
  target: { name: string; file: string },
  world: World,
): Promise<InitFile> {
  const { name, file } = target;
  const before = (await pathExists(file)) ? await readText(file, name) : undefined;
  const text = before ?? '';
  const body = promptText('roles/sections/started-by-manyhands', {});
  const after = request.remove ? withoutBlock(text, name) : withBlock(request.force === true ? '' : text, body, name);
  if (after === text) return { path: name, action: 'unchanged', backup: null, note: null };
  const backup = before === undefined ? null : `${BACKUPS}/${name}.${stamp(world)}`;
  const action = after.trim() === '' ? 'removed' : before === undefined ? 'written' : 'updated';
  if (!request.dryRun) {
    if (backup !== null) await keep(request.root, { path: backup, text }, world);
    if (action === 'removed') await rm(await realpath(file));
    else await writeWhole(file, after, { world });
  }
  return { path: name, action, backup, note: null };
}

/** Backups are private to the user: git ignores them. */
async function keep(root: string, backup: { path: string; text: string }, world: World): Promise<void> {
  await createFile(root, { path: `${BACKUPS}/.gitignore`, text: '*\n' }, world);
  const kept = await createFile(root, backup, world);
  if (kept === 'kept') throw new AppError('INIT_REFUSED', `There is a backup ${backup.path} already`, backup);
}

async function readText(file: string, name: string): Promise<string> {
  const bytes = await readPlain(file, name).catch((error: unknown) => {
    throw fromSystemError(error, `reading ${file}`);
  });
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return text;
  throw new AppError('INIT_REFUSED', `${name} is no UTF-8 text`, { file });
}

async function readPlain(file: string, name: string): Promise<Buffer> {
  if ((await stat(file)).isFile()) return readFile(file);
  throw new AppError('INIT_REFUSED', `${name} is no plain file`, { file });
}

function stamp(world: World): string {
  return new Date(world.now()).toISOString().replaceAll(/[-:.]/g, '');
}

/** A text with the block in it: at its old position, else at the end. Everything outside of the marks stays byte for byte. */
export function withBlock(text: string, body: string, file: string): string {
  const old = findBlock(text, file);
  const eol = old?.eol ?? (text.includes('\r\n') ? '\r\n' : '\n');
  const block = [BEGIN, ...body.trim().split('\n'), END].join(eol) + eol;
  if (old !== undefined) return text.slice(0, old.start) + block + text.slice(old.end);
  return text === '' ? block : text + eol + block;
}

/** A text as it was before the block came into it. */
export function withoutBlock(text: string, file: string): string {
  const old = findBlock(text, file);
  if (old === undefined) return text;
  const before = text.slice(0, old.start);
  return (before.endsWith(old.eol) ? before.slice(0, -old.eol.length) : before) + text.slice(old.end);
}

/** The range of the block, with the end of its last line; marks that are not exactly one pair are refused. */
function findBlock(text: string, file: string): BlockRange | undefined {
  const begins = offsets(text, BEGIN);
  const ends = offsets(text, END);
  const [start] = begins;
  const [last] = ends;
  if (start === undefined && last === undefined) return undefined;
  if (start === undefined || last === undefined || begins.length > 1 || ends.length > 1 || last < start) {
    const line = text.slice(0, start ?? last).split('\n').length;
    throw new AppError(
      'INIT_REFUSED',
      `${file}:${line}: the marks ${BEGIN} and ${END} are not one pair in this order`,
      {
        file,
        line,
      },
    );
  }
  const eol = text.startsWith('\r\n', start + BEGIN.length) ? '\r\n' : '\n';
  const end = last + END.length;
  return { start, end: text.startsWith(eol, end) ? end + eol.length : end, eol };
}

function offsets(text: string, mark: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) found.push(at);
  return found;
}

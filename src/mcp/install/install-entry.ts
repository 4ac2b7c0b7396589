import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, fromSystemError, isAbsent } from '../../errors.ts';
import type { World } from '../../world.ts';
import type { Assistant, ServerEntry } from './assistants.ts';

/** What happened to the settings of an assistant. */
export type InstallResult = {
  assistant: string;
  file: string;
  change: 'installed' | 'updated' | 'unchanged' | 'restored' | 'removed' | 'absent';
  /** The file as it was before. */
  backup: string | null;
};

type Target = { assistant: Assistant; env: NodeJS.ProcessEnv; world: World };
/** The settings as they are: the file behind links, its text and rights, and the text before our entry. */
type Settings = { file: string; text: string | undefined; mode: number; backup: string; before: string | undefined };

const OWNER_ONLY = 0o600;

/** Writes our entry; with `repair` only where there is one, which may name another path. */
export async function installEntry(
  target: Target,
  entry: ServerEntry,
  { repair }: { repair: boolean },
): Promise<InstallResult> {
  const { assistant } = target;
  const settings = await readSettings(target);
  const { file, text, backup, before } = settings;
  const current = text === undefined ? undefined : assistant.read(text);
  if (repair && current === undefined) return { assistant: assistant.name, file, change: 'absent', backup: null };
  if (current !== undefined && isSame(current, entry)) return result(target, settings, 'unchanged');
  if (current === undefined) {
    if (text === undefined) await rm(backup, { force: true });
    else await copyFile(file, backup);
    await replace(settings, assistant.write(text, entry), target.world);
    return { ...result(target, settings, 'installed'), backup: text === undefined ? null : backup };
  }
  // Made from the text before, so that uninstalling still finds it.
  const isOurs = text === assistant.write(before, current);
  await replace(settings, assistant.write(isOurs ? before : text, entry), target.world);
  return result(target, settings, 'updated');
}

/** Removes our entry: a file that nobody changed since is restored byte for byte, another one keeps everything else. */
export async function uninstallEntry(target: Target): Promise<InstallResult> {
  const { assistant, world } = target;
  const settings = await readSettings(target);
  const { file, text, backup, before } = settings;
  const current = text === undefined ? undefined : assistant.read(text);
  if (text === undefined || current === undefined)
    return { assistant: assistant.name, file, change: 'absent', backup: null };
  if (text !== assistant.write(before, current)) {
    await replace(settings, assistant.remove(text), world);
    return result(target, settings, 'removed');
  }
  if (before !== undefined) await rename(backup, file);
  else await rm(file);
  return { assistant: assistant.name, file, change: 'restored', backup: null };
}

/** The entry in the settings of an assistant, and the file. */
export async function findEntry(target: Target): Promise<{ file: string; entry: ServerEntry | undefined }> {
  const { file, text } = await readSettings(target);
  return { file, entry: text === undefined ? undefined : target.assistant.read(text) };
}

function result(
  { assistant }: Target,
  { file, before, backup }: Settings,
  change: InstallResult['change'],
): InstallResult {
  return { assistant: assistant.name, file, change, backup: before === undefined ? null : backup };
}

async function readSettings({ assistant, env }: Target): Promise<Settings> {
  const named = assistant.file(env);
  const file = await realpath(named).catch((error: unknown) => {
    if (isAbsent(error)) return named;
    throw fromSystemError(error, `reading ${named}`);
  });
  const backup = `${file}.before-manyhands`;
  const [text, before, info] = await Promise.all([readText(file), readText(backup), stat(file).catch(() => undefined)]);
  return { file, text, backup, before, mode: info?.mode ?? OWNER_ONLY };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (error instanceof TypeError) throw new AppError('INPUT_INVALID', `${file} is not text in UTF-8`, { file });
    throw fromSystemError(error, `reading ${file}`);
  }
}

/** Atomic, with the rights of the file; refused where another program changed it since it was read. */
async function replace({ file, text, mode }: Settings, next: string, world: World): Promise<void> {
  const temporary = `${file}.${world.token()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, next, { flag: 'wx', mode: OWNER_ONLY });
    await chmod(temporary, mode & 0o777);
    if ((await readText(file)) !== text)
      throw new AppError('CONFLICT', `${file} was changed concurrently: try again`, { file });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fromSystemError(error, `writing ${file}`);
  }
}

function isSame(a: ServerEntry, b: ServerEntry): boolean {
  const text = ({ command, args, env }: ServerEntry) => JSON.stringify([command, args, Object.entries(env).sort()]);
  return text(a) === text(b);
}

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { errorCode } from '../errors.ts';

/** Whether another process works in a folder or holds a file of it open; undefined where the system does not show it. */
export function isFolderInUse(folder: string): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`);
  try {
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    return others.some((pid) => pathsOf(`/proc/${pid}`).some(isBelow));
  } catch {
    // Without a readable /proc nothing is known.
    return undefined;
  }
}

/** The folders and files that a process uses; none for one that has ended or belongs to another user. */
function pathsOf(proc: string): string[] {
  try {
    const links = ['cwd', 'root', ...readdirSync(`${proc}/fd`).map((name) => `fd/${name}`)];
    const mapped = readFileSync(`${proc}/maps`, 'utf8').matchAll(/ (\/.*)$/gm);
    return [...links.flatMap((name) => linkTarget(`${proc}/${name}`)), ...[...mapped].map(([, path = '']) => path)];
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

function linkTarget(link: string): string[] {
  try {
    return [readlinkSync(link)];
  } catch {
    // The descriptor was closed, or the process ended, since it was listed.
    return [];
  }
}

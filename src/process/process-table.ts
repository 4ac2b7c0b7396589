import { readdirSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { type ProcessEntry, probeProc } from './proc-stat.ts';
import { listPs } from './ps.ts';

/** All processes that we can see, as of now; throws where the system does not tell, since "none" would be a lie. */
export function listProcesses(): ProcessEntry[] {
  const entries = process.platform === 'linux' ? listProc() : listPs();
  if (entries === undefined) throw new AppError('UNSUPPORTED_SYSTEM', 'The system does not list its processes');
  return entries;
}

function listProc(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const found = probeProc(pid);
    return found.kind === 'found' ? [found.entry] : [];
  });
}
